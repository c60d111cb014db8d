#include "workers/engines/ucx/ucx_runner.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "workers/engines/ucx/ucx_ping_pong.h"
#include "workers/engines/ucx/ucx_stream.h"

namespace railgauge {
namespace {

constexpr std::size_t early_max = 64;
constexpr Nanos longest_sleep = Nanos::ms(2);
constexpr Nanos settle_limit = Nanos::ms(20);
constexpr Nanos stop_grace =
    Nanos::ms(200);  // what is in flight when a run is stopped early may still arrive

FlowOutcome not_started(std::string text, std::int32_t code) {
  FlowOutcome outcome;
  outcome.ok = false;
  outcome.connected = false;
  outcome.error_code = code;
  outcome.error = std::move(text);
  return outcome;
}

}  // namespace

UcxRunner::UcxRunner(UcxWorker& worker, const Clock& clock, std::string device, bool no_events,
                     std::uint64_t in_flight)
    : worker_(worker),
      clock_(clock),
      device_(std::move(device)),
      no_events_(no_events),
      in_flight_(in_flight) {
  worker_.on_control(
      [this](const Control& control, std::span<const std::byte> key) { deliver(control, key); });
  worker_.on_write([this](const WriteHeader& header, std::span<const std::byte> message) {
    for (const auto& flow : flows_)
      if (flow && flow->is_of(header)) flow->on_write(header, message);
  });
}

void UcxRunner::deliver(const Control& control, std::span<const std::byte> key) {
  for (const auto& flow : flows_)
    if (flow && flow->matches(control)) return flow->on_control(control, key);
  // A faster peer is already in the next round. What belongs to a round that is over is dropped when the next
  // begins.
  if (early_.size() == early_max) early_.pop_front();
  early_.push_back({control, {key.begin(), key.end()}});
}

std::unique_ptr<FlowSide> UcxRunner::make_flow(const RunFrame& frame, const FlowTask& task, Peer& peer,
                                               std::size_t& rings) {
  const bool ping_pong =
      task.operation == Operation::write_ping_pong || task.operation == Operation::send_ping_pong;
  if (!ping_pong && task.is_source) return std::make_unique<StreamSender>(frame, task, peer);
  const std::size_t ring = one_sided(task.operation) ? rings++ : 0;
  if (ring >= UcxWorker::rings_max) return nullptr;
  if (ping_pong) return std::make_unique<PingPong>(frame, task, peer, ring);
  return std::make_unique<StreamReceiver>(frame, task, peer, ring);
}

void UcxRunner::loop(const RunFrame& frame, const std::function<bool()>& stop_early) {
  bool stopped = false;
  Nanos asked = clock_.now(), give_up = frame.box.deadline, idle_since = asked;
  bool look = false;
  const auto any = [this](auto&& is) {
    return std::any_of(flows_.begin(), flows_.end(),
                       [&](const auto& f) { return f && is(f->task().operation); });
  };
  const bool must_look = no_events_ && any(one_sided), may_look = any(is_ping_pong);
  // A reply goes out at once: another look at the wire first would be in every round trip.
  const int steps = may_look ? 1 : 16;
  for (;;) {
    const int busy = worker_.progress(steps);
    const Nanos now = clock_.now();
    const bool over = stopped || now >= frame.box.stop;
    bool moved = busy > 0, all = true;
    for (const auto& flow : flows_) {
      if (!flow || flow->finished()) continue;
      moved = flow->advance(now, over) || moved;
      if (flow->finished() && flow->failed())
        worker_.abandon(flow->peer());  // in the box, so that the others go on unharmed
      all = all && flow->finished();
    }
    if (all) return;
    if (!stopped && stop_early && now - asked >= longest_sleep) {
      asked = now;
      stopped = stop_early();
      if (stopped) give_up = std::min(give_up, now + stop_grace);
    }
    if (stopped && now >= give_up)
      for (const auto& flow : flows_)
        if (flow) flow->finish(now);
    if (moved) {
      if (look) spin_.answered();
      look = false;
      idle_since = now;
      continue;
    }
    if (may_look && now >= frame.box.start && now - idle_since < SpinBudget::longest &&
        (look || spin_.worth_it())) {
      look = true;
      continue;
    }
    if (look) spin_.in_vain();
    look = false;
    Nanos until = std::min(longest_sleep, frame.box.deadline - now);
    if (now < frame.box.start) until = std::min(until, frame.box.start - now);
    if (now < frame.box.stop) until = std::min(until, frame.box.stop - now);
    if (must_look && now >= frame.box.start) {
      sched_yield();
    } else {
      worker_.wait(until);
      idle_since = clock_.now();
    }
  }
}

void UcxRunner::settle(const RunFrame& frame) {
  for (const auto& flow : flows_)
    if (flow) flow->settle();
  const Nanos end = clock_.now() + settle_limit;
  const auto busy = [this] {
    return std::any_of(flows_.begin(), flows_.end(), [](const auto& f) { return f && f->in_flight(); });
  };
  while (busy() && clock_.now() < end)
    if (worker_.progress(16) == 0) worker_.wait(Nanos::ms(1));
  // UCX keeps small messages back when the socket is full; the peer must not wait for them until its
  // deadline.
  worker_.flush(std::clamp(frame.box.deadline - clock_.now(), Nanos::ms(1), Nanos::ms(50)));
}

std::vector<FlowOutcome> UcxRunner::run(const std::vector<FlowTask>& tasks, const TimeBox& box,
                                        const std::function<bool()>& stop_early) {
  // On the heap: a flow that UCX does not let go of outlives this call, and it refers to its frame.
  auto frame = std::make_unique<RunFrame>(RunFrame{worker_, clock_, box, device_, clock_.now(), in_flight_});
  std::vector<FlowOutcome> outcomes(tasks.size());
  flows_.clear();
  flows_.resize(tasks.size());
  std::size_t rings = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const FlowTask& task = tasks[i];
    if (task.size_bytes < word_bytes) {
      outcomes[i] = not_started(
          fmt::format("{}: message size {} B is below the smallest, 8 B", device_, task.size_bytes),
          UCS_ERR_INVALID_PARAM);
      continue;
    }
    Peer* peer = worker_.peer(task.is_source ? task.target : task.source);
    if (peer == nullptr) {
      outcomes[i] = not_started(fmt::format("{}: no connection to {} (its address is unknown or was refused)",
                                            device_, task.peer_name),
                                UCS_ERR_UNREACHABLE);
      continue;
    }
    flows_[i] = make_flow(*frame, task, *peer, rings);
    if (!flows_[i])
      outcomes[i] =
          not_started(fmt::format("{}: more than {} one-sided flows into one endpoint; {} is left out",
                                  device_, UcxWorker::rings_max, task.peer_name),
                      UCS_ERR_EXCEEDS_LIMIT);
  }
  for (const auto& flow : flows_)
    if (flow) flow->start();
  std::deque<EarlyControl> early;
  early.swap(early_);
  for (const EarlyControl& message : early)
    for (const auto& flow : flows_)
      if (flow && flow->matches(message.control)) flow->on_control(message.control, message.key);
  loop(*frame, stop_early);
  settle(*frame);
  bool kept = false;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!flows_[i]) continue;
    outcomes[i] = std::move(flows_[i]->outcome());
    if (!flows_[i]->in_flight()) continue;
    // UCX still refers to its buffers: the flow is left alone on purpose, and with it the worker.
    static_cast<void>(flows_[i].release());
    worker_.mark_damaged();
    kept = true;
  }
  flows_.clear();
  if (kept) static_cast<void>(frame.release());
  return outcomes;
}

}  // namespace railgauge
