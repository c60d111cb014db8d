// The lab's switch graph: forwarding tables of bridges that stand in for leaf switches.
#pragma once

#include <string_view>
#include <vector>

#include "fabric/inventory/site.h"
#include "proto/result.h"

namespace railgauge {

// From `bridge -json fdb show`: the addresses that bridges named leaf... learned on ports that lead to hosts.
// Left out: addresses of the bridge's own ports (permanent), ports that lead to the spine (named up...),
// other bridges. Sorted by (leaf, mac), each once; empty where nothing was learned. Errors (input): not that
// JSON; more than 16 MiB of it; one address on two leaves.
Result<std::vector<SwitchPort>> parse_bridge_fdb(std::string_view text);

}  // namespace railgauge
