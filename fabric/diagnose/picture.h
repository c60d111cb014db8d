// What the samples say before anybody is blamed: flows from both sides, pairs over their repeats, peer
// classes, events.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fabric/diagnose/diagnose.h"

namespace railgauge {

// One flow of one round, both sides merged: the receiver gives the rate, both give the status.
struct FlowResult {
  const Round* round = nullptr;
  std::int32_t source = -1, target = -1;
  bool received = false;      // the receiver's figures are here
  bool failed = false;        // failed or could not start, and no death explains it
  bool cured = false;         // failed in the screening, and measured again it worked every time
  bool failed_again = false;  // failed in the screening, and again when measured again
  bool disturbed = false;     // a side waited for a CPU for more than 10 % of the interval
  double rate = 0;            // goodput, bits per second
  double window_median = 0;   // median window, bits per second
  std::uint64_t total_bytes = 0;
  std::uint64_t latency_count = 0;
  double p50 = 0, p99 = 0;  // ns
  std::uint64_t verified = 0, wrong = 0;
  std::string error;
};

// One direction of two endpoints over the repeats of the screening.
struct Pair {
  std::int32_t source = -1, target = -1;
  std::vector<double> rates;  // of undisturbed repeats; of all where every one is disturbed
  double rate = 0;            // median of `rates`
  double best = 0;            // of all repeats
  int repeats = 0;            // that gave a rate
  int failed = 0;             // that failed
  std::string error;          // of the last failure
  bool disturbed = false;     // every repeat
  double expected = 0;        // 0 unknown
  int peer_class = -1;
};

// {expected, class of source, class of target, hop: 0 unknown, 1 same leaf, 2 other leaf}
using PeerKey = std::tuple<std::int64_t, int, int, int>;

struct PeerClass {
  PeerKey key;
  std::vector<std::size_t> pairs;
  int members = 0;      // endpoints
  double median = 0;    // of undisturbed pairs
  double sigma = 0;     // run-to-run, pooled over its pairs
  double delta = 0;     // a finding is below (1 - delta) x median
  bool judged = false;  // enough members
};

struct LatencyPair {
  std::int32_t source = -1, target = -1;
  double p50 = 0, p99 = 0;  // median over undisturbed repeats, over all where there are none; ns
  bool disturbed = false;   // every repeat: for the tables, never judged
};

struct Picture {
  const Evidence& evidence;
  const Gates& gates;
  std::vector<FlowResult> flows;       // judged streaming case, screening; by (source, target), then round
  std::vector<FlowResult> confirming;  // the same case, confirmation rounds
  std::vector<FlowResult> all;         // every flow of every round, for proof and payload
  std::vector<Pair> pairs;             // sorted by (source, target)
  std::vector<PeerClass> classes;
  std::vector<LatencyPair> latency;
  std::map<std::int32_t, const Round*> rounds;
  std::set<std::int32_t> broken;  // rounds in which a rank died, hung or was lost
  double sigma = 0;               // pooled over all pairs
  std::string judged_case;        // "p2p.rail.write_bw"; "" none

  const Endpoint& endpoint(std::int32_t i) const {
    return evidence.schedule.endpoints[static_cast<std::size_t>(i)];
  }
  std::size_t endpoints() const { return evidence.schedule.endpoints.size(); }
  PeerKey key_of(std::int32_t source, std::int32_t target) const;
  const PeerClass* class_of(std::int32_t source, std::int32_t target) const;  // nullptr: none was screened
  // What a flow is compared with: the expectation, else the class median; 0 unknown.
  double reference(std::int32_t source, std::int32_t target) const;
  // Below this a flow is bad: the model's warning level or the class's gate, whichever is higher; 0 = cannot
  // be judged.
  double floor(std::int32_t source, std::int32_t target) const;
  bool bad(const Pair& p) const { return p.repeats > 0 && p.rate < floor(p.source, p.target); }
};

// Only the streaming case with the most rounds at its greatest size is judged by rate: small messages don't
// fill a link.
Picture picture_of(const Evidence& evidence, const Gates& gates);

}  // namespace railgauge
