// lab: hosts are network namespaces; `railgauge lab-exec HOST ...` is what ssh is elsewhere.
#include <fmt/format.h>

#include <filesystem>

#include "orchestrator/launch/launcher_registry.h"
#include "orchestrator/launch/mpirun_arguments.h"
#include "orchestrator/launch/program_path.h"

namespace railgauge {
namespace {

constexpr const char* kManagementNetwork =
    "10.9.0.0/24";  // orchestrator/lab/lab_script.cc gives the addresses

class LabLauncher final : public Launcher {
 public:
  explicit LabLauncher(LauncherOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "lab"; }

  Command on_node(const std::string& node, const std::vector<std::string>& program) const override {
    Command c;
    c.argv = {options_.railgauge, "lab-exec", node, "--exec"};
    c.argv.insert(c.argv.end(), program.begin(), program.end());
    return c;
  }

  Command mpi(const std::vector<NodeRanks>& nodes, const std::vector<std::string>& program,
              const std::vector<std::pair<std::string, std::string>>& environment) const override {
    MpirunShape shape;
    // No vader: ranks of one host share memory, but it gains nothing for barriers and the host's /dev/shm is
    // private.
    shape.transport = {"--mca",
                       "btl",
                       "self,tcp",
                       "--mca",
                       "plm",
                       "rsh",
                       "--mca",
                       "plm_rsh_no_tree_spawn",
                       "1",
                       "--mca",
                       "plm_rsh_agent",
                       options_.railgauge + " lab-exec",
                       "--mca",
                       "orte_tmpdir_base",
                       "@DIR@"};
    shape.interface = options_.interface.empty() ? kManagementNetwork : options_.interface;
    shape.extra_arguments = options_.extra_arguments;
    Command c = mpirun_command(shape, nodes, program, environment);
    c.scratch = "/run";  // the lab's own: nothing of it outlives the lab
    return c;
  }

 private:
  LauncherOptions options_;
};

}  // namespace

Result<std::unique_ptr<Launcher>> make_lab_launcher(const LauncherOptions& options) {
  LauncherOptions o = options;
  if (o.railgauge.empty()) {
    o.railgauge = program_path().string();
    if (o.railgauge.empty())
      return fail(ErrorKind::environment, "/proc/self/exe: cannot read: is /proc mounted?");
  }
  if (o.railgauge.find_first_of(" \t:") != std::string::npos) {
    return fail(
        ErrorKind::environment,
        fmt::format("{}: mpirun cannot start a program with a space or colon in its path; build elsewhere",
                    o.railgauge));
  }
  return std::make_unique<LabLauncher>(o);
}

}  // namespace railgauge
