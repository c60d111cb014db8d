#include "fabric/inventory/build_inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fabric/inventory/compute_nics.h"
#include "fabric/inventory/layout.h"
#include "fabric/inventory/majority.h"
#include "fabric/inventory/node_classes.h"
#include "fabric/inventory/path_class.h"
#include "proto/units.h"

namespace railgauge {
namespace {

// Hex digits only, lower case: "aa:BB" and "0xaabb" name the same port.
std::string bare(std::string_view guid) {
  if (guid.starts_with("0x") || guid.starts_with("0X")) guid.remove_prefix(2);
  std::string out;
  for (const char c : guid) {
    if (c >= 'A' && c <= 'F') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')) out += c;
  }
  return out;
}

Result<void> check_names(const std::vector<std::string>& hosts, const std::vector<NodeFacts>& facts) {
  std::set<std::string> known;
  for (const std::string& h : hosts) {
    if (!known.insert(h).second)
      return fail(ErrorKind::input, fmt::format("host {} is listed twice: remove one", h));
  }
  std::set<std::string> answered;
  std::map<std::string, std::string> machines;
  for (const NodeFacts& f : facts) {
    if (!known.contains(f.node)) {
      return fail(ErrorKind::input,
                  fmt::format("an answer came from {}, which is not in the host list", f.node));
    }
    if (!answered.insert(f.node).second) {
      return fail(ErrorKind::input, fmt::format("{} answered twice: two probes run under one name", f.node));
    }
    if (f.machine_id.empty()) continue;
    const auto [other, fresh] = machines.emplace(f.machine_id, f.node);
    if (!fresh) {
      return fail(ErrorKind::input,
                  fmt::format("{} and {} are one machine (same machine id): remove one name from the "
                              "host list, or give cloned images their own /etc/machine-id",
                              other->second, f.node));
    }
  }
  return {};
}

Result<void> check_site(const Site& site, const std::vector<NodeFacts>& facts) {
  for (const auto& [key, names] :
       {std::pair{"compute_nics", &site.compute_nics}, {"rail_order", &site.rail_order}}) {
    for (const std::string& name : *names) {
      const bool there = std::any_of(facts.begin(), facts.end(), [&](const NodeFacts& f) {
        return std::any_of(f.nics.begin(), f.nics.end(),
                           [&](const NicFacts& n) { return n.device == name || n.interface == name; });
      });
      if (!there && !facts.empty()) {
        return fail(ErrorKind::input, fmt::format("site file: {}: no node has a NIC named {}", key, name));
      }
    }
  }
  return {};
}

std::string why_unusable(const NicFacts& nic) {
  if (nic.state != "down") return "";
  if (nic.driver.empty() && nic.device == (nic.place.path.empty() ? "" : nic.place.path.back().address)) {
    return nic.device + " has no driver";
  }
  return nic.port > 1 ? fmt::format("{} port {} is down", nic.device, nic.port) : nic.device + " is down";
}

NicEntry plain_entry(const NodeFacts& facts, const NicFacts& nic,
                     const std::map<std::string, std::string>& leaf_of) {
  NicEntry e;
  e.device = nic.device;
  e.port = nic.port;
  if (nic.device.starts_with("mgmt")) e.role = NicRole::management;
  const auto leaf = leaf_of.find(bare(nic.guid));
  if (leaf != leaf_of.end() && !nic.guid.empty()) e.leaf = leaf->second;
  for (const GpuFacts& g : facts.gpus) e.gpu_paths.push_back(path_class(g.place, nic.place));
  e.unusable = why_unusable(nic);
  return e;
}

std::string name_of(const Layout& layout, const std::vector<ClassPlace>& places, const RoleChoice& roles) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (roles.roles[i] == NicRole::compute) rates.push_back(places[i].rate);
  }
  std::string name = layout.gpu_slots.empty() ? "no GPUs" : fmt::format("{} GPUs", layout.gpu_slots.size());
  if (rates.empty()) return name + ", no compute NICs";
  const double rate = majority(rates);
  return name + fmt::format(", {} x {}", rates.size(),
                            rate > 0 ? to_text(BitRate::bits_per_second(rate)) : "unknown rate");
}

// Roles, rails and holes of every member of a class.
void give_roles(Inventory& inventory, const ClassDraft& draft, const std::vector<Layout>& layouts,
                const Site& site) {
  const Layout& reference = layouts[draft.members.front().node];
  std::vector<ClassPlace> places = class_places(inventory, draft, layouts);
  RoleChoice roles = choose_roles(places, site);
  NodeClass c;
  c.name = name_of(reference, places, roles);
  std::map<int, RailSlot> rails;
  for (std::size_t r = 0; r < places.size(); ++r) {
    if (roles.rails[r] >= 0) rails[roles.rails[r]] = {roles.rails[r], places[r].nic.slot, ""};
  }
  std::map<int, std::vector<std::string>> leaves;
  for (const ClassMember& m : draft.members) {
    NodeEntry& node = inventory.nodes[m.node];
    node.node_class = static_cast<int>(inventory.classes.size());
    c.nodes.push_back(node.id);
    std::vector<bool> filled(places.size(), false);
    for (std::size_t i = 0; i < m.fit.reference.size(); ++i) {
      if (m.fit.reference[i] < 0) continue;
      const auto r = static_cast<std::size_t>(m.fit.reference[i]);
      NicEntry& nic = node.nics[layouts[m.node].nics[i].index];
      nic.role = roles.roles[r];
      nic.rail = roles.rails[r];
      filled[r] = true;
      if (nic.rail >= 0 && !nic.leaf.empty()) leaves[nic.rail].push_back(nic.leaf);
    }
    for (std::size_t r = 0; r < places.size(); ++r) {
      if (filled[r]) continue;
      if (roles.rails[r] >= 0) {
        node.holes.push_back({roles.rails[r], places[r].device});
      } else {
        inventory.warnings.push_back(fmt::format("{} lacks {} ({}), which its class has at {}", node.id,
                                                 places[r].device, to_text(roles.roles[r]),
                                                 places[r].nic.slot));
      }
    }
    std::sort(node.holes.begin(), node.holes.end(),
              [](const Hole& a, const Hole& b) { return a.rail < b.rail; });
  }
  for (auto& [number, rail] : rails) {
    if (leaves.contains(number)) rail.leaf = majority(leaves[number]);
    c.rails.push_back(rail);
  }
  inventory.compute_choice +=
      fmt::format("{}{}: {}", inventory.compute_choice.empty() ? "Compute NICs: " : "; ", c.name, roles.why);
  for (std::string& w : roles.warnings) inventory.warnings.push_back(c.name + ": " + w);
  inventory.classes.push_back(std::move(c));
}

}  // namespace

Result<Inventory> build_inventory(const std::vector<std::string>& hosts, std::vector<NodeFacts> facts,
                                  const std::vector<Unanswered>& silent, const Site& site,
                                  const std::vector<SwitchPort>& switch_ports) {
  if (auto ok = check_names(hosts, facts); !ok) return tl::make_unexpected(ok.error());
  if (auto ok = check_site(site, facts); !ok) return tl::make_unexpected(ok.error());
  std::map<std::string, std::string> leaf_of;
  for (const SwitchPort& p : switch_ports) leaf_of[bare(p.mac)] = p.leaf;
  std::map<std::string, NodeFacts*> by_name;
  for (NodeFacts& f : facts) by_name[f.node] = &f;

  Inventory inventory;
  std::vector<Layout> layouts(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    NodeEntry node;
    node.id = hosts[i];
    if (const auto found = by_name.find(hosts[i]); found != by_name.end()) {
      node.facts = std::move(*found->second);
      std::sort(node.facts.gpus.begin(), node.facts.gpus.end(),
                [](const GpuFacts& a, const GpuFacts& b) { return a.address < b.address; });
      layouts[i] = layout_of(node.facts, site);
      node.layout = layouts[i].hash;
      for (const NicFacts& nic : node.facts.nics) node.nics.push_back(plain_entry(node.facts, nic, leaf_of));
    } else {
      node.silent = "no answer";
      for (const Unanswered& u : silent) {
        if (u.node == hosts[i]) node.silent = u.reason;
      }
      node.facts.node = hosts[i];
    }
    inventory.nodes.push_back(std::move(node));
  }
  for (const ClassDraft& draft : group_layouts(inventory, layouts))
    give_roles(inventory, draft, layouts, site);
  if (inventory.compute_choice.empty()) inventory.compute_choice = "Compute NICs: none, no node answered";
  inventory.order_choice = switch_ports.empty()
                               ? "Topology unknown: ranks are ordered by the natural order of host names"
                               : "Ranks are ordered by leaf switch, then by the natural order of host names";
  return inventory;
}

}  // namespace railgauge
