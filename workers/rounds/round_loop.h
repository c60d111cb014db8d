// One rank's way through the rounds of a launch. Knows no MPI, no sockets and no shared memory: World,
// Engine, Clock, Meters and RoundReport are interfaces, so that deaths and deadlines are tested with fakes.
//
// A round costs two collectives. The first carries every rank's clock and its wish to stop: its maximum is at
// once the barrier, the agreed start and the agreement to go on. The second, after the flows, is the settle
// barrier and finds the common interval. Before the second one the samples are already held on the report
// with the rank's own interval: whoever dies in it costs nobody a sample.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fabric/cases/schedule.h"
#include "proto/samples.h"
#include "workers/engines/engine.h"
#include "workers/rounds/board.h"
#include "workers/rounds/clock_offset.h"
#include "workers/rounds/meters.h"
#include "workers/rounds/windows.h"
#include "workers/rounds/world.h"

namespace railgauge {

// Where progress and samples go: the board in production.
class RoundReport {
 public:
  virtual ~RoundReport() = default;
  // give_up_ns: Clock time by which the phase has ended, come what may; 0: none.
  virtual void phase(Phase phase, std::int32_t round, std::int64_t give_up_ns) = 0;
  // Samples that stand unless publish() follows for the same ordinal.
  virtual void hold(std::int64_t ordinal, const std::vector<FlowSample>& flows,
                    const CounterSample& counters) = 0;
  virtual void publish(std::int64_t ordinal, const std::vector<FlowSample>& flows,
                       const CounterSample& counters) = 0;
  // True: no further round (orchestrator said stop, or the leader is gone). Asked before each round.
  virtual bool stop_wanted() const = 0;
  // True: end a running flow at once; nobody will read its result.
  virtual bool stop_early() const = 0;
};

// This rank's place. groups and index are made once: a part of a round then costs O(1).
struct Seat {
  std::int32_t endpoint = -1;
  std::vector<Endpoint> endpoints;  // of the schedule
  std::vector<char> living;         // per endpoint
  Groups groups;
  GroupIndex index;
};
// Errors (peer): endpoint or a living one outside the schedule.
Result<Seat> take_seat(std::int32_t endpoint, std::vector<Endpoint> endpoints,
                       const std::vector<std::int32_t>& living);

enum class RoundEnd { done, stopped, broken };

class RoundLoop {
 public:
  // engine may be nullptr: this rank then takes part in every agreement, and its flows are not_started with
  // `engine_error`.
  RoundLoop(Seat seat, World& world, Engine* engine, std::string engine_error, const Clock& clock,
            const Meters& meters, RoundReport& report);

  // Collective, once, after all engines are open: addresses, endpoints and clocks. Errors: the world broke;
  // another build.
  Result<ClockOffset> exchange(Nanos within);

  // broken: the world is; samples of a round whose flows ran are published all the same. stopped: the round
  // did not begin anywhere.
  RoundEnd run_round(const Round& round);

 private:
  struct Plan;
  struct Ran;
  Result<void> exchange_addresses(Nanos within);
  Plan plan(const Round& round);
  std::string connect_error(std::int32_t peer);
  std::optional<TimeBox> agree_start(const Round& round, bool* stopped);
  Ran run_flows(const Round& round, const Plan& plan, const TimeBox& box);
  FlowSample sample_of(const Round& round, const FlowTask& task, const FlowOutcome& outcome, const Ran& ran,
                       const TimeBox& box, Interval interval, std::int64_t window_ns) const;
  std::vector<FlowSample> samples_of(const Round& round, const Plan& plan, const Ran& ran, const TimeBox& box,
                                     Interval interval, std::int64_t window_ns) const;
  std::string name_of(std::int32_t endpoint) const;

  Seat seat_;
  World& world_;
  Engine* engine_;
  std::string engine_error_;
  const Clock& clock_;
  const Meters& meters_;
  RoundReport& report_;
  ClockOffset offset_;
  std::vector<Blob> addresses_;          // per endpoint; empty: that rank has no engine
  std::vector<std::string> identities_;  // of clocks, per rank
  std::set<std::int32_t> connected_;
  std::int64_t ordinal_ = 0;
};

}  // namespace railgauge
