// The PCIe links of a node, each once, from the paths of its NICs and GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fabric/inventory/inventory.h"

namespace railgauge::placement {

struct PcieLink {
  std::string key;  // slot of the lower end without its function: the same link on other nodes of the class
  std::string upper, lower;       // PCI addresses of both ends; upper empty: not visible
  bool gpu = false;               // the lower end is a GPU: its speed drops when idle and says nothing
  std::vector<std::string> nics;  // compute NICs whose traffic crosses it, "mlx5_3"
  std::vector<int> rails;
  std::optional<int> width, width_max;             // the smaller of both ends
  std::optional<double> speed_gts, speed_max_gts;  // the smaller of both ends
};

// Only links on the way of a compute NIC or of a GPU. Ports of one switch face each other inside: that is no
// link.
std::vector<PcieLink> links_of(const NodeEntry& node);

// Raw rate of a link after line coding (8b/10b up to 5 GT/s, 128b/130b from 8, FLIT of 1b/1b at 64), bits per
// second.
double pcie_bits_per_second(int width, double speed_gts);

}  // namespace railgauge::placement
