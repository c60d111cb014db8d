// local: this machine only. Several node names are allowed: all are this machine.
#include "orchestrator/launch/launcher_registry.h"
#include "orchestrator/launch/mpirun_arguments.h"

namespace railgauge {
namespace {

class LocalLauncher final : public Launcher {
 public:
  explicit LocalLauncher(LauncherOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "local"; }

  Command on_node(const std::string&, const std::vector<std::string>& program) const override {
    Command c;
    c.argv = program;
    return c;
  }

  Command mpi(const std::vector<NodeRanks>& nodes, const std::vector<std::string>& program,
              const std::vector<std::pair<std::string, std::string>>& environment) const override {
    MpirunShape shape;
    shape.transport = {"--mca", "btl",   "self,vader,tcp",   "--mca", "btl_vader_single_copy_mechanism",
                       "none",  "--mca", "orte_tmpdir_base", "@DIR@"};
    shape.interface = options_.interface;
    shape.extra_arguments = options_.extra_arguments;
    shape.name_hosts = false;
    return mpirun_command(shape, nodes, program, environment);
  }

 private:
  LauncherOptions options_;
};

}  // namespace

Result<std::unique_ptr<Launcher>> make_local_launcher(const LauncherOptions& options) {
  return std::make_unique<LocalLauncher>(options);
}

}  // namespace railgauge
