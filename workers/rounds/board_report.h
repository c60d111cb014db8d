// A rank's progress and samples, written to its slot of the board.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "workers/rounds/board.h"
#include "workers/rounds/round_loop.h"

namespace railgauge {

class BoardReport : public RoundReport {
 public:
  // hurry: asked while a flow runs; true when this process has to end soon (SIGTERM, leader gone).
  BoardReport(Board& board, RankSlot& slot, std::function<bool()> hurry);
  void phase(Phase phase, std::int32_t round, std::int64_t give_up_ns) override;
  void hold(std::int64_t ordinal, const std::vector<FlowSample>& flows,
            const CounterSample& counters) override;
  void publish(std::int64_t ordinal, const std::vector<FlowSample>& flows,
               const CounterSample& counters) override;
  bool stop_wanted() const override;
  bool stop_early() const override { return hurry_(); }

 private:
  Board& board_;
  RankSlot& slot_;
  std::function<bool()> hurry_;
};

}  // namespace railgauge
