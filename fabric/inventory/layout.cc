#include "fabric/inventory/layout.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "fabric/inventory/natural_order.h"
#include "fabric/inventory/path_class.h"

namespace railgauge {
namespace {

bool named(const std::vector<std::string>& names, const NicFacts& nic) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& n) {
    return !n.empty() && (n == nic.device || n == nic.interface);
  });
}

bool takes_part(const NicFacts& nic, const Site& site) {
  if (named(site.compute_nics, nic) || named(site.rail_order, nic)) return true;
  switch (nic.kind) {
    case NicKind::physical:
    case NicKind::bond:
    case NicKind::plane:
      return true;
    case NicKind::network_interface:
      return rail_of_name(nic.device) >= 0;
    case NicKind::virtual_function:
    case NicKind::subfunction:
      return false;
  }
  return false;
}

bool same_part(const LayoutNic& a, const LayoutNic& b) {
  const bool layer = a.link_layer == b.link_layer || a.link_layer.empty() || b.link_layer.empty();
  return a.port == b.port && a.kind == b.kind && a.model == b.model && a.rate == b.rate && layer;
}

bool same_place(const LayoutNic& a, const LayoutNic& b) { return a.slot == b.slot && a.pci == b.pci; }

bool alike_paths(const LayoutNic& a, const LayoutNic& b) {
  std::vector<PathClass> x = a.paths;
  std::vector<PathClass> y = b.paths;
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  return x == y;
}

// Matches NICs that are still free with places that are still empty, where `same` holds.
template <class Same>
int match(const Layout& layout, const Layout& reference, std::vector<int>& of, std::vector<bool>& taken,
          Same same) {
  int matched = 0;
  for (std::size_t i = 0; i < layout.nics.size(); ++i) {
    for (std::size_t r = 0; r < reference.nics.size() && of[i] < 0; ++r) {
      if (taken[r] || !same(layout.nics[i], reference.nics[r])) continue;
      of[i] = static_cast<int>(r);
      taken[r] = true;
      ++matched;
    }
  }
  return matched;
}

}  // namespace

std::optional<double> site_rate(const Site& site, std::string_view node, std::string_view device) {
  const auto holds = [](const std::vector<std::string>& list, std::string_view name) {
    return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
  };
  std::optional<double> rate;
  for (const RateRule& rule : site.rates) {
    if (holds(rule.nodes, node) && holds(rule.nics, device)) rate = rule.rate_bits_per_second;
  }
  return rate;
}

int rail_of_name(std::string_view interface) {
  constexpr std::string_view kPrefix = "rail";
  if (!interface.starts_with(kPrefix) || interface.size() == kPrefix.size()) return -1;
  int rail = -1;
  const char* end = interface.data() + interface.size();
  const auto [stop, error] = std::from_chars(interface.data() + kPrefix.size(), end, rail);
  return error == std::errc() && stop == end && rail >= 0 ? rail : -1;
}

Layout layout_of(const NodeFacts& facts, const Site& site) {
  Layout layout;
  std::vector<const GpuFacts*> gpus;
  for (const GpuFacts& g : facts.gpus) gpus.push_back(&g);
  std::sort(gpus.begin(), gpus.end(),
            [](const GpuFacts* a, const GpuFacts* b) { return natural_less(a->place.slot, b->place.slot); });
  std::string text;
  for (const GpuFacts* g : gpus) {
    layout.gpu_slots.push_back(g->place.slot);
    layout.gpu_models.push_back(g->model);
    text += fmt::format("gpu {} {}\n", g->place.slot, g->model);
  }
  std::sort(layout.gpu_models.begin(), layout.gpu_models.end());
  for (std::size_t i = 0; i < facts.nics.size(); ++i) {
    const NicFacts& nic = facts.nics[i];
    if (!takes_part(nic, site)) continue;
    LayoutNic n{.slot = nic.place.slot,
                .port = nic.port,
                .kind = nic.kind,
                .model = nic.model,
                .link_layer = nic.link_layer,
                .rate = {},
                .pci = !nic.place.path.empty(),
                .index = i,
                .paths = {}};
    n.rate = site_rate(site, facts.node, nic.device);
    if (!n.rate && !site.software_links) n.rate = nic.rate_max_bits_per_second;
    for (const GpuFacts* g : gpus) n.paths.push_back(path_class(g->place, nic.place));
    text += fmt::format("nic {} {} {} {} {} {}\n", n.slot, n.port, to_text(n.kind), n.model, n.link_layer,
                        n.rate.value_or(0));
    layout.nics.push_back(std::move(n));
  }
  layout.hash = fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
  return layout;
}

std::optional<Fit> fit(const Layout& layout, const Layout& reference, bool strict) {
  // A node without its GPUs is another kind of node, not one with holes; one GPU may have fallen off the bus.
  const std::size_t lost = strict ? 0 : 1;
  if (layout.gpu_models.size() > reference.gpu_models.size() ||
      layout.gpu_models.size() + (reference.gpu_models.size() > 1 ? lost : 0) < reference.gpu_models.size() ||
      !std::includes(reference.gpu_models.begin(), reference.gpu_models.end(), layout.gpu_models.begin(),
                     layout.gpu_models.end())) {
    return std::nullopt;
  }
  Fit f;
  f.reference.assign(layout.nics.size(), -1);
  std::vector<bool> taken(reference.nics.size(), false);
  int matched = match(layout, reference, f.reference, taken, [](const LayoutNic& a, const LayoutNic& b) {
    return same_place(a, b) && same_part(a, b);
  });
  if (!strict) {
    const auto pci = [](const LayoutNic& a, const LayoutNic& b) { return a.pci && b.pci && same_part(a, b); };
    const int near =
        match(layout, reference, f.reference, taken,
              [&](const LayoutNic& a, const LayoutNic& b) { return pci(a, b) && alike_paths(a, b); });
    f.moved = near + match(layout, reference, f.reference, taken, pci);
    matched += f.moved;
  }
  f.holes = static_cast<int>(reference.nics.size()) - matched;
  f.extra = static_cast<int>(layout.nics.size()) - matched;
  bool extra_allowed = !strict && f.extra <= 2;
  for (std::size_t i = 0; i < layout.nics.size(); ++i) {
    if (f.reference[i] < 0 && !layout.nics[i].pci) extra_allowed = false;
  }
  const bool same_gpus =
      !reference.gpu_models.empty() && layout.gpu_models.size() == reference.gpu_models.size();
  if ((matched == 0 && !same_gpus) || (f.extra > 0 && !extra_allowed)) return std::nullopt;
  return f;
}

}  // namespace railgauge
