// The rules of blame. Each is one function in one file; they run in the order of the registry and each
// explains what those behind it need not look at any more.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/diagnose/analysis.h"
#include "fabric/diagnose/picture.h"

namespace railgauge {

enum class Gate { none, model_and_peers, latency, payload, flows, ranks, placement };

// A finding on its way: what it does to which criterion.
struct Draft {
  Finding finding;
  Gate gate = Gate::none;
  Verdict model = Verdict::pass, peers = Verdict::pass;  // for model_and_peers
  Verdict other = Verdict::pass;                         // for all the others
  double weight = 0;                    // within a severity the greatest first: the share that is lost
  std::vector<std::int32_t> endpoints;  // whose state it sets
  std::string state;                    // "slow", "" leaves it
};

// What the screening accuses; confirmation() measures it again and the rules behind decide.
struct Suspect {
  enum class Kind { end, pair };
  Kind kind = Kind::end;
  std::int32_t endpoint = -1;             // end
  Direction direction = Direction::send;  // end
  std::int32_t source = -1, target = -1;  // pair
  bool either_end = false;                // pair whose ends have no other partner
  std::vector<std::size_t> pairs;         // indices into Picture::pairs
  double ratio = 1;                       // median of measured over reference
  bool disturbed = false;                 // by disturbed samples alone
};

struct Inquiry {
  const Picture& picture;
  std::vector<Draft> drafts;
  std::vector<bool> explained;    // per pair of the picture
  std::vector<bool> fleet_wide;   // per pair: the model's shortfall is the fleet's, only peers still count
  std::vector<int> placed;        // per endpoint: draft of a placement finding that touches it; -1 none
  std::vector<Suspect> suspects;  // set by the rule "suspects"
  bool too_many = false;          // more than half of a class is suspect: nothing is measured again

  // Open: measured, below its floor and not explained.
  bool is_open(std::size_t pair) const;
};

struct Rule {
  std::string_view name;
  std::span<const std::string_view> codes;  // it may give; empty: it explains or accuses only
  void (*apply)(Inquiry&);
};

// In the order they run.
std::span<const Rule> all_rules();
// All rules up to and including "suspects".
Inquiry accuse(const Picture& picture);
// All rules.
Inquiry judge(const Picture& picture);

namespace rule {
void placement(
    Inquiry&);          // findings of the inventory; slow and failed flows they explain become their evidence
void ranks(Inquiry&);   // rank.died, rank.hung, node.lost, engine.failed, launch.failed
void silent(Inquiry&);  // node.silent
void payload(Inquiry&);     // payload.wrong
void failures(Inquiry&);    // rail.unreachable, flow.failed, unsteady
void fleet(Inquiry&);       // fleet.slow
void everywhere(Inquiry&);  // rail.slow_everywhere
void leaf(Inquiry&);        // leaf.slow, fabric.cross_leaf
void suspects(Inquiry&);    // fills Inquiry::suspects
void ends(Inquiry&);        // rail.slow, rail.slow_under_load, node.slow, unsteady
void pairs(Inquiry&);       // route.slow, route.collision, rail.slow_either_end, unsteady
void latency(Inquiry&);     // latency.high
}  // namespace rule

}  // namespace railgauge
