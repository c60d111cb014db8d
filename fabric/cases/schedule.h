// What will run: endpoints, and rounds as rules that every rank expands for itself. schedule.json is this
// struct.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/ids.h"
#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

// The closed set of what an engine can be asked to do in a flow.
enum class Operation {
  write_stream,     // one-sided writes from source to target, windowed rate
  send_stream,      // two-sided (tag) messages, windowed rate
  write_ping_pong,  // closed-loop latency by writes, half the round trip
  send_ping_pong,   // closed-loop latency by messages
};
std::string_view to_text(Operation op);
std::span<const Operation> all_values(Operation);

struct Endpoint {
  std::string node;
  std::string device;  // NIC as NicFacts::device
  int port = 1;
  int rail = -1;
  int node_class = -1;
  int numa_node = -1;                   // -1 unknown
  std::string interface;                // network interface, "" none
  std::string subnet;                   // different subnets are never paired
  std::string leaf;                     // "" unknown
  double expected_bits_per_second = 0;  // payload this endpoint should reach alone; 0 = unknown
  std::string expected_from;            // provenance: "site file: 200 Mbit/s x 0.956", "class majority"
};

enum class RuleKind {
  circle,      // circle method: index r in [0, n-1) (n rounded up to even) gives a perfect matching
  shift,       // endpoint i sends to i + index (mod n); every endpoint sends and receives
  matching,    // random perfect matching from `seed`
  neighbours,  // pairs (0,1)(2,3)...; index 1: (1,2)(3,4)...
  list,        // exactly `pairs`
};
std::string_view to_text(RuleKind kind);
std::span<const RuleKind> all_values(RuleKind);

enum class FlowDirection { forward, backward, both };  // of each pair (a, b): a to b, b to a, or both at once
std::string_view to_text(FlowDirection d);
std::span<const FlowDirection> all_values(FlowDirection);

struct PairRef {
  std::int32_t source = -1, target = -1;  // endpoints
};

// Applied to each group (same rail, same subnet, order of the schedule) by itself: all rails at once.
struct RoundRule {
  RuleKind kind = RuleKind::circle;
  std::int32_t index = 0;
  std::uint64_t seed = 0;
  FlowDirection direction = FlowDirection::forward;
  std::int32_t group = -1;     // only this group (as groups_of() counts them); -1: all at once
  std::vector<PairRef> pairs;  // only for list; direction is not applied
};

enum class RoundPurpose { screen, confirm_loaded, confirm_alone };
std::string_view to_text(RoundPurpose purpose);
std::span<const RoundPurpose> all_values(RoundPurpose);

struct Round {
  std::int32_t id = 0;  // counts over the run
  std::string case_id;  // "p2p.rail.write_bw"
  Operation operation = Operation::write_stream;
  std::uint64_t size_bytes = 0;
  std::int64_t duration_ns = 0;  // time box of its flows
  std::int32_t repeat = 0;
  RoundPurpose purpose = RoundPurpose::screen;
  bool fresh = false;  // new queue pairs (endpoints) and buffers before this round
  RoundRule rule;
};

struct Schedule {
  std::string run_id;  // of the run whose file it is; "" elsewhere
  std::vector<Endpoint>
      endpoints;  // rank order: (unit, leaf, port) where known, else natural order of node ids
  std::vector<Round> rounds;
};

struct Flow {
  EndpointIndex source, target;
  bool operator==(const Flow&) const = default;
};

// Whether a schedule that was read can be worked with. Errors (input): "rounds[3].rule.pairs[0]: reason".
Result<void> check_schedule(const Schedule& schedule);

// Groups of a schedule: endpoints that may be paired. Shape: [group][member] -> endpoint index, ascending.
using Groups = std::vector<std::vector<std::int32_t>>;
Groups groups_of(std::span<const Endpoint> endpoints);

// Rounds that the rule has for groups whose largest has n members. 1 for matching, neighbours has 2, list 1,
// shift n-1.
int rounds_of(RuleKind kind, std::size_t n);

// Every flow of a round, sorted by (source, target). Empty where the group is too small for the index.
std::vector<Flow> expand(const RoundRule& rule, const Groups& groups);

// What one endpoint does in the round: at most one target to send to and one source to receive from for all
// kinds but list. Costs O(1) for circle, shift and neighbours, O(n) for matching. Position: `group_of` and
// `place_of` from index_groups().
struct Part {
  std::vector<std::int32_t> sends_to, receives_from;
};
struct GroupIndex {
  std::vector<std::int32_t> group_of, place_of;  // per endpoint
};
GroupIndex index_groups(const Groups& groups, std::size_t endpoints);
Part part_of(const RoundRule& rule, const Groups& groups, const GroupIndex& index, EndpointIndex endpoint);

template <class V>
void describe(V& v, Endpoint& e) {
  v("node", e.node);
  v("device", e.device);
  v("port", e.port);
  v("rail", e.rail);
  v("node_class", e.node_class);
  v("numa_node", e.numa_node);
  v("interface", e.interface);
  v("subnet", e.subnet);
  v("leaf", e.leaf);
  v("expected_bits_per_second", e.expected_bits_per_second);
  v("expected_from", e.expected_from);
}
template <class V>
void describe(V& v, PairRef& p) {
  v("source", p.source);
  v("target", p.target);
}
template <class V>
void describe(V& v, RoundRule& r) {
  v("kind", r.kind);
  v("index", r.index);
  v("seed", r.seed);
  v("direction", r.direction);
  v("group", r.group);
  v("pairs", r.pairs);
}
template <class V>
void describe(V& v, Round& r) {
  v("id", r.id);
  v("case", r.case_id);
  v("operation", r.operation);
  v("size_bytes", r.size_bytes);
  v("duration_ns", r.duration_ns);
  v("repeat", r.repeat);
  v("purpose", r.purpose);
  v("fresh", r.fresh);
  v("rule", r.rule);
}
template <class V>
void describe(V& v, Schedule& s) {
  v("run_id", s.run_id);
  v("endpoints", s.endpoints);
  v("rounds", s.rounds);
}

}  // namespace railgauge
