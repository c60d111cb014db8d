// The parts of placement_findings(), one per kind of cause. Each is pure and appends its findings.
#pragma once

#include <string>
#include <vector>

#include "fabric/diagnose/analysis.h"
#include "fabric/inventory/inventory.h"

namespace railgauge::placement {

// NICs missing, misplaced or exchanged against the majority of the node class.
void cards(const Inventory& inventory, std::vector<Finding>& out);
// Cables exchanged or on a foreign leaf, against the leaf of most peers. Nothing where no leaf is known.
void cables(const Inventory& inventory, std::vector<Finding>& out);
// Compute NICs that are down: one finding per NIC, node (all its rails) or rail (on most nodes).
void down(const Inventory& inventory, std::vector<Finding>& out);
// PCIe links narrower or slower than both ends can do, or than most of the class has in that place.
void pcie(const Inventory& inventory, std::vector<Finding>& out);

// "rail 2 (mlx5_3)", or "rail2" where the interface already says it.
std::string rail_text(int rail, const std::string& device);
// Where a NIC sits, in words: "root1/1.0/0.0/4.0 (0000:4b:00.0)".
std::string place_text(const PciPlace& place);

}  // namespace railgauge::placement
