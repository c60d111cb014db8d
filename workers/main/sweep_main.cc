#include <fmt/format.h>

#include "workers/main/modes.h"
#include "workers/rounds/sweep.h"

namespace railgauge {

int sweep_main(const RankArguments& arguments) {
  SystemProcesses processes;
  const Swept swept = sweep(arguments.sweep_run_id, processes, Nanos::s(2));
  if (swept.ended > 0 || swept.objects > 0) {
    fmt::print("{}: {} leftover {} of this run ended, {} shared memory {} removed\n", arguments.node,
               swept.ended, swept.ended == 1 ? "process" : "processes", swept.objects,
               swept.objects == 1 ? "object" : "objects");
  }
  for (const std::string& s : swept.stuck)
    fmt::print("{}: {} of this run cannot be ended\n", arguments.node, s);
  return swept.stuck.empty() ? 0 : 1;
}

}  // namespace railgauge
