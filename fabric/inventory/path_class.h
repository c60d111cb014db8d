// How far a NIC is from a GPU, from their PCI places alone.
#pragma once

#include "fabric/inventory/inventory.h"

namespace railgauge {

// PIX: one PCIe switch (or bridge) between them. PXB: several, below one root port. PHB: two root ports of
// one root complex. NODE: two root complexes of one NUMA node. SYS: two NUMA nodes. LOC: the same function.
// unknown: one of them is not a PCI device, or their NUMA nodes are not known and needed.
// Symmetric. Source: `nvidia-smi topo -m` legend; NCCL graph/paths.cc counts the same way.
PathClass path_class(const PciPlace& a, const PciPlace& b);

}  // namespace railgauge
