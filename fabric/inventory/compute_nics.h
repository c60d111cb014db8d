// Which places of a class's layout are compute NICs, and which rail each has.
#pragma once

#include <string>
#include <vector>

#include "fabric/inventory/inventory.h"
#include "fabric/inventory/layout.h"
#include "fabric/inventory/site.h"

namespace railgauge {

// One place of the class's layout with what its members have there.
struct ClassPlace {
  LayoutNic nic;
  std::string device;  // what most members call it
  std::string interface;
  bool rdma = false;
  bool always_down = false;  // on every member
  double rate = 0;           // stated rate, else what most members trained to; 0 unknown
};

struct RoleChoice {
  std::vector<NicRole> roles;  // one per place
  std::vector<int> rails;      // one per place; -1: none
  std::string why;             // "4 x 400 Gbit/s InfiniBand, the most common with a GPU at PIX or PXB"
  std::vector<std::string> warnings;
};

// Rules, first that applies: NICs that the site names; interfaces named rail<k>; the most common (rate, link
// layer) that has a GPU at PIX or PXB; all of the most common rate. RDMA devices before plain interfaces.
// Rails follow the site's rail_order, the interface's number, else the order of slots. No candidates: no
// roles, said in `why`.
RoleChoice choose_roles(const std::vector<ClassPlace>& places, const Site& site);

}  // namespace railgauge
