#include "fabric/diagnose/flows.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace railgauge {
namespace {

constexpr double kDisturbedShare = 0.10;  // of the interval spent runnable but not running

std::string error_text(const FlowSample& s) {
  return std::string(s.error, strnlen(s.error, sizeof(s.error)));
}

bool is_disturbed(const FlowSample& s, const Round& round) {
  const std::int64_t interval = s.interval_ns > 0 ? s.interval_ns : round.duration_ns;
  return interval > 0 &&
         static_cast<double>(s.run_delay_ns) > kDisturbedShare * static_cast<double>(interval);
}

void add(FlowResult& f, const FlowSample& s) {
  f.disturbed = f.disturbed || is_disturbed(s, *f.round);
  f.wrong += s.wrong_bytes;
  f.verified += s.verified_bytes;
  const bool ok = s.status == FlowStatus::ok;
  // A peer that was not there has an event of its own; it is not this flow's failure.
  if (s.status == FlowStatus::failed || s.status == FlowStatus::not_started) {
    f.failed = true;
    if (f.error.empty() || s.side == Side::receive) f.error = error_text(s);
  }
  if (s.side == Side::send) {
    if (s.latency_count > 0 && ok) {
      f.latency_count = s.latency_count;
      f.p50 = s.latency_p50_ns;
      f.p99 = s.latency_p99_ns;
    }
    return;
  }
  if (ok) {
    f.received = true;
    f.rate = s.goodput_bits_per_second;
    f.window_median = s.median_bits_per_second;
    f.total_bytes = std::max(s.total_bytes, s.payload_bytes);
  }
  if (ok && s.latency_count > 0 && f.latency_count == 0) {
    f.latency_count = s.latency_count;
    f.p50 = s.latency_p50_ns;
    f.p99 = s.latency_p99_ns;
  }
}

// Position in the file decides between two samples of one side: index is it.
struct Ref {
  std::int32_t source, target, round;
  Side side;
  bool ok;
  std::size_t index;
};

}  // namespace

bool ends_a_rank(const Event& event) {
  return event.kind == "rank_died" || event.kind == "rank_hung" || event.kind == "node_lost" ||
         event.kind == "launch_failed" || event.kind == "engine_failed";
}

std::vector<FlowResult> merge_flows(const Evidence& evidence,
                                    const std::map<std::int32_t, const Round*>& rounds,
                                    const std::set<std::int32_t>& broken) {
  const auto& samples = evidence.samples.flows;
  const auto n = static_cast<std::int32_t>(evidence.schedule.endpoints.size());
  std::vector<Ref> refs;
  refs.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const FlowSample& s = samples[i];
    const bool known =
        s.source >= 0 && s.source < n && s.target >= 0 && s.target < n && rounds.contains(s.round);
    if (known) refs.push_back({s.source, s.target, s.round, s.side, s.status == FlowStatus::ok, i});
  }
  std::sort(refs.begin(), refs.end(), [](const Ref& a, const Ref& b) {
    return std::tie(a.source, a.target, a.round, a.side, a.ok, a.index) <
           std::tie(b.source, b.target, b.round, b.side, b.ok, b.index);
  });
  std::vector<FlowResult> flows;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const Ref& r = refs[i];
    const bool repeated =
        i + 1 < refs.size() && std::tie(refs[i + 1].source, refs[i + 1].target, refs[i + 1].round,
                                        refs[i + 1].side) == std::tie(r.source, r.target, r.round, r.side);
    if (repeated) continue;  // a later or better one follows
    const bool same = !flows.empty() && flows.back().source == r.source && flows.back().target == r.target &&
                      flows.back().round->id == r.round;
    if (!same) {
      FlowResult f;
      f.round = rounds.at(r.round);
      f.source = r.source;
      f.target = r.target;
      flows.push_back(std::move(f));
    }
    add(flows.back(), samples[r.index]);
  }
  for (FlowResult& f : flows) {
    if (!broken.contains(f.round->id)) continue;
    f.failed = false;
    f.disturbed = true;
  }
  return flows;
}

}  // namespace railgauge
