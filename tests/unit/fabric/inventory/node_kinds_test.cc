#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/diagnose/placement.h"
#include "tests/unit/fabric/inventory/fleet.h"

namespace railgauge {
namespace {

using testing::FakeDevice;
using testing::FakeNode;
using testing::Fleet;
using testing::NodeKind;
using testing::Part;

class Kinds : public ::testing::TestWithParam<NodeKind> {};

INSTANTIATE_TEST_SUITE_P(Placement, Kinds, ::testing::ValuesIn(testing::node_kinds()),
                         [](const auto& test) { return test.param.name; });

std::string text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& f : findings) {
    out +=
        f.code + " " + f.where.node.value_or("-") + " " + f.where.nic.value_or("-") + ": " + f.title + "\n";
    for (const std::string& e : f.evidence) out += "    " + e + "\n";
  }
  return out;
}

std::vector<Finding> findings_with(const NodeKind& kind, const FakeNode& changed, int nodes = 1) {
  std::set<int> at;
  for (int n = 0; n < nodes; ++n) at.insert(3 + n);
  return placement_findings(testing::inventory_of(testing::fleet(kind.node, 8, &changed, at)));
}

FakeDevice& device(FakeNode& node, const std::string& name) {
  const auto at = std::find_if(node.devices.begin(), node.devices.end(),
                               [&](const FakeDevice& d) { return d.name == name; });
  EXPECT_NE(at, node.devices.end());
  return *at;
}

// All functions of the card that has this device.
template <class Do>
void for_card(FakeNode& node, const std::string& name, Do change) {
  const FakeDevice card = device(node, name);
  for (FakeDevice& d : node.devices) {
    if (d.complex == card.complex && d.ports == card.ports) change(d);
  }
}

TEST_P(Kinds, healthy_fleet_has_the_right_rails_and_no_finding) {
  const NodeKind& kind = GetParam();
  const Inventory inventory = testing::inventory_of(testing::fleet(kind.node, 8));
  ASSERT_EQ(inventory.classes.size(), 1U);
  EXPECT_EQ(inventory.classes[0].rails.size(), kind.compute.size()) << inventory.compute_choice;
  for (const NodeEntry& node : inventory.nodes) {
    std::vector<std::string> by_rail(kind.compute.size());
    std::vector<PathClass> nearest(node.facts.gpus.size(), PathClass::unknown);
    EXPECT_EQ(node.facts.gpus.size(), kind.gpus);
    for (const NicEntry& nic : node.nics) {
      EXPECT_EQ(nic.rail >= 0, nic.role == NicRole::compute);
      if (nic.rail < 0) continue;
      by_rail.at(static_cast<std::size_t>(nic.rail)) = nic.device;
      for (std::size_t g = 0; g < nearest.size(); ++g) nearest[g] = std::min(nearest[g], nic.gpu_paths[g]);
    }
    EXPECT_EQ(by_rail, kind.compute);
    for (const PathClass p : nearest) EXPECT_EQ(p, kind.nearest);
    EXPECT_TRUE(node.holes.empty());
  }
  const auto found = placement_findings(inventory);
  EXPECT_TRUE(found.empty()) << text(found);
}

TEST_P(Kinds, missing_card_is_one_finding_and_moves_no_other_rail) {
  const NodeKind& kind = GetParam();
  FakeNode changed = kind.node;
  const std::string gone = kind.compute.at(1);
  const FakeDevice card = device(changed, gone);
  std::erase_if(changed.devices,
                [&](const FakeDevice& d) { return d.complex == card.complex && d.ports == card.ports; });
  const Fleet fleet = testing::fleet(kind.node, 8, &changed, {3});
  const Inventory inventory = testing::inventory_of(fleet);
  const auto found = placement_findings(inventory);
  ASSERT_EQ(found.size(), 1U) << text(found);
  EXPECT_EQ(found[0].code, "nic.missing");
  EXPECT_EQ(found[0].where.node, "n003");
  EXPECT_EQ(inventory.classes.size(), 1U);
  for (const NicEntry& nic : inventory.nodes[3].nics) {
    if (nic.rail >= 0) {
      EXPECT_EQ(nic.device, kind.compute.at(static_cast<std::size_t>(nic.rail)));
    }
  }
}

TEST_P(Kinds, card_moved_to_the_other_socket_is_one_finding_that_names_both_places) {
  const NodeKind& kind = GetParam();
  FakeNode changed = kind.node;
  const std::string name = kind.compute.at(0);
  const int last = kind.name == "cpu_only" ? 1 : static_cast<int>(changed.numa_of_complex.size()) - 1;
  if (changed.numa_of_complex[static_cast<std::size_t>(last)] == 0)
    changed.numa_of_complex[static_cast<std::size_t>(last)] = 1;
  for_card(changed, name, [&](FakeDevice& d) {
    if (d.part == Part::gpu) return;
    d.complex = last;
    d.ports = {20};
  });
  const auto found = findings_with(kind, changed);
  ASSERT_EQ(found.size(), 1U) << text(found);
  EXPECT_EQ(found[0].code, "nic.misplaced");
  EXPECT_EQ(found[0].where.node, "n003");
  EXPECT_EQ(found[0].where.nic, name);
  EXPECT_NE(found[0].evidence.at(0).find(fmt::format("root{}/20.0", last)), std::string::npos) << text(found);
  EXPECT_NE(found[0].evidence.at(0).find("root0/"), std::string::npos) << text(found);
}

TEST_P(Kinds, half_width_on_one_node_is_one_finding_with_three_numbers) {
  const NodeKind& kind = GetParam();
  FakeNode changed = kind.node;
  for_card(changed, kind.compute.at(0), [](FakeDevice& d) { d.width = 8; });
  const auto found = findings_with(kind, changed);
  ASSERT_EQ(found.size(), 1U) << text(found);
  EXPECT_EQ(found[0].code, "pcie.degraded");
  EXPECT_EQ(found[0].scope, kind.name == "dual_port" ? Scope::link : Scope::endpoint);
  EXPECT_EQ(found[0].where.node, "n003");
  ASSERT_TRUE(found[0].measured && found[0].expected && found[0].explained_by);
  EXPECT_DOUBLE_EQ(found[0].expected->value, 2 * found[0].measured->value);
  EXPECT_LT(found[0].explained_by->value, found[0].measured->value);
}

TEST_P(Kinds, half_width_on_five_of_eight_nodes_is_one_finding_of_the_fleet) {
  const NodeKind& kind = GetParam();
  FakeNode changed = kind.node;
  for_card(changed, kind.compute.at(0), [](FakeDevice& d) { d.width = 8; });
  const auto found = findings_with(kind, changed, 5);
  ASSERT_EQ(found.size(), 1U) << text(found);
  EXPECT_EQ(found[0].code, "pcie.degraded");
  EXPECT_EQ(found[0].scope, Scope::fleet);
  EXPECT_EQ(found[0].severity, Severity::major);
  EXPECT_EQ(found[0].evidence.size(), 5U);
}

TEST_P(Kinds, odd_order_of_names_and_ports_is_silent) {
  const NodeKind& kind = GetParam();
  FakeNode changed = kind.node;
  for (FakeDevice& d : changed.devices) {
    // Names count backwards, and the ports of each switch are used from the other end.
    const auto at = std::find(kind.compute.begin(), kind.compute.end(), d.name);
    if (at != kind.compute.end())
      d.name = kind.compute[kind.compute.size() - 1 - static_cast<std::size_t>(at - kind.compute.begin())];
    if (d.ports.size() > 1) d.ports.back() = 31 - d.ports.back();
  }
  const auto found = findings_with(kind, changed);
  EXPECT_TRUE(found.empty()) << text(found);
}

TEST_P(Kinds, exchanged_cables_of_two_rails_are_one_finding) {
  const NodeKind& kind = GetParam();
  Fleet fleet = testing::fleet(kind.node, 8);
  const auto guid = [&](const std::string& name) {
    for (const NicFacts& n : fleet.facts[3].nics) {
      if (n.device == name) return n.guid;
    }
    return std::string();
  };
  for (SwitchPort& p : fleet.ports) {
    const std::string a = kind.compute.at(0);
    const std::string b = kind.compute.at(1);
    if (p.mac == guid(a)) p.leaf = "leaf of " + b;
    if (p.mac == guid(b)) p.leaf = "leaf of " + a;
  }
  const auto found = placement_findings(testing::inventory_of(fleet, {}, true));
  ASSERT_EQ(found.size(), 1U) << text(found);
  EXPECT_EQ(found[0].code, "cable.swapped");
  EXPECT_EQ(found[0].where.node, "n003");
  for (const std::string& part :
       {kind.compute[0], kind.compute[1], "leaf of " + kind.compute[0], "leaf of " + kind.compute[1]}) {
    EXPECT_NE(found[0].title.find(part), std::string::npos) << part << " in " << found[0].title;
  }
}

TEST(Placement, compute_and_storage_card_in_each_others_place_are_one_swap) {
  for (const std::string name : {"hgx_h100", "b300", "gb200"}) {
    const NodeKind& kind = testing::node_kind(name);
    FakeNode changed = kind.node;
    FakeDevice& compute = device(changed, "mlx5_2");
    FakeDevice& storage = device(changed, name == "gb200" ? "mlx5_4" : "mlx5_8");
    std::swap(compute.complex, storage.complex);
    std::swap(compute.ports, storage.ports);
    const auto found = findings_with(kind, changed);
    ASSERT_EQ(found.size(), 1U) << name << "\n" << text(found);
    EXPECT_EQ(found[0].code, "nic.swapped");
    EXPECT_EQ(found[0].where.nic, "mlx5_2, " + storage.name);
  }
}

TEST(Placement, cable_exchanged_between_two_nodes_is_one_finding_with_both) {
  Fleet fleet = testing::fleet(testing::node_kind("hgx_h100").node, 8);
  // Nodes 0-3 and 4-7 are two units with leaves of their own.
  for (std::size_t i = 0; i < fleet.ports.size(); ++i) {
    fleet.ports[i].leaf += i < fleet.ports.size() / 2 ? " unit 0" : " unit 1";
  }
  const auto quiet = placement_findings(testing::inventory_of(fleet, {}, true));
  EXPECT_TRUE(quiet.empty()) << text(quiet);
  const std::size_t per_node = fleet.ports.size() / 8;
  std::swap(fleet.ports[2].leaf, fleet.ports[5 * per_node + 2].leaf);
  const auto found = placement_findings(testing::inventory_of(fleet, {}, true));
  ASSERT_EQ(found.size(), 1U) << text(found);
  EXPECT_NE(found[0].title.find("n000"), std::string::npos) << text(found);
  EXPECT_NE(found[0].title.find("n005"), std::string::npos) << text(found);
}

}  // namespace
}  // namespace railgauge
