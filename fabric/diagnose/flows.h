// Both sides of a flow become one result.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "fabric/diagnose/picture.h"

namespace railgauge {

// Does this event end a rank or a node? Failures of its round are its echo and nobody else's fault.
bool ends_a_rank(const Event& event);

// Sorted by (source, target), then round. Samples of unknown rounds or endpoints are left out. Of a flow that
// was sampled twice (a round that was run again) the last one that worked counts.
std::vector<FlowResult> merge_flows(const Evidence& evidence,
                                    const std::map<std::int32_t, const Round*>& rounds,
                                    const std::set<std::int32_t>& broken);

}  // namespace railgauge
