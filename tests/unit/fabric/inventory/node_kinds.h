// Ten kinds of nodes, made from public facts (vendor block diagrams, `nvidia-smi topo -m` and lstopo
// outputs).
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "fabric/inventory/inventory.h"
#include "tests/unit/workers/probe/fake_sysfs.h"

namespace railgauge::testing {

struct NodeKind {
  std::string name;
  FakeNode node;
  std::vector<std::string> compute;    // devices in the order of rails
  PathClass nearest = PathClass::pix;  // best path of each GPU to a compute NIC; unknown: no GPUs
  std::size_t gpus = 8;
};

// For gtest, which else prints bytes.
inline void PrintTo(const NodeKind& kind, std::ostream* out) { *out << kind.name; }

const std::vector<NodeKind>& node_kinds();
const NodeKind& node_kind(const std::string& name);

}  // namespace railgauge::testing
