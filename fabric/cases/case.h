// A case is a kind of measurement: pure data and expand(). One file and one line in cases.cc each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/cases/schedule.h"
#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

// What one rank drives (DESIGN section 2, Layout).
enum class Layout { per_nic, per_gpu, per_node };
std::string_view to_text(Layout layout);

// Which pairs a case visits. `automatic` is circle up to 8 members in the largest group, power-of-two shifts
// beyond.
enum class Pairs { automatic, circle, shift_pow2, matchings, neighbours };
std::string_view to_text(Pairs pairs);
std::span<const Pairs> all_values(Pairs);

struct Pairing {
  Pairs kind = Pairs::automatic;
  std::int32_t count = 1;  // of matchings; at least 1
  std::uint64_t seed = 1;  // of matchings
};
// "circle", "shift_pow2", "matchings:3", "neighbours", "automatic". Errors (input) name the text.
Result<Pairing> parse_pairing(std::string_view text);
std::string to_text(const Pairing& pairing);

// What a plan wants of a case, with nothing left open.
struct CaseRequest {
  Bytes size;
  Nanos box;  // of each flow
  std::int32_t repeats = 1;
  Pairing pairing;
  std::size_t members = 0;  // of the largest group: below 2 there is nothing to measure
  std::size_t groups = 1;   // rails and subnets that a case may visit one after another
};

struct Case {
  std::string_view id;    // dotted, wide to narrow
  std::string_view unit;  // of its figure: "bit/s", "ns"
  std::string_view title;
  std::string_view needs;  // what the node must have: "one NIC"
  Layout layout = Layout::per_nic;
  Operation operation = Operation::write_stream;
  // Message size where the plan states none. slowest: payload rate of the slowest endpoint, 0 unknown.
  Bytes (*default_size)(BitRate slowest) = nullptr;
  Nanos default_box;
  std::int32_t default_repeats = 1;
  // Rounds of the case, ids from 0, in the order they run. Empty where members < 2.
  std::vector<Round> (*expand)(const Case& self, const CaseRequest& request) = nullptr;
};

std::span<const Case> all_cases();
const Case* find_case(std::string_view id);  // nullptr: unknown

// The pairing as rules without direction; each is run in both directions.
std::vector<RoundRule> rules_of(const Pairing& pairing, std::size_t members);

// Rounds of any pairwise case: repeats outermost, so that a drift of the machine spreads over all pairs
// instead of hitting the last ones; each repeat after the first starts with new connections and buffers.
std::vector<Round> pairwise_rounds(const Case& self, const CaseRequest& request);

}  // namespace railgauge
