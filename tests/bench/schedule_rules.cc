// Full-pair schedule of 2048 nodes x 8 rails as rules: time to build and write, size, and the time for one
// rank to expand its part. Bars of issue 01.
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "fabric/cases/schedule.h"
#include "proto/json.h"

namespace {

using namespace railgauge;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

constexpr int kNodes = 2048;
constexpr int kRails = 8;
constexpr int kRepeats = 7;

Schedule full_pairs() {
  Schedule s;
  s.endpoints.reserve(std::size_t{kNodes} * kRails);
  for (int n = 0; n < kNodes; ++n) {
    for (int r = 0; r < kRails; ++r) {
      Endpoint e;
      e.node = fmt::format("n{:04}", n);
      e.device = fmt::format("mlx5_{}", r);
      e.rail = r;
      s.endpoints.push_back(std::move(e));
    }
  }
  const int rounds = rounds_of(RuleKind::circle, kNodes);
  for (int index = 0; index < rounds; ++index) {
    for (const FlowDirection d : {FlowDirection::forward, FlowDirection::backward}) {
      Round round;
      round.id = static_cast<std::int32_t>(s.rounds.size());
      round.case_id = "p2p.rail.write_bw";
      round.size_bytes = 1U << 20U;
      round.duration_ns = 1000000000;
      round.rule.index = index;
      round.rule.direction = d;
      s.rounds.push_back(std::move(round));
    }
  }
  return s;
}

}  // namespace

int main() {
  std::vector<double> build, part;
  std::size_t bytes = 0;
  std::size_t flows = 0;
  for (int i = 0; i < kRepeats; ++i) {
    auto start = std::chrono::steady_clock::now();
    const Schedule s = full_pairs();
    build.push_back(milliseconds_since(start));
    bytes = to_json(s, 0).size();
    start = std::chrono::steady_clock::now();
    const Groups groups = groups_of(s.endpoints);
    const GroupIndex index = index_groups(groups, s.endpoints.size());
    flows = 0;
    for (const Round& round : s.rounds)
      flows += part_of(round.rule, groups, index, EndpointIndex{12345}).sends_to.size();
    part.push_back(milliseconds_since(start));
  }
  std::ranges::sort(build);
  std::ranges::sort(part);
  const double build_ms = build[kRepeats / 2];
  const double part_ms = part[kRepeats / 2];
  const double megabytes = static_cast<double>(bytes) / 1e6;
  const bool good = build_ms < 100 && megabytes < 10 && part_ms < 50 && flows == kNodes - 1;
  fmt::print(
      "schedule 2048 x 8, all pairs, both directions: built in {:.1f} ms (bar 100), {:.2f} MB as JSON (bar "
      "10)\n",
      build_ms, megabytes);
  fmt::print("one rank's part of {} rounds: {:.2f} ms (bar 50), it sends in {} of them (wanted {})\n",
             2 * (kNodes - 1), part_ms, flows, kNodes - 1);
  fmt::print("{}\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
