// What the observed state of a NIC predicts: candidate causes of a shortfall, never part of the expectation.
#pragma once

#include <optional>
#include <string>

#include "fabric/inventory/inventory.h"

namespace railgauge {

struct ObservedLimit {
  double bits_per_second = 0;  // payload that this state lets through
  std::string by;              // "x8 at 32 GT/s at 0000:17:00.0 (x16 possible)"
};

// The lowest limit that the state of this NIC shows: a PCIe link of its path trained below its maximum, a
// port trained below its maximum, an RDMA MTU below 4096. Empty: the state shows none, or could not be read.
std::optional<ObservedLimit> observed_limit(const NodeEntry& node, const std::string& device, int port);

}  // namespace railgauge
