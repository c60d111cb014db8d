#include "fabric/diagnose/rules.h"

#include <array>

namespace railgauge {
namespace {

using Codes = std::string_view;
// placement: the codes of fabric/diagnose/placement.h.
constexpr std::array<Codes, 6> kPlacement = {"nic.missing",   "nic.misplaced", "nic.swapped",
                                             "cable.swapped", "rail.down",     "pcie.degraded"};
constexpr std::array<Codes, 5> kRanks = {"rank.died", "rank.hung", "node.lost", "engine.failed",
                                         "launch.failed"};
constexpr std::array<Codes, 1> kSilent = {"node.silent"};
constexpr std::array<Codes, 1> kPayload = {"payload.wrong"};
constexpr std::array<Codes, 2> kFailures = {"rail.unreachable", "flow.failed"};
constexpr std::array<Codes, 1> kFleet = {"fleet.slow"};
constexpr std::array<Codes, 1> kEverywhere = {"rail.slow_everywhere"};
constexpr std::array<Codes, 2> kLeaf = {"leaf.slow", "fabric.cross_leaf"};
constexpr std::array<Codes, 4> kEnds = {"rail.slow", "rail.slow_under_load", "node.slow", "unsteady"};
constexpr std::array<Codes, 3> kPairs = {"route.slow", "route.collision", "rail.slow_either_end"};
constexpr std::array<Codes, 1> kLatency = {"latency.high"};

constexpr std::array kRules = {
    Rule{"placement", kPlacement, rule::placement},
    Rule{"ranks", kRanks, rule::ranks},
    Rule{"silent", kSilent, rule::silent},
    Rule{"payload", kPayload, rule::payload},
    Rule{"failures", kFailures, rule::failures},
    Rule{"fleet", kFleet, rule::fleet},
    Rule{"everywhere", kEverywhere, rule::everywhere},
    Rule{"leaf", kLeaf, rule::leaf},
    Rule{"suspects", {}, rule::suspects},
    Rule{"ends", kEnds, rule::ends},
    Rule{"pairs", kPairs, rule::pairs},
    Rule{"latency", kLatency, rule::latency},
};

Inquiry run(const Picture& picture, std::string_view last) {
  Inquiry inquiry{picture,
                  {},
                  std::vector<bool>(picture.pairs.size(), false),
                  std::vector<bool>(picture.pairs.size(), false),
                  std::vector<int>(picture.endpoints(), -1),
                  {},
                  false};
  for (const Rule& r : kRules) {
    r.apply(inquiry);
    if (r.name == last) break;
  }
  return inquiry;
}

}  // namespace

bool Inquiry::is_open(std::size_t pair) const {
  const Pair& p = picture.pairs[pair];
  if (explained[pair] || p.repeats == 0) return false;
  if (!fleet_wide[pair]) return picture.bad(p);
  const PeerClass* c = picture.class_of(p.source, p.target);
  return c != nullptr && c->judged && p.rate < c->median * (1 - c->delta);
}

std::span<const Rule> all_rules() { return kRules; }

Inquiry accuse(const Picture& picture) { return run(picture, "suspects"); }

Inquiry judge(const Picture& picture) { return run(picture, ""); }

}  // namespace railgauge
