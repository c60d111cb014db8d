#include "tests/unit/fabric/inventory/fleet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace railgauge::testing {

Fleet fleet(const FakeNode& usual, int nodes, const FakeNode* changed, const std::set<int>& at) {
  Fleet out;
  const NodeFacts healthy = facts_of(usual, "n000");
  const NodeFacts other = changed != nullptr ? facts_of(*changed, "n000") : NodeFacts{};
  for (int n = 0; n < nodes; ++n) {
    const std::string name = fmt::format("n{:03}", n);
    NodeFacts facts = at.contains(n) ? other : healthy;
    facts.node = name;
    facts.machine_id = "machine of " + name;
    for (NicFacts& nic : facts.nics) {
      nic.guid = fmt::format("{:04x}:{:08x}", n, std::hash<std::string>()(nic.device) & 0xffffffffU);
      out.ports.push_back({"leaf of " + nic.device, nic.guid});
    }
    out.hosts.push_back(name);
    out.facts.push_back(std::move(facts));
  }
  return out;
}

Inventory inventory_of(const Fleet& fleet, const Site& site, bool leaves) {
  Result<Inventory> built =
      build_inventory(fleet.hosts, fleet.facts, {}, site, leaves ? fleet.ports : std::vector<SwitchPort>{});
  EXPECT_TRUE(built.has_value()) << (built ? "" : built.error().message);
  return built ? std::move(*built) : Inventory{};
}

Fleet lab(const std::vector<std::vector<int>>& rails_of_host) {
  Fleet out;
  for (std::size_t h = 0; h < rails_of_host.size(); ++h) {
    NodeFacts facts;
    facts.node = fmt::format("h{}", h + 1);
    facts.machine_id = "machine of " + facts.node;
    std::vector<std::string> names = {"mgmt0"};
    for (const int r : rails_of_host[h]) names.push_back(fmt::format("rail{}", r));
    for (const std::string& name : names) {
      NicFacts nic;
      nic.device = nic.interface = nic.place.slot = name;
      nic.kind = NicKind::network_interface;
      nic.link_layer = "Ethernet";
      nic.state = "up";
      nic.guid = fmt::format("02:00:00:00:{:02x}:{:02x}", h, facts.nics.size());
      if (name != "mgmt0") out.ports.push_back({"br-" + name, nic.guid});
      facts.nics.push_back(std::move(nic));
    }
    out.hosts.push_back(facts.node);
    out.facts.push_back(std::move(facts));
  }
  return out;
}

}  // namespace railgauge::testing
