// One maker per launcher. Only launchers.cc and the launchers themselves include this.
#pragma once

#include "orchestrator/launch/launchers.h"

namespace railgauge {

Result<std::unique_ptr<Launcher>> make_local_launcher(const LauncherOptions& options);
Result<std::unique_ptr<Launcher>> make_mpirun_launcher(const LauncherOptions& options);
Result<std::unique_ptr<Launcher>> make_lab_launcher(const LauncherOptions& options);

}  // namespace railgauge
