#include "fabric/inventory/path_class.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

PciPlace place(const std::string& root, const std::vector<std::string>& path, std::optional<int> numa = 0) {
  PciPlace p;
  p.slot = root + "/x";
  p.numa_node = numa;
  for (const std::string& a : path) p.path.push_back({a, "", "", {}, {}, {}, {}});
  return p;
}

TEST(PathClass, two_ports_of_one_switch_are_PIX) {
  EXPECT_EQ(path_class(place("root0", {"r", "u", "d1", "gpu"}), place("root0", {"r", "u", "d2", "nic"})),
            PathClass::pix);
}
TEST(PathClass, a_second_switch_makes_it_PXB) {
  EXPECT_EQ(path_class(place("root0", {"r", "u", "d1", "u2", "d3", "gpu"}),
                       place("root0", {"r", "u", "d2", "nic"})),
            PathClass::pxb);
}
TEST(PathClass, two_root_ports_of_one_root_complex_are_PHB) {
  EXPECT_EQ(path_class(place("root0", {"r1", "gpu"}), place("root0", {"r2", "nic"})), PathClass::phb);
}
TEST(PathClass, numa_nodes_decide_between_root_complexes) {
  EXPECT_EQ(path_class(place("root0", {"r", "gpu"}, 0), place("root1", {"s", "nic"}, 0)), PathClass::node);
  EXPECT_EQ(path_class(place("root0", {"r", "gpu"}, 0), place("root1", {"s", "nic"}, 1)), PathClass::sys);
  EXPECT_EQ(path_class(place("root0", {"r", "gpu"}, {}), place("root1", {"s", "nic"}, 1)),
            PathClass::unknown);
}
TEST(PathClass, an_interface_without_PCI_is_unknown) {
  EXPECT_EQ(path_class(place("root0", {"r", "gpu"}), place("rail0", {})), PathClass::unknown);
}
TEST(PathClass, it_is_symmetric_and_LOC_with_itself) {
  const PciPlace gpu = place("root0", {"r", "u", "d1", "u2", "d3", "gpu"});
  const PciPlace nic = place("root0", {"r", "u", "d2", "nic"});
  EXPECT_EQ(path_class(gpu, nic), path_class(nic, gpu));
  EXPECT_EQ(path_class(nic, nic), PathClass::loc);
}

}  // namespace
}  // namespace railgauge
