// From facts to roles: pure, no I/O.
#pragma once

#include <string>
#include <vector>

#include "fabric/inventory/inventory.h"
#include "fabric/inventory/site.h"

namespace railgauge {

struct Unanswered {
  std::string node;
  std::string reason;  // "no answer in 10 s", "ssh: no route to host"
};

// order of nodes: as `hosts`. switch_ports: who hangs on which leaf (source: lab fdb, ibnetdiscover), empty =
// unknown. Rules (DESIGN section 1): rail = role of the slot in the node class, with holes; the leaf switch,
// where known, never renumbers a rail here but is compared by placement; site overrides; without PCI (lab)
// the interface name's number. A layout that occurs once and fits into a larger class with holes belongs to
// that class. Trained width and speed, state and MTU never split a class. Errors (input): two names with one
// machine id; one node answering twice; site names unknown NICs.
Result<Inventory> build_inventory(const std::vector<std::string>& hosts, std::vector<NodeFacts> facts,
                                  const std::vector<Unanswered>& silent, const Site& site,
                                  const std::vector<SwitchPort>& switch_ports);

}  // namespace railgauge
