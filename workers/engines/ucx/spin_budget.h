// Whether it pays to look for the answer of a ping-pong for some microseconds before going to sleep: waking
// up costs more than the whole trip on an idle machine. Where many ranks share few cores the answer cannot
// come while we look, and looking only takes the core from the one who would send it: then it is given up,
// and tried again now and then.
#pragma once

#include <algorithm>

#include "proto/units.h"

namespace railgauge {

class SpinBudget {
 public:
  static constexpr Nanos longest = Nanos::us(50);
  // Asked once before each wait.
  bool worth_it() { return score_ >= 0 || ++declined_ % 64 == 0; }
  void answered() { score_ = std::min(score_ + 1, 8); }
  void in_vain() { score_ = std::max(score_ - 2, -8); }

 private:
  int score_ = 0;
  unsigned declined_ = 0;
};

}  // namespace railgauge
