#include <array>

#include "fabric/diagnose/analysis.h"

namespace railgauge {

std::string_view to_text(Verdict v) {
  constexpr std::array<std::string_view, 5> kText = {"PASS", "WARN", "INCONCLUSIVE", "FAIL", "WAIVED"};
  return kText.at(static_cast<std::size_t>(v));
}
std::span<const Verdict> all_values(Verdict) {
  static constexpr std::array kAll = {Verdict::pass, Verdict::warn, Verdict::inconclusive, Verdict::fail,
                                      Verdict::waived};
  return kAll;
}

std::string_view to_text(Severity s) {
  constexpr std::array<std::string_view, 4> kText = {"critical", "major", "minor", "note"};
  return kText.at(static_cast<std::size_t>(s));
}
std::span<const Severity> all_values(Severity) {
  static constexpr std::array kAll = {Severity::critical, Severity::major, Severity::minor, Severity::note};
  return kAll;
}

std::string_view to_text(Scope s) {
  constexpr std::array<std::string_view, 6> kText = {"endpoint", "link", "leaf", "rail", "node", "fleet"};
  return kText.at(static_cast<std::size_t>(s));
}
std::span<const Scope> all_values(Scope) {
  static constexpr std::array kAll = {Scope::endpoint, Scope::link, Scope::leaf,
                                      Scope::rail,     Scope::node, Scope::fleet};
  return kAll;
}

std::string_view to_text(Direction d) {
  constexpr std::array<std::string_view, 3> kText = {"send", "receive", "both"};
  return kText.at(static_cast<std::size_t>(d));
}
std::span<const Direction> all_values(Direction) {
  static constexpr std::array kAll = {Direction::send, Direction::receive, Direction::both};
  return kAll;
}

}  // namespace railgauge
