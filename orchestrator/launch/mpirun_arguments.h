// Open MPI's mpirun: the part that all launchers share.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/launch/launcher.h"

namespace railgauge {

struct MpirunShape {
  std::vector<std::string> transport;  // "--mca btl ..." and what else differs between launchers
  std::string interface;               // see LauncherOptions
  std::vector<std::string> extra_arguments;
  bool name_hosts = true;  // false: all processes on this machine
};

// One application context per node, so that each process is told its node. Values of `environment` travel in
// mpirun's own environment, argv has the names only. mpirun's temporary files lie in the launch's private
// folder.
// --enable-recovery: a killed rank takes no other down. On one machine mpirun then ends when all are gone;
// with daemons on other hosts it stays for ever once any rank ended without MPI_Finalize (seen with 4.1.4:
// killed, or _exit(0)). So whoever starts it must not wait for its end but for the ranks' own words, and then
// stop() it: SIGTERM takes 2.5 s, SIGKILL no time; its daemons follow within a second.
Command mpirun_command(const MpirunShape& shape, const std::vector<NodeRanks>& nodes,
                       const std::vector<std::string>& program,
                       const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace railgauge
