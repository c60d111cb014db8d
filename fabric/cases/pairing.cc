#include <fmt/format.h>

#include <array>
#include <charconv>

#include "fabric/cases/case.h"

namespace railgauge {
namespace {

constexpr std::size_t kCircleMembers =
    8;  // all pairs up to here; beyond, log2(n) shifts reach every endpoint
constexpr std::int32_t kMostMatchings = 1000;

}  // namespace

std::string_view to_text(Layout layout) {
  switch (layout) {
    case Layout::per_nic:
      return "per NIC";
    case Layout::per_gpu:
      return "per GPU";
    case Layout::per_node:
      return "per node";
  }
  return "unknown";
}

std::string_view to_text(Pairs pairs) {
  switch (pairs) {
    case Pairs::automatic:
      return "automatic";
    case Pairs::circle:
      return "circle";
    case Pairs::shift_pow2:
      return "shift_pow2";
    case Pairs::matchings:
      return "matchings";
    case Pairs::neighbours:
      return "neighbours";
  }
  return "unknown";
}

std::span<const Pairs> all_values(Pairs) {
  static constexpr std::array values = {Pairs::automatic, Pairs::circle, Pairs::shift_pow2, Pairs::matchings,
                                        Pairs::neighbours};
  return values;
}

std::string to_text(const Pairing& pairing) {
  if (pairing.kind == Pairs::matchings) return fmt::format("matchings:{}", pairing.count);
  return std::string(to_text(pairing.kind));
}

Result<Pairing> parse_pairing(std::string_view text) {
  const std::string known = "automatic, circle, shift_pow2, matchings:K or neighbours";
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  Pairing pairing;
  bool found = false;
  for (const Pairs p : all_values(Pairs{})) {
    if (to_text(p) != word) continue;
    pairing.kind = p;
    found = true;
  }
  if (!found) return fail(ErrorKind::input, fmt::format("'{}' is no pairing: write {}", text, known));
  if (pairing.kind != Pairs::matchings) {
    if (colon == std::string_view::npos) return pairing;
    return fail(ErrorKind::input, fmt::format("'{}': only matchings take a number", text));
  }
  const std::string_view number = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), pairing.count);
  if (error != std::errc() || end != number.data() + number.size() || pairing.count < 1 ||
      pairing.count > kMostMatchings) {
    return fail(ErrorKind::input,
                fmt::format("'{}': write matchings:K with K from 1 to {}", text, kMostMatchings));
  }
  return pairing;
}

std::vector<RoundRule> rules_of(const Pairing& pairing, std::size_t members) {
  std::vector<RoundRule> rules;
  if (members < 2) return rules;
  const auto add = [&rules](RuleKind kind, std::int32_t index, std::uint64_t seed) {
    RoundRule rule;
    rule.kind = kind;
    rule.index = index;
    rule.seed = seed;
    rules.push_back(rule);
  };
  Pairs kind = pairing.kind;
  if (kind == Pairs::automatic) kind = members <= kCircleMembers ? Pairs::circle : Pairs::shift_pow2;
  switch (kind) {
    case Pairs::automatic:
    case Pairs::circle:
      for (int r = 0; r < rounds_of(RuleKind::circle, members); ++r) add(RuleKind::circle, r, 0);
      break;
    case Pairs::shift_pow2:
      for (std::size_t k = 1; k < members; k *= 2) add(RuleKind::shift, static_cast<std::int32_t>(k), 0);
      break;
    case Pairs::matchings:
      for (std::int32_t i = 0; i < pairing.count; ++i) {
        add(RuleKind::matching, 0, pairing.seed + static_cast<std::uint64_t>(i));
      }
      break;
    case Pairs::neighbours:
      for (int i = 0; i < rounds_of(RuleKind::neighbours, members); ++i) add(RuleKind::neighbours, i, 0);
      break;
  }
  return rules;
}

std::vector<Round> pairwise_rounds(const Case& self, const CaseRequest& request) {
  std::vector<Round> rounds;
  const std::vector<RoundRule> rules = rules_of(request.pairing, request.members);
  for (std::int32_t repeat = 0; repeat < request.repeats; ++repeat) {
    bool first = true;
    for (const RoundRule& rule : rules) {
      for (const FlowDirection direction : {FlowDirection::forward, FlowDirection::backward}) {
        Round round;
        round.id = static_cast<std::int32_t>(rounds.size());
        round.case_id = std::string(self.id);
        round.operation = self.operation;
        round.size_bytes = request.size.count();
        round.duration_ns = request.box.count();
        round.repeat = repeat;
        round.fresh = first && repeat > 0;
        round.rule = rule;
        round.rule.direction = direction;
        rounds.push_back(round);
        first = false;
      }
    }
  }
  return rounds;
}

}  // namespace railgauge
