// Exact quantiles of a closed loop's half round trips. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace railgauge {

// Below this many samples a p99.9 rests on fewer than 10 values and is not stated (DESIGN 5.4).
inline constexpr std::uint64_t kLatencySamplesForP999 = 10'000;

struct LatencyNumbers {
  std::uint64_t count = 0;
  double p50_ns = 0, p99_ns = 0;
  double p999_ns = 0;  // 0: fewer than 10 000 samples
  double max_ns = 0;
};

// Nearest rank: the smallest sample that at least the share q of all samples does not exceed. No samples: all
// zero. Takes the samples by value: it reorders them.
LatencyNumbers latency_numbers(std::vector<std::int64_t> samples_ns);

}  // namespace railgauge
