#include "fabric/expect/expect.h"

#include <gtest/gtest.h>

#include "fabric/expect/explain.h"

namespace railgauge {
namespace {

NodeEntry node(const std::string& id, int node_class,
               const std::vector<std::pair<std::string, double>>& nics) {
  NodeEntry n;
  n.id = id;
  n.node_class = node_class;
  int rail = 0;
  for (const auto& [device, rate] : nics) {
    NicFacts f;
    f.device = device;
    f.interface = "ib" + std::to_string(rail);
    f.link_layer = "InfiniBand";
    f.rate_max_bits_per_second = f.rate_bits_per_second = rate;
    f.mtu = 4096;
    f.subnet = "fe80::";
    n.facts.nics.push_back(f);
    NicEntry e;
    e.device = device;
    e.role = NicRole::compute;
    e.rail = rail++;
    n.nics.push_back(e);
  }
  return n;
}

Inventory three() {
  Inventory i;
  i.nodes = {node("n10", 0, {{"mlx5_0", 400e9}, {"mlx5_1", 400e9}}),
             node("n9", 0, {{"mlx5_0", 400e9}, {"mlx5_1", 400e9}}),
             node("n2", 0, {{"mlx5_0", 400e9}, {"mlx5_1", 400e9}})};
  return i;
}

TEST(Expect, trained_rate_never_lowers_the_expectation) {
  Inventory i = three();
  i.nodes[1].facts.nics[0].rate_bits_per_second = 100e9;
  const NicExpectation e = expectation_of(i, {}, i.nodes[1], i.nodes[1].nics[0]);
  EXPECT_NEAR(e.bits_per_second, 397.5e9, 0.1e9);
  EXPECT_NE(e.from.find("class majority"), std::string::npos);
}

TEST(Expect, the_class_majority_outvotes_one_smaller_maximum) {
  Inventory i = three();
  i.nodes[1].facts.nics[0].rate_max_bits_per_second = 200e9;
  EXPECT_NEAR(expectation_of(i, {}, i.nodes[1], i.nodes[1].nics[0]).bits_per_second, 397.5e9, 0.1e9);
}

TEST(Expect, the_last_site_rule_that_matches_comes_first) {
  const Inventory i = three();
  Site site;
  site.rates = {{{}, {}, 200e9, 1}, {{"n9"}, {"mlx5_1"}, 100e9, 0.9}};
  EXPECT_DOUBLE_EQ(expectation_of(i, site, i.nodes[1], i.nodes[1].nics[1]).bits_per_second, 90e9);
  EXPECT_DOUBLE_EQ(expectation_of(i, site, i.nodes[1], i.nodes[1].nics[0]).bits_per_second, 200e9);
  EXPECT_NE(expectation_of(i, site, i.nodes[0], i.nodes[0].nics[0]).from.find("site file"),
            std::string::npos);
}

TEST(Expect, unknown_is_zero_with_a_reason) {
  Inventory i = three();
  Site site;
  site.software_links = true;
  EXPECT_EQ(expectation_of(i, site, i.nodes[0], i.nodes[0].nics[0]).bits_per_second, 0);
  for (NodeEntry& n : i.nodes) n.facts.nics[0].rate_max_bits_per_second.reset();
  const NicExpectation e = expectation_of(i, {}, i.nodes[0], i.nodes[0].nics[0]);
  EXPECT_EQ(e.bits_per_second, 0);
  EXPECT_NE(e.from.find("unknown"), std::string::npos);
}

TEST(Expect, endpoints_are_in_natural_order_and_nodes_stay_together) {
  Inventory i = three();
  i.nodes[0].nics[1].unusable = "mlx5_1 is down";
  i.nodes.push_back(node("n1", -1, {{"mlx5_0", 400e9}}));
  i.nodes.back().silent = "no answer in 10 s";
  const auto e = endpoints_of(i, {});
  ASSERT_EQ(e.size(), 5U);
  EXPECT_EQ(e[0].node, "n2");
  EXPECT_EQ(e[1].rail, 1);
  EXPECT_EQ(e[2].node, "n9");
  EXPECT_EQ(e[4].node, "n10");
  EXPECT_TRUE(endpoints_of({}, {}).empty());
}

TEST(Expect, known_leaves_come_before_names) {
  Inventory i = three();
  i.nodes[2].nics[0].leaf = "leaf9";   // n2
  i.nodes[1].nics[0].leaf = "leaf10";  // n9
  i.nodes[0].nics[0].leaf = "leaf9";   // n10
  const auto e = endpoints_of(i, {});
  EXPECT_EQ(e[0].node, "n2");
  EXPECT_EQ(e[2].node, "n10");
  EXPECT_EQ(e[4].node, "n9");
}

TEST(Expect, a_flow_is_limited_by_the_slower_end_and_unknown_by_either) {
  Endpoint a, b;
  a.node = "a";
  b.node = "b";
  a.expected_bits_per_second = 100;
  b.expected_bits_per_second = 200;
  a.expected_from = "site file";
  EXPECT_EQ(expected_of_flow(b, a).value, 100);
  EXPECT_NE(expected_of_flow(b, a).from.find("slower end, a"), std::string::npos);
  b.expected_bits_per_second = 0;
  EXPECT_EQ(expected_of_flow(a, b).value, 0);
}

TEST(Explain, the_lowest_limit_of_the_state_is_named) {
  NodeEntry n = node("n1", 0, {{"mlx5_0", 400e9}});
  EXPECT_FALSE(observed_limit(n, "mlx5_0", 1).has_value());
  EXPECT_FALSE(observed_limit(n, "mlx5_9", 1).has_value());
  PciFunction f;
  f.address = "0000:17:00.0";
  f.speed_gts = f.speed_max_gts = 32;
  f.width = 8;
  f.width_max = 16;
  n.facts.nics[0].place.path = {f};
  const auto limit = observed_limit(n, "mlx5_0", 1);
  ASSERT_TRUE(limit.has_value());
  EXPECT_NEAR(limit->bits_per_second, 205e9, 1);
  EXPECT_NE(limit->by.find("x8 at 32 GT/s at 0000:17:00.0"), std::string::npos);
  n.facts.nics[0].rate_bits_per_second = 100e9;
  EXPECT_NE(observed_limit(n, "mlx5_0", 1)->by.find("port trained to 100 Gbit/s"), std::string::npos);
}

TEST(Explain, a_small_roce_mtu_is_a_limit_and_a_large_one_none) {
  NodeEntry n = node("n1", 0, {{"mlx5_0", 400e9}});
  n.facts.nics[0].link_layer = "Ethernet";
  n.facts.nics[0].mtu = 1500;  // RDMA MTU 1024
  ASSERT_TRUE(observed_limit(n, "mlx5_0", 1).has_value());
  EXPECT_NEAR(observed_limit(n, "mlx5_0", 1)->bits_per_second, 370e9, 1e9);
  n.facts.nics[0].mtu = 9000;
  EXPECT_FALSE(observed_limit(n, "mlx5_0", 1).has_value());
}

}  // namespace
}  // namespace railgauge
