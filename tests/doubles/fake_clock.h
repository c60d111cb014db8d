// Time that moves only when told.
#pragma once

#include "workers/engines/engine.h"

namespace railgauge {

class FakeClock : public Clock {
 public:
  explicit FakeClock(Nanos start = Nanos::s(1000)) : now_(start) {}
  Nanos now() const override { return now_; }
  void advance(Nanos by) { now_ = now_ + by; }
  void set(Nanos to) { now_ = to; }

 private:
  Nanos now_;
};

}  // namespace railgauge
