// A node's layout: what sits in which place, without anything that is the node's own or that training
// decides.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/inventory/inventory.h"
#include "fabric/inventory/site.h"

namespace railgauge {

struct LayoutNic {
  std::string slot;
  int port = 1;
  NicKind kind = NicKind::physical;
  std::string model;
  std::string link_layer;      // "" fits any: a function without a driver does not say
  std::optional<double> rate;  // what it should reach, where that is stated: site rule or the port's maximum
  bool pci = false;
  std::size_t index = 0;         // in NodeFacts::nics
  std::vector<PathClass> paths;  // one per GPU, GPUs in slot order
};

struct Layout {
  std::vector<std::string> gpu_slots;   // sorted
  std::vector<std::string> gpu_models;  // sorted
  std::vector<LayoutNic> nics;  // in the order of facts.nics; only NICs that can have a role of their own
  std::string hash;             // 16 hex digits; equal layouts, equal hash
};

// Rate that the site states for this NIC; the last rule that matches wins, so that an exception follows its
// rule. Empty: no rule matches.
std::optional<double> site_rate(const Site& site, std::string_view node, std::string_view device);

// rail of a lab interface ("rail12" -> 12); -1 for any other name.
int rail_of_name(std::string_view interface);

Layout layout_of(const NodeFacts& facts, const Site& site);

// How a node sits in a class. reference[i]: which NIC of the class's layout is layout.nics[i]; -1: an extra
// one.
struct Fit {
  std::vector<int> reference;
  int moved = 0;  // NICs that are not in the class's slot
  int holes = 0;  // NICs of the class that this node lacks
  int extra = 0;
};

// Does `layout` belong to the class of `reference`, with holes? Empty: no. strict: every NIC must sit in its
// slot. Not strict: NICs may sit in another slot than the class's (a misplaced card), GPUs may be one fewer.
std::optional<Fit> fit(const Layout& layout, const Layout& reference, bool strict);

}  // namespace railgauge
