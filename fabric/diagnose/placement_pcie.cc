#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fabric/diagnose/pcie_links.h"
#include "fabric/diagnose/placement_parts.h"
#include "fabric/inventory/majority.h"
#include "proto/units.h"

namespace railgauge::placement {
namespace {

// Share of the raw rate that large transfers deliver after packet headers and link control (256 B payloads).
// Source: a Gen5 x8 port, 252 Gbit/s raw, delivers about 205; Gen3 x16, 126 raw, about 105.
constexpr double kPayloadShare = 0.82;

struct Degraded {
  const NodeEntry* node;
  PcieLink link;
  int width = 0, width_wanted = 0;
  double speed = 0, speed_wanted = 0;
  std::string from;
};

// What most of the class trained to in one place; empty without a majority of at least three.
struct Usual {
  std::optional<int> width;
  std::optional<double> speed;
};

template <class T>
std::optional<T> strict_majority(const std::vector<T>& values) {
  const T most = majority(values);
  const auto n = static_cast<std::size_t>(std::count(values.begin(), values.end(), most));
  return n >= 2 && values.size() >= 3 && n * 2 > values.size() ? std::optional<T>(most) : std::nullopt;
}

std::string text(int width, double speed) {
  return speed > 0 ? fmt::format("x{} at {:g} GT/s", width, speed) : fmt::format("x{}", width);
}

std::optional<Degraded> judge(const NodeEntry& node, const PcieLink& link, const Usual& usual) {
  if (!link.width) return std::nullopt;
  Degraded d{&node, link, *link.width, 0, link.speed_gts.value_or(0), 0, ""};
  const int both = link.width_max.value_or(0);
  d.width_wanted = std::max({d.width, both, usual.width.value_or(0)});
  d.speed_wanted = d.speed;
  if (!link.gpu && link.speed_gts) {
    d.speed_wanted = std::max({d.speed, link.speed_max_gts.value_or(0), usual.speed.value_or(0)});
  }
  if (d.width >= d.width_wanted && d.speed >= d.speed_wanted) return std::nullopt;
  const bool ends = both >= d.width_wanted &&
                    (d.speed >= d.speed_wanted || link.speed_max_gts.value_or(0) >= d.speed_wanted);
  d.from = ends ? "both ends can do it" : "class majority";
  return d;
}

// Findings name one link of the group, the evidence names all.
Finding finding(const std::vector<const Degraded*>& group, Scope scope, std::size_t members) {
  const Degraded& d = *group.front();
  Finding f;
  f.code = "pcie.degraded";
  f.severity = Severity::major;
  f.scope = scope;
  std::string whom = d.link.nics.empty() ? (d.link.gpu ? "GPU " + d.link.lower : d.link.lower) : "";
  for (const std::string& n : d.link.nics) whom += (whom.empty() ? "" : ", ") + n;
  std::set<std::string> nodes;
  for (const Degraded* g : group) nodes.insert(g->node->id);
  if (scope != Scope::fleet) f.where.node = d.node->id;
  if (scope == Scope::endpoint || scope == Scope::link) {
    if (!d.link.rails.empty()) f.where.rail = d.link.rails.front();
    if (!d.link.nics.empty()) f.where.nic = whom;
    if (d.link.gpu) f.where.gpu = d.link.lower;
    f.where.link = LinkEnds{d.link.upper, d.link.lower};
  }
  const std::string now = text(d.width, d.speed);
  const std::string wanted = text(d.width_wanted, d.speed_wanted);
  if (scope == Scope::fleet) {
    f.title = fmt::format("PCIe links run at {} instead of {} on {} of {} nodes of a class", now, wanted,
                          nodes.size(), members);
    // A whole class alike is how the platform is built or set, not a fault of parts.
    if (nodes.size() == members) f.severity = Severity::minor;
  } else if (scope == Scope::node) {
    f.title = fmt::format("{}: {} PCIe links run at {} instead of {}", d.node->id, group.size(), now, wanted);
  } else {
    f.title = fmt::format("{}: the PCIe link of {} runs at {} instead of {}", d.node->id, whom, now, wanted);
  }
  if (d.speed > 0) {
    f.measured = Quantity{pcie_bits_per_second(d.width, d.speed), "bit/s"};
    f.expected = Expected{pcie_bits_per_second(d.width_wanted, d.speed_wanted), "bit/s",
                          fmt::format("{}: {}", d.from, wanted)};
    f.explained_by = Explained{pcie_bits_per_second(d.width, d.speed) * kPayloadShare, "bit/s", now};
  } else {
    f.measured = Quantity{static_cast<double>(d.width), "lanes"};
    f.expected =
        Expected{static_cast<double>(d.width_wanted), "lanes", fmt::format("{}: {}", d.from, wanted)};
  }
  for (const Degraded* g : group) {
    std::string of = g->link.gpu ? "GPU" : "";
    for (const std::string& n : g->link.nics) of += (of.empty() ? "" : ", ") + n;
    f.evidence.push_back(fmt::format("{}: link {} to {} ({}) trained to {}, {}: {}", g->node->id,
                                     g->link.upper, g->link.lower, of, text(g->width, g->speed), g->from,
                                     text(g->width_wanted, g->speed_wanted)));
  }
  if (scope == Scope::fleet) {
    f.causes = {{"a BIOS setting (bifurcation or link speed) or the platform's wiring", "likely"}};
  } else {
    f.causes = {{"the card or riser is not seated well, or its contacts are dirty", "likely"},
                {"a BIOS setting (bifurcation or link speed) of this node", "possible"}};
  }
  f.actions = {
      {fmt::format("Read the link's state on {}", d.node->id), fmt::format("lspci -vv -s {}", d.link.lower)},
      {"Reseat the card, then read the state again; if it stays, exchange card and slot in turn", ""}};
  return f;
}

void judge_class(const std::vector<const NodeEntry*>& members, std::vector<Finding>& out) {
  std::map<std::string, std::pair<std::vector<int>, std::vector<double>>> seen;
  std::vector<std::vector<PcieLink>> links;
  for (const NodeEntry* n : members) {
    links.push_back(links_of(*n));
    for (const PcieLink& l : links.back()) {
      if (l.width) seen[l.key].first.push_back(*l.width);
      if (l.speed_gts) seen[l.key].second.push_back(*l.speed_gts);
    }
  }
  std::vector<Degraded> all;
  std::set<const NodeEntry*> nodes;
  for (std::size_t n = 0; n < members.size(); ++n) {
    for (const PcieLink& l : links[n]) {
      const Usual usual{strict_majority(seen[l.key].first), strict_majority(seen[l.key].second)};
      if (const auto d = judge(*members[n], l, usual)) {
        all.push_back(*d);
        nodes.insert(members[n]);
      }
    }
  }
  if (members.size() >= 3 && nodes.size() * 2 > members.size()) {
    std::vector<const Degraded*> group;
    for (const Degraded& d : all) group.push_back(&d);
    out.push_back(finding(group, Scope::fleet, members.size()));
    return;
  }
  for (std::size_t n = 0; n < members.size(); ++n) {
    std::vector<const Degraded*> group;
    for (const Degraded& d : all) {
      if (d.node == members[n]) group.push_back(&d);
    }
    std::size_t of_nics = 0;
    for (const PcieLink& l : links[n]) of_nics += l.nics.size() == 1 ? 1 : 0;
    if (group.size() >= 3 && group.size() * 2 > of_nics) {
      out.push_back(finding(group, Scope::node, members.size()));
      continue;
    }
    for (const Degraded* d : group) {
      out.push_back(finding({d}, d->link.nics.size() > 1 ? Scope::link : Scope::endpoint, members.size()));
    }
  }
}

}  // namespace

void pcie(const Inventory& inventory, std::vector<Finding>& out) {
  for (std::size_t c = 0; c < inventory.classes.size(); ++c) {
    std::vector<const NodeEntry*> members;
    for (const NodeEntry& n : inventory.nodes) {
      if (n.node_class == static_cast<int>(c)) members.push_back(&n);
    }
    judge_class(members, out);
  }
}

}  // namespace railgauge::placement
