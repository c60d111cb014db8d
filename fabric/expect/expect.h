// Endpoints of a schedule and what they should reach. Trained width and speed, MTU in use, path class and
// firmware are never inputs (DESIGN section 6): they explain a shortfall, they do not excuse it.
#pragma once

#include <string>
#include <vector>

#include "fabric/cases/schedule.h"
#include "fabric/expect/expected.h"
#include "fabric/inventory/inventory.h"
#include "fabric/inventory/site.h"

namespace railgauge {

// What a perfect transfer over one compute NIC delivers. bits_per_second 0: unknown, `from` says why.
struct NicExpectation {
  double bits_per_second = 0;
  std::string from;
};

// First that applies: the site's rule for this NIC (the last that matches wins) x its payload share; the
// majority of the maximum rates that the members of the class have on this rail x the payload share of the
// link; unknown. With Site::software_links only the rules count.
NicExpectation expectation_of(const Inventory& inventory, const Site& site, const NodeEntry& node,
                              const NicEntry& nic);

// Usable compute NICs of all nodes that answered, in rank order: nodes by the leaf of their first rail where
// it is known, then in natural order of ids; within a node by rail. Endpoints of one node are neighbours.
// Empty: nothing can be measured.
std::vector<Endpoint> endpoints_of(const Inventory& inventory, const Site& site);

// What a flow between them should reach: the smaller of both ends. value 0: one of them is unknown.
Expected expected_of_flow(const Endpoint& source, const Endpoint& target);

}  // namespace railgauge
