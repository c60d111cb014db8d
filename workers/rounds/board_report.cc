#include "workers/rounds/board_report.h"

#include <algorithm>
#include <utility>

namespace railgauge {

BoardReport::BoardReport(Board& board, RankSlot& slot, std::function<bool()> hurry)
    : board_(board), slot_(slot), hurry_(std::move(hurry)) {}

void BoardReport::phase(Phase phase, std::int32_t round, std::int64_t give_up_ns) {
  // The new deadline first: the leader must never read a new phase with an old, passed deadline.
  slot_.give_up_ns.store(give_up_ns, std::memory_order_release);
  slot_.round.store(round, std::memory_order_release);
  slot_.phase.store(static_cast<std::int32_t>(phase), std::memory_order_release);
}

void BoardReport::hold(std::int64_t ordinal, const std::vector<FlowSample>& flows,
                       const CounterSample& counters) {
  HeldSamples& held = slot_.held;
  held.ordinal.store(-1, std::memory_order_release);
  const std::size_t n = std::min(flows.size(), kMaxFlowsOfRank);
  std::copy_n(flows.begin(), n, held.flows.begin());
  held.flow_count = static_cast<std::int32_t>(n);
  held.counters = counters;
  held.ordinal.store(ordinal, std::memory_order_release);
}

void BoardReport::publish(std::int64_t ordinal, const std::vector<FlowSample>& flows,
                          const CounterSample& counters) {
  for (const FlowSample& f : flows) slot_.flows.push({ordinal, f});
  slot_.counters.push({ordinal, counters});
  slot_.held.ordinal.store(-1, std::memory_order_release);
  slot_.rounds_done.store(ordinal + 1, std::memory_order_release);
}

bool BoardReport::stop_wanted() const {
  return board_.command.load(std::memory_order_acquire) != static_cast<std::int32_t>(Command::none) ||
         hurry_();
}

}  // namespace railgauge
