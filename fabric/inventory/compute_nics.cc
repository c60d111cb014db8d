#include "fabric/inventory/compute_nics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fabric/inventory/natural_order.h"
#include "proto/units.h"

namespace railgauge {
namespace {

using Indices = std::vector<std::size_t>;

std::size_t position(const std::vector<std::string>& names, const ClassPlace& p) {
  const auto hit = std::find_if(names.begin(), names.end(), [&](const std::string& n) {
    return !n.empty() && (n == p.device || n == p.interface);
  });
  return static_cast<std::size_t>(hit - names.begin());
}

bool near_gpu(const ClassPlace& p) {
  return std::any_of(p.nic.paths.begin(), p.nic.paths.end(), [](PathClass c) {
    return c == PathClass::loc || c == PathClass::pix || c == PathClass::pxb;
  });
}

// Card and function number: "root0/1.0/0.1" -> {"root0/1.0/0", 1}.
std::pair<std::string, std::string> card(const ClassPlace& p) {
  const std::size_t dot = p.nic.slot.rfind('.');
  if (dot == std::string::npos) return {p.nic.slot, ""};
  return {p.nic.slot.substr(0, dot), p.nic.slot.substr(dot + 1)};
}

// Members of the most common (rate, link layer); a tie goes to the higher rate.
Indices most_common(const std::vector<ClassPlace>& places, const Indices& from) {
  std::map<std::pair<double, std::string>, Indices> groups;
  for (const std::size_t i : from) groups[{places[i].rate, places[i].nic.link_layer}].push_back(i);
  const Indices* best = nullptr;
  double best_rate = 0;
  for (const auto& [key, members] : groups) {
    if (!best || members.size() > best->size() || (members.size() == best->size() && key.first > best_rate)) {
      best = &members;
      best_rate = key.first;
    }
  }
  return best ? *best : Indices{};
}

// Second ports that are down on every node are not in use: they are no rails of their own.
Indices without_idle_ports(const std::vector<ClassPlace>& places, const Indices& from,
                           std::vector<std::string>& warnings) {
  std::set<std::string> living;
  for (const std::size_t i : from) {
    if (!places[i].always_down) living.insert(card(places[i]).first);
  }
  Indices kept;
  for (const std::size_t i : from) {
    const auto [base, function] = card(places[i]);
    const bool second = places[i].nic.port > 1 || (!function.empty() && function != "0");
    if (places[i].always_down && second && places[i].nic.pci && living.contains(base)) {
      warnings.push_back(fmt::format("{} port {} is down on every node: taken as not in use, no rail",
                                     places[i].device, places[i].nic.port));
    } else {
      kept.push_back(i);
    }
  }
  return kept;
}

std::string rate_text(const ClassPlace& p) {
  std::string text = p.rate > 0 ? to_text(BitRate::bits_per_second(p.rate)) : "unknown rate";
  if (!p.nic.link_layer.empty() && p.nic.pci) text += " " + p.nic.link_layer;
  return text;
}

Indices choose(const std::vector<ClassPlace>& places, const Site& site, RoleChoice& choice) {
  Indices all;
  Indices named;
  Indices lab;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ClassPlace& p = places[i];
    const std::vector<std::string>& list = site.compute_nics.empty() ? site.rail_order : site.compute_nics;
    if (position(list, p) < list.size()) named.push_back(i);
    if (rail_of_name(p.device) >= 0) lab.push_back(i);
    if (p.nic.kind == NicKind::physical || p.nic.kind == NicKind::bond || p.nic.kind == NicKind::plane) {
      all.push_back(i);
    }
  }
  if (!site.compute_nics.empty() || !site.rail_order.empty()) {
    choice.why = fmt::format("{} named by the site file", named.size());
    return named;
  }
  if (!lab.empty()) {
    choice.why = fmt::format("{} interfaces named rail<k> at {}", lab.size(), rate_text(places[lab.front()]));
    return lab;
  }
  Indices rdma;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rdma),
               [&](std::size_t i) { return places[i].rdma; });
  Indices used = without_idle_ports(places, rdma.empty() ? all : rdma, choice.warnings);
  if (std::any_of(used.begin(), used.end(), [&](std::size_t i) { return places[i].rate > 0; })) {
    std::erase_if(used, [&](std::size_t i) { return places[i].rate <= 0; });
  }
  Indices near;
  std::copy_if(used.begin(), used.end(), std::back_inserter(near),
               [&](std::size_t i) { return near_gpu(places[i]); });
  const Indices chosen = most_common(places, near.empty() ? used : near);
  if (chosen.empty()) {
    choice.why = "none: no NIC can be a compute NIC";
    return chosen;
  }
  choice.why = fmt::format(
      "{} x {}, the most common{}", chosen.size(), rate_text(places[chosen.front()]),
      near.empty()
          ? (places[chosen.front()].nic.paths.empty() ? " (no GPUs)" : " (no NIC has a GPU at PIX or PXB)")
          : " with a GPU at PIX or PXB");
  return chosen;
}

NicRole other_role(const ClassPlace& p) {
  if (p.device.starts_with("mgmt") || p.interface.starts_with("mgmt")) return NicRole::management;
  if (p.rdma) return NicRole::storage;
  return p.nic.kind == NicKind::physical || p.nic.kind == NicKind::bond ? NicRole::management
                                                                        : NicRole::other;
}

}  // namespace

RoleChoice choose_roles(const std::vector<ClassPlace>& places, const Site& site) {
  RoleChoice choice;
  choice.rails.assign(places.size(), -1);
  for (const ClassPlace& p : places) choice.roles.push_back(other_role(p));
  Indices chosen = choose(places, site, choice);
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) {
    const std::size_t x = position(site.rail_order, places[a]);
    const std::size_t y = position(site.rail_order, places[b]);
    if (x != y) return x < y;
    if (places[a].nic.slot != places[b].nic.slot) return natural_less(places[a].nic.slot, places[b].nic.slot);
    return places[a].nic.port < places[b].nic.port;
  });
  int next = 0;
  for (const std::size_t i : chosen) {
    choice.roles[i] = NicRole::compute;
    const std::size_t wished = position(site.rail_order, places[i]);
    const int number = rail_of_name(places[i].device);
    if (wished < site.rail_order.size()) {
      next = static_cast<int>(wished);
    } else if (number >= 0 && site.rail_order.empty()) {
      next = number;
    }
    choice.rails[i] = next++;
  }
  return choice;
}

}  // namespace railgauge
