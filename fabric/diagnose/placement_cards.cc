#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "fabric/diagnose/placement_parts.h"
#include "fabric/inventory/majority.h"

namespace railgauge::placement {
namespace {

using Paths = std::vector<PathClass>;

// What the class has on each rail, as most members have it.
struct ClassMap {
  std::map<int, Paths> paths;  // path to each GPU, GPUs in address order
  std::map<int, std::optional<int>> numa;
  std::map<int, std::string> address;
  std::vector<Paths> of_nics, of_gpus;  // see shape()
};

template <class T>
std::vector<T> sorted(std::vector<T> v) {
  std::sort(v.begin(), v.end());
  return v;
}

// How near each NIC is to GPUs and each GPU to NICs, without saying which is which: equal for a node whose
// parts only stand in another order.
std::pair<std::vector<Paths>, std::vector<Paths>> shape(const NodeEntry& node) {
  std::vector<Paths> nics;
  std::vector<Paths> gpus(node.facts.gpus.size());
  for (const NicEntry& nic : node.nics) {
    if (nic.rail < 0) continue;
    nics.push_back(sorted(nic.gpu_paths));
    for (std::size_t g = 0; g < nic.gpu_paths.size(); ++g) gpus[g].push_back(nic.gpu_paths[g]);
  }
  for (Paths& p : gpus) p = sorted(p);
  return {sorted(nics), sorted(gpus)};
}

const NicFacts* facts_of(const NodeEntry& node, int rail) {
  for (std::size_t i = 0; i < node.nics.size(); ++i) {
    if (node.nics[i].rail == rail) return &node.facts.nics[i];
  }
  return nullptr;
}

ClassMap map_of(const std::vector<const NodeEntry*>& members) {
  ClassMap map;
  std::map<int, std::vector<Paths>> paths;
  std::map<int, std::vector<std::optional<int>>> numa;
  std::map<int, std::vector<std::string>> addresses;
  std::vector<std::pair<std::vector<Paths>, std::vector<Paths>>> shapes;
  for (const NodeEntry* n : members) {
    shapes.push_back(shape(*n));
    for (std::size_t i = 0; i < n->nics.size(); ++i) {
      const int rail = n->nics[i].rail;
      if (rail < 0) continue;
      const PciPlace& place = n->facts.nics[i].place;
      paths[rail].push_back(n->nics[i].gpu_paths);
      numa[rail].push_back(place.numa_node);
      addresses[rail].push_back(place.path.empty() ? "" : place.path.back().address);
    }
  }
  for (const auto& [rail, p] : paths) map.paths[rail] = majority(p);
  for (const auto& [rail, n] : numa) map.numa[rail] = majority(n);
  for (const auto& [rail, a] : addresses) map.address[rail] = majority(a);
  std::tie(map.of_nics, map.of_gpus) = majority(shapes);
  return map;
}

// The card of a slot: "root0/1.0/0.1" and "root0/1.0/0.0" are two functions of one. A name without PCI is its
// own.
std::string card(const std::string& slot) {
  return slot.substr(0, slot.find('/') == std::string::npos ? slot.npos : slot.rfind('.'));
}

Finding missing_finding(const NodeEntry& node, const NodeClass& of, const ClassMap& map,
                        const std::vector<Hole>& holes, const std::string& place) {
  Finding f;
  const Hole& hole = holes.front();
  f.code = "nic.missing";
  f.severity = Severity::critical;
  f.scope = Scope::endpoint;
  f.where.node = node.id;
  f.where.rail = hole.rail;
  f.where.nic = hole.expected_device;
  std::string what;
  for (const Hole& h : holes) what += (what.empty() ? "" : ", ") + rail_text(h.rail, h.expected_device);
  f.title = fmt::format("{}: {} {} missing", node.id, what, holes.size() == 1 ? "is" : "are");
  f.evidence.push_back(fmt::format("{} has no NIC at {}; the class ({}, {} nodes) has {} there", node.id,
                                   place, of.name, of.nodes.size(), hole.expected_device));
  const auto address = map.address.find(hole.rail);
  if (address != map.address.end() && !address->second.empty()) {
    f.causes = {{"the card is dead, not seated, or fell off the bus", "likely"},
                {"its slot is switched off in the BIOS", "possible"}};
    f.actions.push_back(
        {fmt::format("Look for the card on {}; if it is absent, reseat or replace it", node.id),
         fmt::format("lspci -s {}", address->second)});
    f.actions.push_back({"See whether the kernel lost it", "dmesg | grep -i pcie"});
  } else {
    f.causes = {{"the interface was never created or was removed", "likely"}};
    f.actions.push_back({fmt::format("Look for the interface on {}", node.id),
                         fmt::format("ip link show {}", hole.expected_device)});
  }
  return f;
}

// Holes of one card are one cause.
void missing(const NodeEntry& node, const NodeClass& of, const ClassMap& map, std::vector<Finding>& out) {
  std::map<std::string, std::vector<Hole>> by_card;
  std::map<std::string, std::string> place;
  for (const Hole& hole : node.holes) {
    const auto slot = std::find_if(of.rails.begin(), of.rails.end(),
                                   [&](const RailSlot& r) { return r.rail == hole.rail; });
    const std::string where = slot == of.rails.end() ? fmt::format("rail {}", hole.rail) : slot->slot;
    by_card[card(where)].push_back(hole);
    place.emplace(card(where), where);
  }
  for (const auto& [key, holes] : by_card) out.push_back(missing_finding(node, of, map, holes, place[key]));
}

struct Moved {
  const NicFacts* nic;
  int rail;
  std::string class_slot;
};

Finding swapped(const NodeEntry& node, const Moved& a, const std::string& a_role, const NicFacts& b) {
  Finding f;
  f.code = "nic.swapped";
  f.severity = Severity::major;
  f.scope = Scope::node;
  f.where.node = node.id;
  f.where.rail = a.rail;
  f.where.nic = a.nic->device + ", " + b.device;
  f.title = fmt::format("{}: {} and {} sit in each other's place", node.id, a.nic->device, b.device);
  f.evidence = {fmt::format("{} ({}) is at {}; its class has such a card at {} ({})", a.nic->device,
                            a.nic->model, place_text(a.nic->place), a.class_slot, a_role),
                fmt::format("{} ({}) is at {}, which is the place of {}", b.device, b.model,
                            place_text(b.place), a_role)};
  f.causes = {{"two cards were exchanged when the node was assembled or repaired", "likely"}};
  f.actions = {{"Compare with a healthy node of the class, then exchange the two cards", "ibdev2netdev -v"}};
  return f;
}

Finding misplaced(const NodeEntry& node, const Moved& m, const ClassMap& map) {
  Finding f;
  f.code = "nic.misplaced";
  f.severity = Severity::major;
  f.scope = Scope::endpoint;
  f.where.node = node.id;
  f.where.rail = m.rail;
  f.where.nic = m.nic->device;
  const Paths& wanted = map.paths.at(m.rail);
  // The GPU that the class has nearest to this rail.
  const auto nearest = std::min_element(wanted.begin(), wanted.end());
  const auto g = static_cast<std::size_t>(nearest - wanted.begin());
  std::string instead;
  for (std::size_t i = 0; i < node.nics.size(); ++i) {
    if (&node.facts.nics[i] == m.nic && g < node.nics[i].gpu_paths.size())
      instead = to_text(node.nics[i].gpu_paths[g]);
  }
  std::string gpu;
  if (nearest != wanted.end() && g < node.facts.gpus.size()) {
    gpu = node.facts.gpus[g].address;
    f.where.gpu = gpu;
  }
  f.title = fmt::format("{}: {} sits in the wrong place, far from GPU {}", node.id,
                        rail_text(m.rail, m.nic->device), gpu);
  if (gpu.empty())
    f.title = fmt::format("{}: {} sits in the wrong place", node.id, rail_text(m.rail, m.nic->device));
  f.evidence.push_back(fmt::format("{} is at {}; the others of its class have it at {}", m.nic->device,
                                   place_text(m.nic->place), m.class_slot));
  if (!gpu.empty()) {
    f.evidence.push_back(
        fmt::format("path to GPU {}: {} here, {} in the class", gpu, instead, to_text(*nearest)));
  }
  f.causes = {{"the card was put into another slot", "likely"},
              {"a riser or PCIe cable leads to another switch", "possible"}};
  f.actions = {{"See which switch the card hangs on",
                fmt::format("lspci -tv; lspci -vv -s {}", m.nic->place.path.back().address)},
               {fmt::format("Move the card to the slot of {}", m.class_slot), ""}};
  return f;
}

// Does this NIC, in another slot than the class's, lose anything by it?
bool farther(const NodeEntry& node, const NicFacts& nic, int rail, const ClassMap& map) {
  const auto index = static_cast<std::size_t>(&nic - node.facts.nics.data());
  const auto paths = map.paths.find(rail);
  if (paths != map.paths.end() && paths->second.size() == node.nics[index].gpu_paths.size() &&
      !paths->second.empty()) {
    return paths->second != node.nics[index].gpu_paths;
  }
  const auto numa = map.numa.find(rail);
  return numa != map.numa.end() && numa->second && nic.place.numa_node &&
         *numa->second != *nic.place.numa_node;
}

void moved(const NodeEntry& node, const NodeClass& of, const ClassMap& map, std::vector<Finding>& out) {
  // Odd order, but each GPU has its NIC as near as the class has: nothing is lost.
  const bool same_shape = !map.of_gpus.empty() && shape(node) == std::pair(map.of_nics, map.of_gpus);
  std::set<std::string> told;
  for (const RailSlot& rail : of.rails) {
    const NicFacts* nic = facts_of(node, rail.rail);
    if (nic == nullptr || nic->place.path.empty() || nic->place.slot == rail.slot) continue;
    // Does a card of another kind sit in this one's place?
    const NicFacts* other = nullptr;
    for (const NicFacts& n : node.facts.nics) {
      if (n.place.slot == rail.slot && n.model != nic->model && !n.model.empty()) other = &n;
    }
    if (other == nullptr && (same_shape || !farther(node, *nic, rail.rail, map))) continue;
    if (!told.insert(card(nic->place.slot)).second) continue;  // its other port said it
    const Moved m{nic, rail.rail, rail.slot};
    out.push_back(other != nullptr ? swapped(node, m, rail_text(rail.rail, ""), *other)
                                   : misplaced(node, m, map));
  }
}

}  // namespace

void cards(const Inventory& inventory, std::vector<Finding>& out) {
  for (std::size_t c = 0; c < inventory.classes.size(); ++c) {
    std::vector<const NodeEntry*> members;
    for (const NodeEntry& n : inventory.nodes) {
      if (n.node_class == static_cast<int>(c)) members.push_back(&n);
    }
    const ClassMap map = map_of(members);
    for (const NodeEntry* n : members) {
      missing(*n, inventory.classes[c], map, out);
      moved(*n, inventory.classes[c], map, out);
    }
  }
}

}  // namespace railgauge::placement
