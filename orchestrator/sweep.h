// Ends what an earlier launch of this run left on the nodes, before the next one starts or when the run ends
// badly.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/launch/launcher.h"
#include "proto/units.h"

namespace railgauge {

// On all nodes at once, each within `limit`. What was found, one sentence per node; empty: nothing. A node
// that cannot be asked is named: the next launch will show whether it matters.
std::vector<std::string> sweep_nodes(const std::vector<std::string>& nodes, const Launcher& launcher,
                                     const std::string& rank_path, const std::string& run_id, Nanos limit);

}  // namespace railgauge
