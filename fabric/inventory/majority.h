#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace railgauge {

// The most common value; a tie goes to the one that comes first. Empty: a default value.
template <class T>
T majority(const std::vector<T>& values) {
  T best{};
  std::ptrdiff_t most = 0;
  for (const T& v : values) {
    const std::ptrdiff_t n = std::count(values.begin(), values.end(), v);
    if (n > most) {
      most = n;
      best = v;
    }
  }
  return best;
}

}  // namespace railgauge
