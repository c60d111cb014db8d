// Gates that a person stated in the plan ("criteria" of a plan file): "goodput of the worst flow of
// p2p.rail.write_bw at 1 MiB: at least 45 Gbit/s".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fabric/diagnose/analysis.h"

namespace railgauge {

// Of one flow in one repeat. Rates: goodput over the whole interval, median window; latency: exact median,
// exact p99.
enum class Statistic { goodput, median, p99 };
std::string_view to_text(Statistic s);
std::span<const Statistic> all_values(Statistic);

// Which flow of the case is held against the limit; a flow's figure is the median over its repeats.
enum class FlowChoice { worst, median };
std::string_view to_text(FlowChoice f);
std::span<const FlowChoice> all_values(FlowChoice);

enum class Bound { at_least, at_most };
std::string_view to_text(Bound b);  // "at least"
std::span<const Bound> all_values(Bound);

// Repeats with new connections and buffers behind every number that a criterion quotes (DESIGN section 5.3).
inline constexpr int kQuotedRepeats = 6;

struct StatedCriterion {
  std::string id;  // "accept.write_bw"; is_built_in_criterion(id) is false
  std::string case_id;
  std::uint64_t size_bytes = 0;  // 0: the one size of the case
  Statistic statistic = Statistic::goodput;
  FlowChoice flow = FlowChoice::worst;
  Bound bound = Bound::at_least;
  Quantity limit;                  // in the unit of the case
  Verdict missed = Verdict::fail;  // or warn
  std::string from;                // "plan accept.yaml:12"
};

template <class V>
void describe(V& v, StatedCriterion& c) {
  v("id", c.id);
  v("case", c.case_id);
  v("size_bytes", c.size_bytes);
  v("statistic", c.statistic);
  v("flow", c.flow);
  v("bound", c.bound);
  v("limit", c.limit);
  v("missed", c.missed);
  v("from", c.from);
}

}  // namespace railgauge
