// The registry of launchers: `local`, `mpirun`, `lab`. A new one is one file and one line in launchers.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/launch/launcher.h"
#include "proto/result.h"

namespace railgauge {

struct LauncherOptions {
  // What MPI's own traffic may use, as mpirun takes it: interface names or networks, comma separated. The lab
  // needs a network ("10.9.0.0/24", also its default): interfaces are not named alike inside and outside. ""
  // = the others name none and leave the choice to MPI.
  std::string interface;
  std::vector<std::string> extra_arguments;  // Site::mpirun_arguments, before the program
  std::string railgauge;  // path of this program for `railgauge lab-exec`; "" = /proc/self/exe
};

// In the order in which help prints them.
std::vector<std::string> launcher_names();

// Errors (input): unknown name (the message lists the known ones); (environment) a path of railgauge that
// mpirun's agent option cannot carry (space, ':').
Result<std::unique_ptr<Launcher>> make_launcher(std::string_view name, const LauncherOptions& options);

}  // namespace railgauge
