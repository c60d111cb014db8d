// Node classes: which nodes have one layout, and which single layouts belong to a larger class with holes.
#pragma once

#include <cstddef>
#include <vector>

#include "fabric/inventory/compute_nics.h"
#include "fabric/inventory/layout.h"

namespace railgauge {

struct ClassMember {
  std::size_t node = 0;  // index into Inventory::nodes
  Fit fit;               // to the layout of the first member
};

struct ClassDraft {
  std::vector<ClassMember> members;  // the first has the class's layout; the others in the order of nodes
};

// layouts: one per inventory node; nodes that never answered are left out. A layout that occurs twice or more
// is a class. One that occurs once joins the class it fits best (fewest moved and missing NICs, then most
// nodes); against a layout that also occurs once only a plain subset joins, because nobody can say which of
// two is misplaced.
std::vector<ClassDraft> group_layouts(const Inventory& inventory, const std::vector<Layout>& layouts);

// One per NIC of the class's layout.
std::vector<ClassPlace> class_places(const Inventory& inventory, const ClassDraft& draft,
                                     const std::vector<Layout>& layouts);

}  // namespace railgauge
