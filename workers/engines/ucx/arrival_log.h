// Arrivals of one flow in bounded memory: beyond the limit every second entry is dropped and from then on
// only every second one kept, so that entries stay even in arrivals and the totals stay exact.
#pragma once

#include <cstddef>
#include <vector>

#include "workers/engines/engine.h"

namespace railgauge {

class ArrivalLog {
 public:
  explicit ArrivalLog(std::size_t limit = 65536) : limit_(limit) {}
  // In order of time; total_bytes never falls.
  void add(const Arrival& arrival);
  // All entries, the last one always included. The log is empty afterwards.
  std::vector<Arrival> take();

 private:
  std::size_t limit_;
  std::size_t stride_ = 1, since_ = 0;
  std::vector<Arrival> entries_;
  Arrival last_{0, 0};
};

}  // namespace railgauge
