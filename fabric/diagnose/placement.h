// Placement findings: a node whose map of GPUs, NICs and leaves differs from its class. Pure.
#pragma once

#include <vector>

#include "fabric/diagnose/analysis.h"
#include "fabric/inventory/inventory.h"

namespace railgauge {

// One finding per cause, none for its neighbours; ids are left empty (diagnose numbers them). Codes:
// nic.missing, nic.misplaced, nic.swapped, cable.swapped (leaves of two NICs exchanged), nic.down,
// pcie.degraded (trained below maximum at either end of any link of the path). A harmless permutation (odd
// order, but each GPU still has its NIC at the class's path class) gives none.
std::vector<Finding> placement_findings(const Inventory& inventory);

}  // namespace railgauge
