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
// --enable-recovery: a killed rank takes no other down, mpirun ends when all are gone (seen with 4.1.4).
Command mpirun_command(const MpirunShape& shape, const std::vector<NodeRanks>& nodes,
                       const std::vector<std::string>& program,
                       const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace railgauge
