#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "fabric/diagnose/placement_parts.h"
#include "fabric/inventory/majority.h"

namespace railgauge::placement {
namespace {

struct Wrong {
  const NodeEntry* node;
  const NicEntry* nic;
  std::string expected;  // leaf that most peers have on this rail
  std::size_t votes = 0, voters = 0;
  bool told = false;
};

std::vector<std::string> leaves_of(const NodeEntry& node) {
  std::vector<std::string> leaves;
  for (const NicEntry& n : node.nics) {
    if (n.rail >= 0 && !n.leaf.empty()) leaves.push_back(n.leaf);
  }
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

// Peers of a node share at least half of its leaves, whatever rail they are on: a node of another scalable
// unit has other leaves, and an exchange within a node leaves the set as it is.
bool peers(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> shared;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
  return !a.empty() && shared.size() * 2 >= a.size();
}

std::vector<Wrong> wrong_leaves(const Inventory& inventory) {
  std::vector<std::vector<std::string>> leaves;
  for (const NodeEntry& n : inventory.nodes) leaves.push_back(leaves_of(n));
  std::vector<Wrong> wrong;
  for (std::size_t n = 0; n < inventory.nodes.size(); ++n) {
    const NodeEntry& node = inventory.nodes[n];
    std::map<int, std::vector<std::string>> on_rail;
    for (std::size_t m = 0; m < inventory.nodes.size(); ++m) {
      if (!peers(leaves[n], leaves[m])) continue;
      for (const NicEntry& nic : inventory.nodes[m].nics) {
        if (nic.rail >= 0 && !nic.leaf.empty()) on_rail[nic.rail].push_back(nic.leaf);
      }
    }
    for (const NicEntry& nic : node.nics) {
      if (nic.rail < 0 || nic.leaf.empty()) continue;
      const std::vector<std::string>& seen = on_rail[nic.rail];
      const std::string expected = majority(seen);
      const auto votes = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), expected));
      if (expected != nic.leaf && votes >= 2 && votes * 2 > seen.size()) {
        wrong.push_back({&node, &nic, expected, votes, seen.size()});
      }
    }
  }
  return wrong;
}

std::string end_text(const Wrong& w) {
  return fmt::format("{} {}", w.node->id, rail_text(w.nic->rail, w.nic->device));
}

Finding finding(const std::vector<Wrong*>& parts) {
  const Wrong& a = *parts.front();
  const Wrong& b = *parts.back();
  const bool one_node = a.node == b.node;
  Finding f;
  f.code = "cable.swapped";
  f.severity = Severity::major;
  f.scope = Scope::link;
  f.where.node = a.node->id;
  f.where.rail = a.nic->rail;
  std::string nics;
  for (const Wrong* w : parts)
    nics += (nics.empty() ? "" : ", ") + (one_node ? w->nic->device : w->node->id + " " + w->nic->device);
  f.where.nic = nics;
  f.where.link = LinkEnds{end_text(a), a.nic->leaf};
  if (parts.size() == 1) {
    f.title = fmt::format("{}: {} is plugged into {}, the others have {}", a.node->id,
                          rail_text(a.nic->rail, a.nic->device), a.nic->leaf, a.expected);
  } else if (parts.size() == 2 && one_node) {
    f.title = fmt::format("{}: the cables of {} and {} are swapped ({} and {})", a.node->id,
                          rail_text(a.nic->rail, a.nic->device), rail_text(b.nic->rail, b.nic->device),
                          a.nic->leaf, b.nic->leaf);
  } else if (parts.size() == 2) {
    f.title = fmt::format("The cables of {} and {} are swapped ({} and {})", end_text(a), end_text(b),
                          a.nic->leaf, b.nic->leaf);
  } else {
    f.title = fmt::format("{}: {} cables are plugged in a ring ({})", a.node->id, parts.size(), nics);
  }
  for (const Wrong* w : parts) {
    f.evidence.push_back(fmt::format("{} hangs on {}; {} of {} peers have this rail on {}", end_text(*w),
                                     w->nic->leaf, w->votes, w->voters, w->expected));
    f.actions.push_back({fmt::format("Plug {} into {}", end_text(*w), w->expected), ""});
  }
  f.causes = {{"cables were exchanged at the node or at the switches", "likely"},
              {"the labels of the NICs were exchanged (device names do not follow the slots)", "possible"}};
  f.actions.push_back({"Compare names with slots first", "ibdev2netdev -v"});
  if (a.nic->device.starts_with("rail"))
    f.actions.back().command = fmt::format("ip link show {}", a.nic->device);
  return f;
}

}  // namespace

void cables(const Inventory& inventory, std::vector<Finding>& out) {
  std::vector<Wrong> wrong = wrong_leaves(inventory);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    if (wrong[i].told) continue;
    // Follow who sits where this one belongs: within the node first, then between nodes, until the ring
    // closes.
    std::vector<Wrong*> ring = {&wrong[i]};
    wrong[i].told = true;
    while (ring.front()->nic->leaf != ring.back()->expected) {
      Wrong* next = nullptr;
      for (const bool same_node : {true, false}) {
        for (Wrong& w : wrong) {
          const bool fits =
              !w.told && w.nic->leaf == ring.back()->expected && (w.node == ring.back()->node) == same_node;
          // Between nodes only a plain exchange counts: chains across nodes would be guesses.
          const bool closes = same_node || w.expected == ring.front()->nic->leaf;
          if (next == nullptr && fits && closes) next = &w;
        }
      }
      if (next == nullptr) break;
      next->told = true;
      ring.push_back(next);
    }
    out.push_back(finding(ring));
  }
}

}  // namespace railgauge::placement
