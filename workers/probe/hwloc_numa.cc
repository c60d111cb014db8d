#include <fmt/format.h>
#include <hwloc.h>

#include <array>
#include <memory>

#include "workers/probe/host.h"

namespace railgauge {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};

std::string list_of(hwloc_const_cpuset_t set) {
  std::array<char, 1024> text{};
  hwloc_bitmap_list_snprintf(text.data(), text.size(), set);
  return text.data();
}

}  // namespace

bool read_numa_from_hwloc(NodeFacts& facts) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return false;
  const std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy> topology(raw);
  if (hwloc_topology_load(raw) != 0) return false;
  facts.numa.clear();
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    NumaNode n;
    n.id = static_cast<int>(node->os_index);
    n.cpus = list_of(node->cpuset);
    if (node->attr != nullptr) n.memory_bytes = node->attr->numanode.local_memory;
    facts.numa.push_back(n);
  }
  const int cpus = hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_PU);
  if (cpus > 0) facts.cpus = cpus;
  return true;
}

}  // namespace railgauge
