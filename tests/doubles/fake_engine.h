// An engine that moves nothing: receivers see a steady stream, ping-pongs a fixed latency; what should go
// wrong is set from outside.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "workers/engines/engine.h"

namespace railgauge {

// Bytes of one stream arriving evenly, a message every `every`, from box.start on.
inline FlowOutcome steady_stream(const FlowTask& task, const TimeBox& box, Nanos every) {
  FlowOutcome o;
  for (Nanos t = box.start + every; t <= box.stop; t = t + every) {
    o.payload_bytes += task.size_bytes;
    ++o.messages;
    if (!task.is_source) o.arrivals.push_back({t.count(), o.payload_bytes});
  }
  return o;
}

class FakeEngine : public Engine {
 public:
  // spend: called with the time at which the run is over; a fake clock jumps there.
  explicit FakeEngine(std::function<void(Nanos)> spend) : spend_(std::move(spend)) {}

  std::vector<EngineFact> facts() const override { return {{"transport", "fake"}}; }
  Result<std::vector<std::uint8_t>> address() override {
    if (!address_error.empty()) return fail(ErrorKind::environment, address_error);
    return std::vector<std::uint8_t>{1, 2, static_cast<std::uint8_t>(renewed)};
  }
  Result<void> renew() override {
    ++renewed;
    connected.clear();
    if (renew_fails) return fail(ErrorKind::environment, "fake: the interface is down");
    return {};
  }
  Result<void> connect(std::int32_t peer, const std::vector<std::uint8_t>&) override {
    if (refuse.contains(peer)) return fail(ErrorKind::peer, "fake: no way there");
    connected.push_back(peer);
    return {};
  }
  std::vector<FlowOutcome> run(const std::vector<FlowTask>& tasks, const TimeBox& box,
                               const std::function<bool()>&) override {
    ++runs;
    last_box = box;
    std::vector<FlowOutcome> outcomes;
    for (const FlowTask& task : tasks)
      outcomes.push_back(outcome_of ? outcome_of(task, box) : steady_stream(task, box, every));
    spend_(box.stop);
    return outcomes;
  }

  Nanos every = Nanos::ms(1);
  std::string address_error;
  std::set<std::int32_t> refuse;
  std::function<FlowOutcome(const FlowTask&, const TimeBox&)> outcome_of;
  std::vector<std::int32_t> connected;
  TimeBox last_box{};
  int renewed = 0, runs = 0;
  bool renew_fails = false;

 private:
  std::function<void(Nanos)> spend_;
};

}  // namespace railgauge
