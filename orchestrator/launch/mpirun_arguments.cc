#include "orchestrator/launch/mpirun_arguments.h"

#include <fmt/format.h>
#include <unistd.h>

namespace railgauge {
namespace {

void add(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void name_interfaces(std::vector<std::string>& argv, const std::string& interface) {
  if (interface.empty()) return;
  add(argv, {"--mca", "btl_tcp_if_include", interface, "--mca", "oob_tcp_if_include", interface});
}

}  // namespace

Command mpirun_command(const MpirunShape& shape, const std::vector<NodeRanks>& nodes,
                       const std::vector<std::string>& program,
                       const std::vector<std::pair<std::string, std::string>>& environment) {
  RG_CHECK(!nodes.empty() && !program.empty());
  Command c;
  c.environment = environment;
  c.environment.emplace_back("TMPDIR", "@DIR@");
  if (::geteuid() == 0) {
    c.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
    c.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  // ob1: with Open MPI's defaults its own messages would run over the rails under test. yield: without it a
  // barrier of more ranks than cores takes 64 ms. sigkill_timeout: mpirun otherwise ends 2 s after its last
  // rank.
  c.argv = {"mpirun",
            "--mca",
            "pml",
            "ob1",
            "--mca",
            "mpi_yield_when_idle",
            "1",
            "--enable-recovery",
            "--oversubscribe",
            "--bind-to",
            "none",
            "--mca",
            "odls_base_sigkill_timeout",
            "0"};
  add(c.argv, shape.transport);
  name_interfaces(c.argv, shape.interface);
  add(c.argv, shape.extra_arguments);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    RG_CHECK(nodes[i].ranks > 0);
    if (i > 0) c.argv.emplace_back(":");
    add(c.argv, {"-np", std::to_string(nodes[i].ranks)});
    if (shape.name_hosts) add(c.argv, {"--host", fmt::format("{}:{}", nodes[i].node, nodes[i].ranks)});
    for (const auto& [name, value] : environment) add(c.argv, {"-x", name});
    add(c.argv, program);
    add(c.argv, {"--node", nodes[i].node});
  }
  return c;
}

}  // namespace railgauge
