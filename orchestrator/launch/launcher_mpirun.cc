// mpirun: hosts reached by ssh.
#include "orchestrator/launch/launcher_registry.h"
#include "orchestrator/launch/mpirun_arguments.h"
#include "orchestrator/launch/remote_word.h"

namespace railgauge {
namespace {

class MpirunLauncher final : public Launcher {
 public:
  explicit MpirunLauncher(LauncherOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "mpirun"; }

  Command on_node(const std::string& node, const std::vector<std::string>& program) const override {
    Command c;
    c.argv = {"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "--", node};
    for (const std::string& word : program) c.argv.push_back(remote_word(word));
    return c;
  }

  Command mpi(const std::vector<NodeRanks>& nodes, const std::vector<std::string>& program,
              const std::vector<std::pair<std::string, std::string>>& environment) const override {
    MpirunShape shape;
    // The private folder is on this machine only: the daemons elsewhere keep their own default.
    shape.transport = {"--mca",
                       "btl",
                       "self,tcp,vader",
                       "--mca",
                       "btl_vader_single_copy_mechanism",
                       "none",
                       "--mca",
                       "plm",
                       "rsh",
                       "--mca",
                       "plm_rsh_no_tree_spawn",
                       "1",
                       "--mca",
                       "orte_local_tmpdir_base",
                       "@DIR@"};
    shape.interface = options_.interface;
    shape.extra_arguments = options_.extra_arguments;
    return mpirun_command(shape, nodes, program, environment);
  }

 private:
  LauncherOptions options_;
};

}  // namespace

Result<std::unique_ptr<Launcher>> make_mpirun_launcher(const LauncherOptions& options) {
  return std::make_unique<MpirunLauncher>(options);
}

}  // namespace railgauge
