// p2p.rail.latency: closed-loop half round trip of an 8-byte write between NICs of the same rail.
#include "fabric/cases/case.h"

namespace railgauge {
namespace {

Bytes default_size(BitRate) { return Bytes::b(8); }

// One rail after another, so that a node's other rails and their ranks do not wait for the same cores; one
// direction, since half a round trip knows none.
std::vector<Round> one_rail_at_a_time(const Case& self, const CaseRequest& request) {
  std::vector<Round> rounds;
  for (std::size_t group = 0; group < request.groups; ++group) {
    for (Round round : pairwise_rounds(self, request)) {
      if (round.rule.direction != FlowDirection::forward) continue;
      round.id = static_cast<std::int32_t>(rounds.size());
      round.rule.group = static_cast<std::int32_t>(group);
      rounds.push_back(std::move(round));
    }
  }
  return rounds;
}

}  // namespace

Case latency_case() {
  Case c;
  c.id = "p2p.rail.latency";
  c.unit = "ns";
  c.title = "Half round trip of a small write between NICs of one rail, closed loop";
  c.needs = "one NIC on two nodes";
  c.layout = Layout::per_nic;
  c.operation = Operation::write_ping_pong;
  c.default_size = default_size;
  c.default_box = Nanos::ms(250);
  c.default_repeats = 1;
  c.expand = one_rail_at_a_time;
  return c;
}

}  // namespace railgauge
