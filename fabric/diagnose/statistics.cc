#include "fabric/diagnose/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace railgauge {
namespace {

constexpr double kFarSpread = 4;      // times the usual spread
constexpr int kPolishRounds = 6;      // it settles in three or four
constexpr double kSmallRatio = 1e-6;  // a dead flow has no logarithm

struct Spread {
  double variance = 0;
  double freedom = 0;
};

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double mad(const std::vector<double>& values) {
  const double m = median(values);
  std::vector<double> far;
  far.reserve(values.size());
  for (const double v : values) far.push_back(std::abs(v - m));
  return median(std::move(far));
}

double pooled_sigma(std::span<const std::vector<double>> groups) {
  std::vector<Spread> spreads;
  std::vector<double> sizes;
  for (const std::vector<double>& g : groups) {
    std::vector<double> logs;
    for (const double v : g) {
      if (v > 0) logs.push_back(std::log(v));
    }
    if (logs.size() < 2) continue;
    double mean = 0, squares = 0;
    for (const double l : logs) mean += l / static_cast<double>(logs.size());
    for (const double l : logs) squares += (l - mean) * (l - mean);
    const double freedom = static_cast<double>(logs.size() - 1);
    spreads.push_back({squares / freedom, freedom});
    sizes.push_back(std::sqrt(squares / freedom));
  }
  const double usual = median(sizes);
  double sum = 0, freedom = 0;
  for (const Spread& s : spreads) {
    if (usual > 0 && std::sqrt(s.variance) > kFarSpread * usual) continue;
    sum += s.variance * s.freedom;
    freedom += s.freedom;
  }
  return freedom > 0 ? std::sqrt(sum / freedom) : 0;
}

Effects median_polish(std::span<const Edge> edges, std::size_t endpoints) {
  Effects effects{std::vector<double>(endpoints, 0), std::vector<double>(endpoints, 0)};
  std::vector<double> rest;
  rest.reserve(edges.size());
  for (const Edge& e : edges) rest.push_back(std::log(std::max(e.ratio, kSmallRatio)));
  std::vector<std::vector<std::size_t>> by_source(endpoints), by_target(endpoints);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    by_source[static_cast<std::size_t>(edges[i].source)].push_back(i);
    by_target[static_cast<std::size_t>(edges[i].target)].push_back(i);
  }
  const auto sweep = [&rest](const std::vector<std::vector<std::size_t>>& groups, std::vector<double>& into) {
    for (std::size_t e = 0; e < groups.size(); ++e) {
      if (groups[e].empty()) continue;
      std::vector<double> values;
      values.reserve(groups[e].size());
      for (const std::size_t i : groups[e]) values.push_back(rest[i]);
      const double m = median(std::move(values));
      into[e] += m;
      for (const std::size_t i : groups[e]) rest[i] -= m;
    }
  };
  for (int round = 0; round < kPolishRounds; ++round) {
    sweep(by_source, effects.send);
    sweep(by_target, effects.receive);
  }
  return effects;
}

}  // namespace railgauge
