#include "fabric/inventory/node_classes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "fabric/inventory/majority.h"

namespace railgauge {
namespace {

ClassMember own(std::size_t node, const Layout& layout) {
  ClassMember m;
  m.node = node;
  m.fit.reference.resize(layout.nics.size());
  std::iota(m.fit.reference.begin(), m.fit.reference.end(), 0);
  return m;
}

}  // namespace

std::vector<ClassDraft> group_layouts(const Inventory& inventory, const std::vector<Layout>& layouts) {
  std::vector<ClassDraft> drafts;
  std::map<std::string, std::vector<std::size_t>> by_hash;
  std::vector<std::size_t> singles;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (inventory.nodes[i].silent.empty()) by_hash[layouts[i].hash].push_back(i);
  }
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (!inventory.nodes[i].silent.empty()) continue;
    const std::vector<std::size_t>& group = by_hash[layouts[i].hash];
    if (group.size() == 1) singles.push_back(i);
    if (group.size() < 2 || group.front() != i) continue;
    ClassDraft draft;
    for (const std::size_t n : group) draft.members.push_back(own(n, layouts[n]));
    drafts.push_back(std::move(draft));
  }
  // Largest first, so that a single with holes finds the single that has them filled.
  std::stable_sort(singles.begin(), singles.end(), [&](std::size_t a, std::size_t b) {
    return layouts[a].nics.size() > layouts[b].nics.size();
  });
  for (const std::size_t s : singles) {
    ClassDraft* best = nullptr;
    Fit best_fit;
    const auto cost = [](const Fit& f, const ClassDraft& d) {
      return std::tuple(f.moved + f.holes + f.extra, -static_cast<int>(d.members.size()));
    };
    for (ClassDraft& d : drafts) {
      const Layout& reference = layouts[d.members.front().node];
      const bool repeated = by_hash[reference.hash].size() > 1;
      const std::optional<Fit> f = fit(layouts[s], reference, !repeated);
      if (f && (!best || cost(*f, d) < cost(best_fit, *best))) {
        best = &d;
        best_fit = *f;
      }
    }
    if (best) {
      best->members.push_back({s, best_fit});
    } else {
      drafts.push_back({{own(s, layouts[s])}});
    }
  }
  for (ClassDraft& d : drafts) {
    std::sort(d.members.begin() + 1, d.members.end(),
              [](const ClassMember& a, const ClassMember& b) { return a.node < b.node; });
  }
  return drafts;
}

std::vector<ClassPlace> class_places(const Inventory& inventory, const ClassDraft& draft,
                                     const std::vector<Layout>& layouts) {
  const Layout& reference = layouts[draft.members.front().node];
  std::vector<ClassPlace> places;
  for (std::size_t r = 0; r < reference.nics.size(); ++r) {
    ClassPlace p;
    p.nic = reference.nics[r];
    std::vector<std::string> devices;
    std::vector<std::string> interfaces;
    std::vector<std::string> layers;
    std::vector<double> rates;
    p.always_down = true;
    for (const ClassMember& m : draft.members) {
      for (std::size_t i = 0; i < m.fit.reference.size(); ++i) {
        if (m.fit.reference[i] != static_cast<int>(r)) continue;
        const NicFacts& nic = inventory.nodes[m.node].facts.nics[layouts[m.node].nics[i].index];
        devices.push_back(nic.device);
        interfaces.push_back(nic.interface);
        layers.push_back(nic.link_layer);
        if (nic.state != "down") p.always_down = false;
        if (nic.state != "down" && nic.rate_bits_per_second) rates.push_back(*nic.rate_bits_per_second);
      }
    }
    p.device = majority(devices);
    p.interface = majority(interfaces);
    p.nic.link_layer = majority(layers);
    p.rdma = p.device != p.interface;
    p.rate = p.nic.rate.value_or(majority(rates));
    places.push_back(std::move(p));
  }
  return places;
}

}  // namespace railgauge
