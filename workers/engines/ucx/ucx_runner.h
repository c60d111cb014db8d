// Drives the flows of one round on one worker: progress, advance, sleep; then ends what is left.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workers/engines/engine.h"
#include "workers/engines/ucx/spin_budget.h"
#include "workers/engines/ucx/ucx_flow.h"
#include "workers/engines/ucx/ucx_worker.h"

namespace railgauge {

class UcxRunner {
 public:
  // no_events: the transport gives none when a write arrives (RDMA, shared memory), so that waiting means
  // looking.
  UcxRunner(UcxWorker& worker, const Clock& clock, std::string device, bool no_events,
            std::uint64_t in_flight);
  std::vector<FlowOutcome> run(const std::vector<FlowTask>& tasks, const TimeBox& box,
                               const std::function<bool()>& stop_early);

 private:
  using Flows = std::vector<std::unique_ptr<FlowSide>>;
  struct EarlyControl {
    Control control;
    std::vector<std::byte> key;
  };

  std::unique_ptr<FlowSide> make_flow(const RunFrame& frame, const FlowTask& task, Peer& peer,
                                      std::size_t& rings);
  void deliver(const Control& control, std::span<const std::byte> key);
  void loop(const RunFrame& frame, const std::function<bool()>& stop_early);
  void settle(const RunFrame& frame);

  UcxWorker& worker_;
  const Clock& clock_;
  std::string device_;
  bool no_events_;
  std::uint64_t in_flight_;
  SpinBudget spin_;
  Flows flows_;
  std::deque<EarlyControl> early_;  // of a round this side has not begun yet
};

}  // namespace railgauge
