#include <array>

#include "fabric/inventory/inventory.h"
#include "fabric/inventory/node_facts.h"

namespace railgauge {

std::string_view to_text(PathClass path) {
  constexpr std::array<std::string_view, 9> kText = {"LOC", "NVLINK", "C2C", "PIX",    "PXB",
                                                     "PHB", "NODE",   "SYS", "unknown"};
  return kText.at(static_cast<std::size_t>(path));
}
std::span<const PathClass> all_values(PathClass) {
  static constexpr std::array kAll = {PathClass::loc,  PathClass::nvlink, PathClass::c2c,
                                      PathClass::pix,  PathClass::pxb,    PathClass::phb,
                                      PathClass::node, PathClass::sys,    PathClass::unknown};
  return kAll;
}

std::string_view to_text(NicRole role) {
  constexpr std::array<std::string_view, 4> kText = {"compute", "storage", "management", "other"};
  return kText.at(static_cast<std::size_t>(role));
}
std::span<const NicRole> all_values(NicRole) {
  static constexpr std::array kAll = {NicRole::compute, NicRole::storage, NicRole::management,
                                      NicRole::other};
  return kAll;
}

std::string_view to_text(SkipReason reason) {
  constexpr std::array<std::string_view, 4> kText = {"not_applicable", "not_available", "not_permitted",
                                                     "not_reached"};
  return kText.at(static_cast<std::size_t>(reason));
}
std::span<const SkipReason> all_values(SkipReason) {
  static constexpr std::array kAll = {SkipReason::not_applicable, SkipReason::not_available,
                                      SkipReason::not_permitted, SkipReason::not_reached};
  return kAll;
}

std::string_view to_text(NicKind kind) {
  constexpr std::array<std::string_view, 6> kText = {"physical", "virtual_function", "bond", "subfunction",
                                                     "plane",    "network_interface"};
  return kText.at(static_cast<std::size_t>(kind));
}
std::span<const NicKind> all_values(NicKind) {
  static constexpr std::array kAll = {NicKind::physical, NicKind::virtual_function,
                                      NicKind::bond,     NicKind::subfunction,
                                      NicKind::plane,    NicKind::network_interface};
  return kAll;
}

}  // namespace railgauge
