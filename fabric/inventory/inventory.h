// The fabric's parts with their roles: nodes, node classes, rails with holes, compute NICs, path classes.
// inventory.json is this struct. Built by build_inventory() (pure) from the probe's facts, the site's wishes and the switch graph.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/inventory/node_facts.h"
#include "proto/result.h"

namespace railgauge {

// Between a GPU and a NIC, best first. PIX one PCIe switch, PXB several, PHB host bridge, NODE same NUMA node, SYS other.
enum class PathClass { loc, nvlink, c2c, pix, pxb, phb, node, sys, unknown };
std::string_view to_text(PathClass path);  // "PIX"
std::span<const PathClass> all_values(PathClass);

enum class NicRole { compute, storage, management, other };
std::string_view to_text(NicRole role);
std::span<const NicRole> all_values(NicRole);

// Why a planned thing was not measured (DESIGN section 1).
enum class SkipReason { not_applicable, not_available, not_permitted, not_reached };
std::string_view to_text(SkipReason reason);
std::span<const SkipReason> all_values(SkipReason);

struct NicEntry {
  std::string device;
  int port = 1;
  NicRole role = NicRole::other;
  int rail = -1;                 // -1: no rail (not a compute NIC)
  std::string leaf;              // switch it hangs on, "" unknown
  std::vector<PathClass> gpu_paths;  // one per GPU of the node, GPUs in PCI address order
  std::string unusable;          // "" or why it cannot be measured: "rail2 is down"
};

// A place of the class's layout that is empty on this node.
struct Hole {
  int rail = -1;
  std::string expected_device;   // what the others of the class have there
};

struct NodeEntry {
  std::string id;
  std::string layout;            // content hash of the facts without the node's own (GUIDs, serials, addresses, link training)
  int node_class = -1;           // index into Inventory::classes; -1: never answered
  std::vector<NicEntry> nics;    // in the order of facts.nics
  std::vector<Hole> holes;
  std::string silent;            // "" or why this node is left out: "no answer in 10 s"
  NodeFacts facts;
};

struct RailSlot {
  int rail = 0;
  std::string slot;              // PCI slot or interface name that has this role
  std::string leaf;              // majority leaf, "" unknown
};

struct NodeClass {
  std::string name;              // "8 GPUs, 8 x 400 Gbit/s" - made from facts
  std::vector<std::string> nodes;
  std::vector<RailSlot> rails;
};

struct Inventory {
  std::vector<NodeEntry> nodes;      // in host-file order
  std::vector<NodeClass> classes;
  std::string compute_choice;        // one sentence: which NICs were chosen and why; printed
  std::string order_choice;          // how ranks are ordered, and that topology is unknown where it is
  std::vector<std::string> warnings;
};

template <class V> void describe(V& v, NicEntry& n) {
  v("device", n.device); v("port", n.port); v("role", n.role); v("rail", n.rail); v("leaf", n.leaf);
  v("gpu_paths", n.gpu_paths); v("unusable", n.unusable);
}
template <class V> void describe(V& v, Hole& h) { v("rail", h.rail); v("expected_device", h.expected_device); }
template <class V> void describe(V& v, NodeEntry& n) {
  v("id", n.id); v("layout", n.layout); v("node_class", n.node_class); v("nics", n.nics); v("holes", n.holes);
  v("silent", n.silent); v("facts", n.facts);
}
template <class V> void describe(V& v, RailSlot& r) { v("rail", r.rail); v("slot", r.slot); v("leaf", r.leaf); }
template <class V> void describe(V& v, NodeClass& c) { v("name", c.name); v("nodes", c.nodes); v("rails", c.rails); }
template <class V> void describe(V& v, Inventory& i) {
  v("nodes", i.nodes); v("classes", i.classes); v("compute_choice", i.compute_choice); v("order_choice", i.order_choice);
  v("warnings", i.warnings);
}

}  // namespace railgauge
