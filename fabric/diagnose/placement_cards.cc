#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "fabric/diagnose/placement_parts.h"
#include "fabric/inventory/majority.h"

namespace railgauge::placement {
namespace {

using Paths = std::vector<PathClass>;

// What the class has on one rail, and where each of its GPUs is near which NIC.
struct ClassMap {
  std::map<int, Paths> paths;  // rail -> path to each GPU, GPUs in address order, as most members have it
  std::map<int, std::string> model;  // rail -> NIC model
  std::map<int, std::string> address;
  Paths best_of_gpu;  // best path of each GPU to any compute NIC
  std::size_t gpus = 0;
};

Paths best_of_gpus(const NodeEntry& node) {
  Paths best(node.facts.gpus.size(), PathClass::unknown);
  for (const NicEntry& nic : node.nics) {
    if (nic.rail < 0) continue;
    for (std::size_t g = 0; g < nic.gpu_paths.size(); ++g) best[g] = std::min(best[g], nic.gpu_paths[g]);
  }
  return best;
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
  std::map<int, std::vector<std::string>> models;
  std::map<int, std::vector<std::string>> addresses;
  std::vector<Paths> best;
  std::vector<std::size_t> gpus;
  for (const NodeEntry* n : members) {
    gpus.push_back(n->facts.gpus.size());
    if (n->holes.empty()) best.push_back(best_of_gpus(*n));
    for (std::size_t i = 0; i < n->nics.size(); ++i) {
      if (n->nics[i].rail < 0) continue;
      paths[n->nics[i].rail].push_back(n->nics[i].gpu_paths);
      models[n->nics[i].rail].push_back(n->facts.nics[i].model);
      const std::vector<PciFunction>& path = n->facts.nics[i].place.path;
      addresses[n->nics[i].rail].push_back(path.empty() ? "" : path.back().address);
    }
  }
  for (const auto& [rail, p] : paths) map.paths[rail] = majority(p);
  for (const auto& [rail, m] : models) map.model[rail] = majority(m);
  for (const auto& [rail, a] : addresses) map.address[rail] = majority(a);
  map.best_of_gpu = majority(best);
  map.gpus = majority(gpus);
  return map;
}

template <class T>
std::vector<T> sorted(std::vector<T> v) {
  std::sort(v.begin(), v.end());
  return v;
}

void missing(const NodeEntry& node, const NodeClass& of, const ClassMap& map, std::vector<Finding>& out) {
  for (const Hole& hole : node.holes) {
    Finding f;
    f.code = "nic.missing";
    f.severity = Severity::critical;
    f.scope = Scope::endpoint;
    f.where.node = node.id;
    f.where.rail = hole.rail;
    f.where.nic = hole.expected_device;
    f.title = fmt::format("{}: {} is missing", node.id, rail_text(hole.rail, hole.expected_device));
    const auto slot = std::find_if(of.rails.begin(), of.rails.end(),
                                   [&](const RailSlot& r) { return r.rail == hole.rail; });
    const std::string place = slot == of.rails.end() ? "" : slot->slot;
    f.evidence.push_back(fmt::format("{} has no NIC at {}; {} of {} nodes of its class ({}) have one",
                                     node.id, place, of.nodes.size() - 1, of.nodes.size(), of.name));
    const bool pci = map.address.contains(hole.rail) && !map.address.at(hole.rail).empty();
    if (pci) {
      f.causes = {{"the card is dead, not seated, or fell off the bus", "likely"},
                  {"its slot is switched off in the BIOS", "possible"}};
      f.actions.push_back(
          {fmt::format("Look for the card on {}; if it is absent, reseat or replace it", node.id),
           fmt::format("lspci -s {}", map.address.at(hole.rail))});
      f.actions.push_back({"See whether the kernel lost it", "dmesg | grep -i -e pcie -e mlx5"});
    } else {
      f.causes = {{"the interface was never created or was removed", "likely"}};
      f.actions.push_back({fmt::format("Look for the interface on {}", node.id),
                           fmt::format("ip link show {}", hole.expected_device)});
    }
    out.push_back(std::move(f));
  }
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

// A node is as good as its class when each GPU still has a NIC as near as the class's, and each NIC a GPU as
// near.
bool harmless(const NodeEntry& node, const ClassMap& map) {
  if (!node.holes.empty() || node.facts.gpus.size() != map.gpus) return false;
  if (sorted(best_of_gpus(node)) != sorted(map.best_of_gpu)) return false;
  std::vector<Paths> here;
  std::vector<Paths> wanted;
  for (const NicEntry& nic : node.nics) {
    if (nic.rail >= 0) here.push_back(sorted(nic.gpu_paths));
  }
  for (const auto& [rail, paths] : map.paths) wanted.push_back(sorted(paths));
  return sorted(here) == sorted(wanted);
}

void moved(const NodeEntry& node, const NodeClass& of, const ClassMap& map, std::vector<Finding>& out) {
  if (harmless(node, map)) return;
  for (const RailSlot& rail : of.rails) {
    const NicFacts* nic = facts_of(node, rail.rail);
    if (nic == nullptr || nic->place.path.empty() || nic->place.slot == rail.slot) continue;
    const Moved m{nic, rail.rail, rail.slot};
    // Does a card of another kind sit in this one's place?
    const NicFacts* other = nullptr;
    for (const NicFacts& n : node.facts.nics) {
      if (&n != nic && n.place.slot == rail.slot && n.model != nic->model) other = &n;
    }
    const auto index = static_cast<std::size_t>(nic - node.facts.nics.data());
    const auto wanted = map.paths.find(rail.rail);
    const bool alike =
        wanted != map.paths.end() && sorted(node.nics[index].gpu_paths) == sorted(wanted->second);
    if (other != nullptr) {
      out.push_back(swapped(node, m, rail_text(rail.rail, ""), *other));
    } else if (!alike && wanted != map.paths.end()) {
      out.push_back(misplaced(node, m, map));
    }
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
