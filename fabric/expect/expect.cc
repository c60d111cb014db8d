#include "fabric/expect/expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fabric/expect/link_model.h"
#include "fabric/inventory/majority.h"
#include "fabric/inventory/natural_order.h"

namespace railgauge {
namespace {

bool names(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

const RateRule* rule_for(const Site& site, const std::string& node, const std::string& device) {
  const RateRule* found = nullptr;
  for (const RateRule& r : site.rates) {
    if (r.rate_bits_per_second > 0 && names(r.nodes, node) && names(r.nics, device)) found = &r;
  }
  return found;
}

// Maximum rates on one rail of one class, in the order of nodes, each rounded to a bit per second.
std::vector<double> maxima(const Inventory& inventory, int node_class, int rail) {
  std::vector<double> all;
  for (const NodeEntry& n : inventory.nodes) {
    if (n.node_class != node_class) continue;
    for (std::size_t i = 0; i < n.nics.size() && i < n.facts.nics.size(); ++i) {
      const auto& rate = n.facts.nics[i].rate_max_bits_per_second;
      if (n.nics[i].role == NicRole::compute && n.nics[i].rail == rail && rate && *rate > 0) {
        all.push_back(std::round(*rate));
      }
    }
  }
  return all;
}

const NicFacts* facts_of(const NodeEntry& node, const NicEntry& nic) {
  for (const NicFacts& f : node.facts.nics) {
    if (f.device == nic.device && f.port == nic.port) return &f;
  }
  return nullptr;
}

// A plain network interface has no RDMA device: its engine can only use TCP.
bool is_plain(const NicFacts& f) { return f.kind == NicKind::network_interface || f.device == f.interface; }

std::string leaf_of_first_rail(const NodeEntry& n) {
  const NicEntry* first = nullptr;
  for (const NicEntry& nic : n.nics) {
    if (nic.role == NicRole::compute && nic.rail >= 0 && !nic.leaf.empty() &&
        (first == nullptr || nic.rail < first->rail)) {
      first = &nic;
    }
  }
  return first == nullptr ? "" : first->leaf;
}

}  // namespace

NicExpectation expectation_of(const Inventory& inventory, const Site& site, const NodeEntry& node,
                              const NicEntry& nic) {
  if (const RateRule* r = rule_for(site, node.id, nic.device)) {
    return {r->rate_bits_per_second * r->payload_share,
            fmt::format("site file: {} x {:.3f}", to_text(BitRate::bits_per_second(r->rate_bits_per_second)),
                        r->payload_share)};
  }
  if (site.software_links) return {0, "unknown: software link without a rate in the site file"};
  const NicFacts* facts = facts_of(node, nic);
  const std::vector<double> rates = maxima(inventory, node.node_class, nic.rail);
  if (facts == nullptr || rates.empty()) return {0, "unknown: no port of the class states its maximum rate"};
  const double rate = majority(rates);
  const double share = is_plain(*facts) ? tcp_payload_share(0) : rdma_payload_share(facts->link_layer, 0);
  return {rate * share, fmt::format("class majority of {} NICs: {} {} x {:.3f} payload", rates.size(),
                                    to_text(BitRate::bits_per_second(rate)),
                                    facts->link_layer.empty() ? "link" : facts->link_layer, share)};
}

std::vector<Endpoint> endpoints_of(const Inventory& inventory, const Site& site) {
  std::vector<const NodeEntry*> nodes;
  for (const NodeEntry& n : inventory.nodes) {
    if (n.silent.empty()) nodes.push_back(&n);
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const NodeEntry* a, const NodeEntry* b) {
    const std::string la = leaf_of_first_rail(*a), lb = leaf_of_first_rail(*b);
    return la != lb ? natural_less(la, lb) : natural_less(a->id, b->id);
  });
  std::vector<Endpoint> endpoints;
  for (const NodeEntry* n : nodes) {
    std::vector<const NicEntry*> nics;
    for (const NicEntry& nic : n->nics) {
      if (nic.role == NicRole::compute && nic.rail >= 0 && nic.unusable.empty()) nics.push_back(&nic);
    }
    std::stable_sort(nics.begin(), nics.end(),
                     [](const NicEntry* a, const NicEntry* b) { return a->rail < b->rail; });
    for (const NicEntry* nic : nics) {
      Endpoint e;
      e.node = n->id;
      e.device = nic->device;
      e.port = nic->port;
      e.rail = nic->rail;
      e.node_class = n->node_class;
      e.leaf = nic->leaf;
      if (const NicFacts* f = facts_of(*n, *nic)) {
        e.numa_node = f->place.numa_node.value_or(-1);
        e.interface = f->interface;
        e.subnet = f->subnet;
      }
      const NicExpectation expected = expectation_of(inventory, site, *n, *nic);
      e.expected_bits_per_second = expected.bits_per_second;
      e.expected_from = expected.from;
      endpoints.push_back(std::move(e));
    }
  }
  return endpoints;
}

Expected expected_of_flow(const Endpoint& source, const Endpoint& target) {
  if (source.expected_bits_per_second <= 0 || target.expected_bits_per_second <= 0) {
    const Endpoint& unknown = source.expected_bits_per_second <= 0 ? source : target;
    return {0, "bit/s", unknown.expected_from};
  }
  const bool by_source = source.expected_bits_per_second <= target.expected_bits_per_second;
  const Endpoint& less = by_source ? source : target;
  const bool same = source.expected_bits_per_second == target.expected_bits_per_second;
  return {less.expected_bits_per_second, "bit/s",
          same ? less.expected_from : fmt::format("{} (the slower end, {})", less.expected_from, less.node)};
}

}  // namespace railgauge
