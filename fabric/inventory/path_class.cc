#include "fabric/inventory/path_class.h"

#include <algorithm>
#include <string_view>

namespace railgauge {
namespace {

std::string_view root_of(const PciPlace& place) {
  const std::string_view slot = place.slot;
  return slot.substr(0, slot.find('/'));
}

}  // namespace

PathClass path_class(const PciPlace& a, const PciPlace& b) {
  if (a.path.empty() || b.path.empty()) return PathClass::unknown;
  std::size_t common = 0;
  while (common < std::min(a.path.size(), b.path.size()) &&
         a.path[common].address == b.path[common].address) {
    ++common;
  }
  if (common == a.path.size() && common == b.path.size()) return PathClass::loc;
  if (common > 0) {
    // Below the last shared port each side has [downstream port, device] when that port is the switch's
    // upstream port, or [device] when it is a bridge. Anything longer goes through a further switch.
    const bool near = a.path.size() - common <= 2 && b.path.size() - common <= 2;
    return near ? PathClass::pix : PathClass::pxb;
  }
  if (!root_of(a).empty() && root_of(a) == root_of(b)) return PathClass::phb;
  if (!a.numa_node || !b.numa_node) return PathClass::unknown;
  return *a.numa_node == *b.numa_node ? PathClass::node : PathClass::sys;
}

}  // namespace railgauge
