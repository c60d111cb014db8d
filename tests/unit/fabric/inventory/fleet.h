// Small fleets of one kind of node, with some of them perturbed.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fabric/inventory/build_inventory.h"
#include "tests/unit/fabric/inventory/node_kinds.h"

namespace railgauge::testing {

struct Fleet {
  std::vector<std::string> hosts;
  std::vector<NodeFacts> facts;
  std::vector<SwitchPort> ports;  // each NIC on the leaf of its device name, so that rails have leaves
};

// n000, n001 ... Nodes `at` are like `changed`. One probe per kind.
Fleet fleet(const FakeNode& usual, int nodes, const FakeNode* changed = nullptr,
            const std::set<int>& at = {});

// Aborts the test run where the inventory cannot be built.
Inventory inventory_of(const Fleet& fleet, const Site& site = {}, bool leaves = false);

// Lab hosts: facts of interfaces without PCI. One inner list per host: the rails it has.
Fleet lab(const std::vector<std::vector<int>>& rails_of_host);

}  // namespace railgauge::testing
