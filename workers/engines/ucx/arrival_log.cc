#include "workers/engines/ucx/arrival_log.h"

#include <utility>

namespace railgauge {

void ArrivalLog::add(const Arrival& arrival) {
  last_ = arrival;
  if (++since_ < stride_) return;
  since_ = 0;
  if (entries_.size() + 1 >= limit_) {  // one place is left for last_ in take()
    std::size_t kept = 0;
    for (std::size_t i = 1; i < entries_.size(); i += 2) entries_[kept++] = entries_[i];
    entries_.resize(kept);
    stride_ *= 2;
  }
  entries_.push_back(arrival);
}

std::vector<Arrival> ArrivalLog::take() {
  if (last_.total_bytes > 0 && (entries_.empty() || entries_.back().total_bytes != last_.total_bytes))
    entries_.push_back(last_);
  since_ = 0;
  stride_ = 1;
  last_ = {0, 0};
  return std::exchange(entries_, {});
}

}  // namespace railgauge
