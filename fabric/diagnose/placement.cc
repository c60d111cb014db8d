#include "fabric/diagnose/placement.h"

#include <fmt/format.h>

#include <map>

#include "fabric/diagnose/placement_parts.h"

namespace railgauge {
namespace placement {

std::string rail_text(int rail, const std::string& device) {
  if (device == fmt::format("rail{}", rail)) return device;
  return device.empty() ? fmt::format("rail {}", rail) : fmt::format("rail {} ({})", rail, device);
}

std::string place_text(const PciPlace& place) {
  if (place.path.empty()) return place.slot;
  return fmt::format("{} ({})", place.slot, place.path.back().address);
}

namespace {

struct Down {
  std::size_t node, nic;
};

Finding down_finding(const Inventory& inventory, const std::vector<Down>& where, Scope scope) {
  const NodeEntry& node = inventory.nodes[where.front().node];
  const NicEntry& nic = node.nics[where.front().nic];
  const NicFacts& facts = node.facts.nics[where.front().nic];
  Finding f;
  f.code = "rail.down";
  f.severity = Severity::critical;
  f.scope = scope;
  if (scope != Scope::rail) f.where.node = node.id;
  if (scope != Scope::node) f.where.rail = nic.rail;
  if (scope == Scope::endpoint) f.where.nic = nic.device;
  f.direction = Direction::both;
  const std::string rail = rail_text(nic.rail, nic.device);
  if (scope == Scope::endpoint) f.title = fmt::format("{}: {} is down", node.id, rail);
  if (scope == Scope::node) f.title = fmt::format("{}: all its {} rails are down", node.id, where.size());
  if (scope == Scope::rail) f.title = fmt::format("Rail {} is down on {} nodes", nic.rail, where.size());
  const bool infiniband = facts.link_layer == "InfiniBand";
  f.causes = {{scope == Scope::rail ? "the leaf switch of this rail is off, or its ports are closed"
                                    : "the port is disabled on the host",
               "possible"},
              {scope == Scope::endpoint ? "the cable is unplugged or broken, or the switch port is closed"
                                        : "the driver did not start",
               "possible"}};
  if (infiniband) f.causes.push_back({"no subnet manager has brought the port to ACTIVE", "possible"});
  for (const Down& d : where) {
    const NodeEntry& n = inventory.nodes[d.node];
    f.evidence.push_back(fmt::format("{}: {} (state read by the probe)", n.id, n.nics[d.nic].unusable));
  }
  const std::string interface = facts.interface.empty() ? facts.device : facts.interface;
  f.actions.push_back({fmt::format("See what the port says on {}", node.id),
                       infiniband ? fmt::format("ibstat {} {}", facts.device, facts.port)
                                  : fmt::format("ip link show {}", interface)});
  if (!infiniband && facts.driver.empty() && !facts.place.path.empty() && facts.interface.empty()) {
    f.actions.push_back(
        {"Check that its driver is loaded", fmt::format("lspci -k -s {}", facts.place.path.back().address)});
  } else {
    f.actions.push_back({"Check the cable and the switch port; if only the host closed it, open it again",
                         infiniband ? "" : fmt::format("ip link set {} up", interface)});
  }
  return f;
}

}  // namespace

void down(const Inventory& inventory, std::vector<Finding>& out) {
  std::map<std::pair<int, int>, std::vector<Down>> by_rail;  // class and rail
  for (std::size_t n = 0; n < inventory.nodes.size(); ++n) {
    const NodeEntry& node = inventory.nodes[n];
    std::vector<Down> dead;
    std::size_t compute = 0;
    for (std::size_t i = 0; i < node.nics.size(); ++i) {
      if (node.nics[i].rail < 0) continue;
      ++compute;
      if (!node.nics[i].unusable.empty()) dead.push_back({n, i});
    }
    if (compute > 1 && dead.size() == compute) {
      out.push_back(down_finding(inventory, dead, Scope::node));
      continue;
    }
    for (const Down& d : dead) by_rail[{node.node_class, node.nics[d.nic].rail}].push_back(d);
  }
  for (const auto& [key, dead] : by_rail) {
    const std::size_t members = inventory.classes[static_cast<std::size_t>(key.first)].nodes.size();
    if (dead.size() >= 3 && dead.size() * 2 > members) {
      out.push_back(down_finding(inventory, dead, Scope::rail));
      continue;
    }
    for (const Down& d : dead) out.push_back(down_finding(inventory, {d}, Scope::endpoint));
  }
}

}  // namespace placement

std::vector<Finding> placement_findings(const Inventory& inventory) {
  std::vector<Finding> found;
  placement::cards(inventory, found);
  placement::cables(inventory, found);
  placement::down(inventory, found);
  placement::pcie(inventory, found);
  return found;
}

}  // namespace railgauge
