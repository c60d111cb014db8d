#include "fabric/discovery/bridge_fdb.h"

#include <gtest/gtest.h>

#include <string>

namespace railgauge {
namespace {

// As `bridge -json fdb show` of iproute2 6.1 prints it.
std::string entry(const std::string& mac, const std::string& port, const std::string& bridge,
                  const std::string& state) {
  return R"({"mac":")" + mac + R"(","ifname":")" + port + R"(","flags":[],"master":")" + bridge +
         R"(","state":")" + state + R"("})";
}

TEST(BridgeFdb, learned_address_of_a_host_port_is_an_attachment) {
  const auto ports = parse_bridge_fdb("[" + entry("aa:00:00:00:00:01", "h1r0", "leaf0", "") + "]");
  ASSERT_TRUE(ports.has_value()) << ports.error().message;
  ASSERT_EQ(ports->size(), 1U);
  EXPECT_EQ(ports->at(0).leaf, "leaf0");
  EXPECT_EQ(ports->at(0).mac, "aa:00:00:00:00:01");
}

TEST(BridgeFdb, own_addresses_uplinks_spine_management_and_multicast_are_left_out) {
  const auto ports = parse_bridge_fdb(
      "[" + entry("aa:00:00:00:00:01", "h1r0", "leaf0", "permanent") + "," +
      entry("aa:00:00:00:00:02", "up0", "leaf0", "") + "," + entry("aa:00:00:00:00:03", "dn0", "spine", "") +
      "," + entry("aa:00:00:00:00:04", "h1m", "mgmt", "") + "," +
      R"({"mac":"33:33:00:00:00:01","ifname":"leaf0","flags":["self"],"state":"permanent"}])");
  ASSERT_TRUE(ports.has_value()) << ports.error().message;
  EXPECT_TRUE(ports->empty());
}

TEST(BridgeFdb, swapped_cable_shows_the_address_on_the_other_leaf_although_its_uplink_knows_it_too) {
  const auto ports = parse_bridge_fdb("[" + entry("aa:00:00:00:00:02", "h2r2", "leaf3", "") + "," +
                                      entry("aa:00:00:00:00:02", "up2", "leaf2", "") + "," +
                                      entry("aa:00:00:00:00:01", "h1r2", "leaf2", "") + "]");
  ASSERT_TRUE(ports.has_value()) << ports.error().message;
  ASSERT_EQ(ports->size(), 2U);
  EXPECT_EQ(ports->at(0).leaf, "leaf2");
  EXPECT_EQ(ports->at(1).leaf, "leaf3");
  EXPECT_EQ(ports->at(1).mac, "aa:00:00:00:00:02");
}

TEST(BridgeFdb, one_address_on_two_leaves_is_an_error_with_both) {
  const auto ports = parse_bridge_fdb("[" + entry("aa:00:00:00:00:02", "h2r2", "leaf3", "") + "," +
                                      entry("aa:00:00:00:00:02", "h2r2", "leaf2", "") + "]");
  ASSERT_FALSE(ports.has_value());
  EXPECT_NE(ports.error().message.find("leaf2"), std::string::npos);
  EXPECT_NE(ports.error().message.find("leaf3"), std::string::npos);
}

TEST(BridgeFdb, the_same_entry_for_two_vlans_counts_once) {
  const std::string e = entry("aa:00:00:00:00:02", "h2r2", "leaf2", "");
  const auto ports = parse_bridge_fdb("[" + e + "," + e + "]");
  ASSERT_TRUE(ports.has_value());
  EXPECT_EQ(ports->size(), 1U);
}

TEST(BridgeFdb, no_entries_are_no_ports) {
  const auto ports = parse_bridge_fdb("[]");
  ASSERT_TRUE(ports.has_value());
  EXPECT_TRUE(ports->empty());
}

TEST(BridgeFdb, other_text_is_an_input_error) {
  for (const char* text :
       {"", "bridge: command not found", "{}", "[1]", "[{\"mac\":1,\"ifname\":\"x\"}]", "[{\"mac\":\"a"}) {
    const auto ports = parse_bridge_fdb(text);
    ASSERT_FALSE(ports.has_value()) << text;
    EXPECT_EQ(ports.error().kind, ErrorKind::input);
    EXPECT_TRUE(ports.error().message.starts_with("bridge fdb: ")) << ports.error().message;
  }
  EXPECT_FALSE(parse_bridge_fdb(std::string(std::size_t{17} << 20U, ' ')).has_value());
}

}  // namespace
}  // namespace railgauge
