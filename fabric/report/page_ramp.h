// "% of expected" on paper: colour steps and the stretched axis, one home for map, legend, strips and tables.
#pragma once

#include <array>
#include <cstddef>

namespace railgauge {

// Lower edges in percent of the colour steps k0..k23 of page_style(); finest where decisions are made.
inline constexpr std::array<double, 24> kRampEdges = {0,  40, 45, 50, 55, 60, 65, 70, 75, 80, 82, 84,
                                                      86, 88, 90, 91, 92, 93, 94, 95, 96, 97, 98, 103};

// Step of a share of expected (0.5 -> 3). Negative counts as 0.
constexpr std::size_t ramp_step(double share) {
  std::size_t step = 0;
  while (step + 1 < kRampEdges.size() && share * 100 + 1e-9 >= kRampEdges[step + 1]) ++step;
  return step;
}

// Place in [0, 1] of a percentage: 80-105 % gets two thirds of the width. Below 40 and above 105 it stays at
// the ends.
constexpr double axis_place(double percent) {
  constexpr std::array<std::array<double, 2>, 7> kPoints = {
      {{40, 0}, {65, 0.16}, {80, 0.32}, {90, 0.54}, {95, 0.72}, {100, 0.93}, {105, 1}}};
  if (!(percent > kPoints[0][0])) return 0;
  for (std::size_t i = 1; i < kPoints.size(); ++i) {
    const auto& [a, x] = kPoints[i - 1];
    const auto& [b, y] = kPoints[i];
    if (percent <= b) return x + (y - x) * (percent - a) / (b - a);
  }
  return 1;
}

}  // namespace railgauge
