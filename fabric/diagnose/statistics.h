// Robust statistics of the judgement: pure, on plain numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace railgauge {

// Middle value; of an even count the mean of the two middle ones. Empty: 0.
double median(std::vector<double> values);

// Median absolute deviation from the median, not scaled. Empty: 0.
double mad(const std::vector<double>& values);

// Run-to-run spread, relative (standard deviation of the logarithm), pooled over groups of repeats. Groups of
// one and values not above 0 say nothing. A group that spreads more than four times as far as the usual one
// is left out: it is a fault or a disturbed sample, and must not hide others behind a wide gate. Nothing to
// pool: 0.
double pooled_sigma(std::span<const std::vector<double>> groups);

struct Edge {
  std::int32_t source = -1, target = -1;
  double ratio = 1;  // measured over reference
  bool bad = false;
  double rate = 0;  // bits per second
};

// Effect of each sender and each receiver on the logarithm of the ratio: 0 = as usual, negative = slow.
// Shape: [endpoint]; 0 where an endpoint has no edge. Tukey's median polish on the edges that exist.
struct Effects {
  std::vector<double> send, receive;
};
Effects median_polish(std::span<const Edge> edges, std::size_t endpoints);

}  // namespace railgauge
