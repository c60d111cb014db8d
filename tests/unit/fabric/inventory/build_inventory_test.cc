#include "fabric/inventory/build_inventory.h"

#include <gtest/gtest.h>

#include "fabric/diagnose/placement.h"
#include "proto/json.h"
#include "tests/unit/fabric/inventory/fleet.h"

namespace railgauge {
namespace {

using testing::Fleet;
using testing::inventory_of;
using testing::lab;

Site lab_site() {
  Site site;
  site.software_links = true;
  site.rates = {{{}, {}, 400e6, 1448.0 / 1514.0}};
  return site;
}

const NicEntry& nic(const Inventory& inventory, std::size_t node, const std::string& device) {
  for (const NicEntry& n : inventory.nodes.at(node).nics) {
    if (n.device == device) return n;
  }
  ADD_FAILURE() << device;
  return inventory.nodes.at(node).nics.front();
}

Error error_of(const Fleet& fleet, const Site& site = {}) {
  const auto built = build_inventory(fleet.hosts, fleet.facts, {}, site, {});
  EXPECT_FALSE(built.has_value());
  return built ? Error{} : built.error();
}

TEST(Lab, rail_is_the_number_of_the_interface) {
  const Inventory inventory =
      inventory_of(lab({{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}), lab_site());
  ASSERT_EQ(inventory.classes.size(), 1U);
  EXPECT_EQ(inventory.classes[0].rails.size(), 4U);
  EXPECT_EQ(inventory.classes[0].name, "no GPUs, 4 x 400 Mbit/s");
  EXPECT_EQ(nic(inventory, 2, "rail3").rail, 3);
  EXPECT_EQ(nic(inventory, 2, "rail3").role, NicRole::compute);
  EXPECT_EQ(nic(inventory, 2, "mgmt0").role, NicRole::management);
  EXPECT_EQ(nic(inventory, 2, "mgmt0").rail, -1);
  EXPECT_TRUE(placement_findings(inventory).empty());
  EXPECT_NE(inventory.order_choice.find("Topology unknown"), std::string::npos);
}

TEST(Lab, missing_interface_is_a_hole_and_one_finding) {
  const Inventory inventory =
      inventory_of(lab({{0, 1, 2, 3}, {0, 1, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}), lab_site());
  ASSERT_EQ(inventory.classes.size(), 1U);
  ASSERT_EQ(inventory.nodes[1].holes.size(), 1U);
  EXPECT_EQ(inventory.nodes[1].holes[0].rail, 2);
  EXPECT_EQ(inventory.nodes[1].holes[0].expected_device, "rail2");
  EXPECT_EQ(nic(inventory, 1, "rail3").rail, 3);
  const auto found = placement_findings(inventory);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "nic.missing");
  EXPECT_EQ(found[0].title, "h2: rail2 is missing");
}

TEST(Lab, interface_that_is_down_is_no_hole_but_unusable) {
  Fleet fleet = lab({{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}});
  fleet.facts[2].nics[3].state = "down";
  const Inventory inventory = inventory_of(fleet, lab_site(), true);
  EXPECT_TRUE(inventory.nodes[2].holes.empty());
  EXPECT_EQ(nic(inventory, 2, "rail2").unusable, "rail2 is down");
  EXPECT_EQ(nic(inventory, 2, "rail2").rail, 2);
  const auto found = placement_findings(inventory);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "rail.down");
  EXPECT_EQ(found[0].severity, Severity::critical);
  EXPECT_EQ(found[0].where.node, "h3");
  EXPECT_EQ(found[0].where.rail, 2);
}

TEST(Lab, a_rail_down_on_most_hosts_and_a_host_with_all_rails_down_are_one_finding_each) {
  Fleet rail = lab({{0, 1}, {0, 1}, {0, 1}, {0, 1}});
  for (std::size_t h = 0; h < 3; ++h) rail.facts[h].nics[1].state = "down";
  const auto of_rail = placement_findings(inventory_of(rail, lab_site()));
  ASSERT_EQ(of_rail.size(), 1U);
  EXPECT_EQ(of_rail[0].scope, Scope::rail);
  Fleet host = lab({{0, 1}, {0, 1}, {0, 1}, {0, 1}});
  for (std::size_t i = 1; i < 3; ++i) host.facts[0].nics[i].state = "down";
  const auto of_host = placement_findings(inventory_of(host, lab_site()));
  ASSERT_EQ(of_host.size(), 1U);
  EXPECT_EQ(of_host[0].scope, Scope::node);
}

TEST(Lab, two_kinds_of_hosts_are_two_classes_and_silent) {
  Site site = lab_site();
  site.rates = {{{"h1", "h2"}, {}, 200e6, 1}, {{"h3", "h4"}, {}, 100e6, 1}};
  const Inventory inventory = inventory_of(lab({{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1}, {0, 1}}), site, true);
  ASSERT_EQ(inventory.classes.size(), 2U);
  EXPECT_EQ(inventory.classes[1].name, "no GPUs, 2 x 100 Mbit/s");
  EXPECT_TRUE(placement_findings(inventory).empty());
}

TEST(Lab, single_host_of_another_rate_is_a_class_of_its_own) {
  Site site = lab_site();
  site.rates = {{{}, {}, 200e6, 1}, {{"h4"}, {}, 100e6, 1}};
  const Inventory inventory = inventory_of(lab({{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1}}), site);
  EXPECT_EQ(inventory.classes.size(), 2U);
  EXPECT_TRUE(placement_findings(inventory).empty());
}

TEST(Lab, swapped_pair_is_one_finding_with_both_interfaces_and_bridges) {
  for (const std::size_t rails : {2U, 4U}) {
    std::vector<int> all;
    for (std::size_t r = 0; r < rails; ++r) all.push_back(static_cast<int>(r));
    Fleet fleet = lab({all, all, all, all});
    const std::size_t a = 2 * rails + rails - 2;  // last two rails of h3
    std::swap(fleet.ports[a].leaf, fleet.ports[a + 1].leaf);
    const auto found = placement_findings(inventory_of(fleet, lab_site(), true));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "cable.swapped");
    EXPECT_EQ(found[0].where.node, "h3");
    EXPECT_NE(found[0].title.find("br-rail" + std::to_string(rails - 1)), std::string::npos);
    EXPECT_NE(found[0].title.find("br-rail" + std::to_string(rails - 2)), std::string::npos);
  }
}

TEST(Inventory, a_class_of_one_node_without_any_NIC_is_no_finding) {
  const Inventory inventory = inventory_of(lab({{}, {}}), lab_site());
  EXPECT_TRUE(placement_findings(inventory).empty());
  EXPECT_NE(inventory.compute_choice.find("none"), std::string::npos);
}

TEST(Inventory, one_machine_under_two_names_names_both) {
  Fleet fleet = lab({{0}, {0}, {0}});
  fleet.facts[2].machine_id = fleet.facts[0].machine_id;
  const Error error = error_of(fleet);
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_NE(error.message.find("h1 and h3 are one machine"), std::string::npos) << error.message;
}

TEST(Inventory, a_node_that_answers_twice_or_that_nobody_listed_is_an_error) {
  Fleet twice = lab({{0}, {0}});
  twice.facts.push_back(twice.facts[0]);
  EXPECT_NE(error_of(twice).message.find("h1 answered twice"), std::string::npos);
  Fleet stranger = lab({{0}, {0}});
  stranger.facts[1].node = "x9";
  EXPECT_NE(error_of(stranger).message.find("x9"), std::string::npos);
}

TEST(Inventory, site_may_name_compute_NICs_and_their_order_but_not_unknown_ones) {
  Site site = lab_site();
  site.rail_order = {"rail2", "rail0"};
  const Inventory inventory = inventory_of(lab({{0, 1, 2}, {0, 1, 2}}), site);
  EXPECT_EQ(nic(inventory, 0, "rail2").rail, 0);
  EXPECT_EQ(nic(inventory, 0, "rail0").rail, 1);
  EXPECT_EQ(nic(inventory, 0, "rail1").rail, -1);
  site.rail_order = {"rail7"};
  EXPECT_NE(error_of(lab({{0}, {0}}), site).message.find("rail7"), std::string::npos);
}

TEST(Inventory, silent_node_stays_in_place_with_its_reason) {
  Fleet fleet = lab({{0}, {0}, {0}});
  fleet.facts.erase(fleet.facts.begin() + 1);
  const auto built = build_inventory(fleet.hosts, fleet.facts, {{"h2", "no answer in 10 s"}}, lab_site(), {});
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ(built->nodes[1].silent, "no answer in 10 s");
  EXPECT_EQ(built->nodes[1].node_class, -1);
  EXPECT_EQ(built->classes.at(0).nodes.size(), 2U);
}

TEST(Inventory, trained_rate_and_mtu_never_split_a_class) {
  Fleet fleet = testing::fleet(testing::node_kind("hgx_h100").node, 3);
  fleet.facts[1].nics[2].rate_bits_per_second = 200e9;
  fleet.facts[1].nics[2].mtu = 2048;
  EXPECT_EQ(inventory_of(fleet).classes.size(), 1U);
}

TEST(Inventory, second_ports_that_are_down_everywhere_are_no_rails) {
  testing::FakeNode node = testing::node_kind("dual_port").node;
  for (testing::FakeDevice& d : node.devices) {
    if (d.function == 1) d.up = false;
  }
  const Inventory inventory = inventory_of(testing::fleet(node, 4));
  EXPECT_EQ(inventory.classes.at(0).rails.size(), 4U);
  EXPECT_FALSE(inventory.warnings.empty());
  EXPECT_TRUE(placement_findings(inventory).empty());
}

TEST(Inventory, json_reads_back_to_the_same_text) {
  const Inventory inventory = inventory_of(testing::fleet(testing::node_kind("bonded").node, 2), {}, true);
  const std::string text = to_json(inventory);
  const auto back = from_json<Inventory>(text);
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(to_json(*back), text);
}

}  // namespace
}  // namespace railgauge
