// What reading a schedule's JSON cannot see: figures out of range and references to endpoints that are not
// there.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "fabric/cases/schedule.h"

namespace railgauge {
namespace {

constexpr std::int64_t kLongestRound = 24LL * 3600 * 1'000'000'000;

// "" nothing is wrong.
std::string fault_of(const Endpoint& e) {
  if (e.node.empty()) return "node: empty";
  if (e.rail < -1) return "rail: negative";
  if (!std::isfinite(e.expected_bits_per_second) || e.expected_bits_per_second < 0)
    return "expected_bits_per_second: no rate";
  return "";
}

std::string fault_of(const Round& r, std::size_t endpoints) {
  if (r.id < 0) return "id: negative";
  if (r.duration_ns <= 0 || r.duration_ns > kLongestRound) return "duration_ns: not within 24 h";
  if (r.rule.index < 0) return "rule.index: negative";
  for (std::size_t i = 0; i < r.rule.pairs.size(); ++i) {
    const PairRef& p = r.rule.pairs[i];
    const auto there = [endpoints](std::int32_t e) {
      return e >= 0 && static_cast<std::size_t>(e) < endpoints;
    };
    if (!there(p.source) || !there(p.target))
      return fmt::format("rule.pairs[{}]: {} to {}, of {} endpoints", i, p.source, p.target, endpoints);
    if (p.source == p.target) return fmt::format("rule.pairs[{}]: {} to itself", i, p.source);
  }
  return "";
}

}  // namespace

Result<void> check_schedule(const Schedule& s) {
  for (std::size_t i = 0; i < s.endpoints.size(); ++i) {
    if (const std::string fault = fault_of(s.endpoints[i]); !fault.empty())
      return fail(ErrorKind::input, fmt::format("endpoints[{}].{}", i, fault));
  }
  std::set<std::int32_t> ids;
  for (std::size_t i = 0; i < s.rounds.size(); ++i) {
    std::string fault = fault_of(s.rounds[i], s.endpoints.size());
    if (fault.empty() && !ids.insert(s.rounds[i].id).second)
      fault = fmt::format("id: {} is there twice", s.rounds[i].id);
    if (!fault.empty()) return fail(ErrorKind::input, fmt::format("rounds[{}].{}", i, fault));
  }
  return {};
}

}  // namespace railgauge
