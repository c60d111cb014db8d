#include "workers/rounds/round_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "workers/rounds/latency.h"

namespace railgauge {
namespace {

constexpr Nanos kStartMargin =
    Nanos::ms(3);  // the slowest rank hears of the start about 2 ms after the fastest
constexpr Nanos kGatherWithin =
    Nanos::s(5);  // from one round's settling to the next start; new connections included
constexpr Nanos kSettleWithin = Nanos::s(2);  // past the flows' deadline
constexpr Nanos kLeastOvertime = Nanos::s(1);
constexpr double kNone = -1e18;

bool is_stream(Operation op) { return op == Operation::write_stream || op == Operation::send_stream; }

FlowOutcome not_started(std::string error) {
  FlowOutcome o;
  o.ok = false;
  o.connected = false;
  o.error = std::move(error);
  return o;
}

}  // namespace

Result<Seat> take_seat(std::int32_t endpoint, std::vector<Endpoint> endpoints,
                       const std::vector<std::int32_t>& living) {
  Seat seat;
  seat.endpoint = endpoint;
  seat.living.assign(endpoints.size(), 0);
  const auto inside = [&](std::int32_t e) {
    return e >= 0 && static_cast<std::size_t>(e) < endpoints.size();
  };
  for (const std::int32_t e : living) {
    if (!inside(e))
      return fail(ErrorKind::peer, fmt::format("launch spec: living endpoint {} of {}", e, endpoints.size()));
    seat.living[static_cast<std::size_t>(e)] = 1;
  }
  if (!inside(endpoint))
    return fail(ErrorKind::peer, fmt::format("launch spec: endpoint {} of {}", endpoint, endpoints.size()));
  seat.groups = groups_of(endpoints);
  seat.index = index_groups(seat.groups, endpoints.size());
  seat.endpoints = std::move(endpoints);
  return seat;
}

struct RoundLoop::Plan {
  std::vector<FlowTask> tasks;
  std::vector<std::string> refused;  // per task: "" or why it is not handed to the engine
  std::vector<FlowStatus> status;    // per task: what a refused one is
};

struct RoundLoop::Ran {
  std::vector<FlowOutcome> outcomes;  // one per task of the plan
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t run_delay_ns = 0;
};

RoundLoop::RoundLoop(Seat seat, World& world, Engine* engine, std::string engine_error, const Clock& clock,
                     const Meters& meters, RoundReport& report)
    : seat_(std::move(seat)),
      world_(world),
      engine_(engine),
      engine_error_(std::move(engine_error)),
      clock_(clock),
      meters_(meters),
      report_(report),
      addresses_(seat_.endpoints.size()) {}

std::string RoundLoop::name_of(std::int32_t endpoint) const {
  const Endpoint& e = seat_.endpoints[static_cast<std::size_t>(endpoint)];
  return e.node + " " + e.device;
}

// One message per rank: endpoint (4 bytes), length of the clock identity (4 bytes), identity, address.
Result<void> RoundLoop::exchange_addresses(Nanos within) {
  connected_.clear();
  Blob address;
  if (engine_ != nullptr && engine_error_.empty()) {
    Result<Blob> mine = engine_->address();
    if (mine) address = std::move(*mine);
    // Without an address the others count this rank as absent; its own flows say why.
    if (!mine) engine_error_ = mine.error().message;
  }
  const std::string identity = clock_identity();
  const std::array<std::int32_t, 2> head = {seat_.endpoint, static_cast<std::int32_t>(identity.size())};
  Blob message(sizeof(head) + identity.size());
  std::memcpy(message.data(), head.data(), sizeof(head));
  std::copy(identity.begin(), identity.end(), message.begin() + sizeof(head));
  message.insert(message.end(), address.begin(), address.end());

  const Result<std::vector<Blob>> all = world_.allgather(message, within);
  if (!all) return tl::make_unexpected(all.error());
  identities_.assign(all->size(), "");
  for (Blob& a : addresses_) a.clear();
  for (std::size_t rank = 0; rank < all->size(); ++rank) {
    const Blob& theirs = (*all)[rank];
    std::array<std::int32_t, 2> h{};
    if (theirs.size() >= sizeof(h)) std::memcpy(h.data(), theirs.data(), sizeof(h));
    const std::size_t skip = sizeof(h) + static_cast<std::size_t>(std::max(0, h[1]));
    if (theirs.size() < skip || h[0] < 0 || static_cast<std::size_t>(h[0]) >= addresses_.size()) {
      return fail(ErrorKind::peer,
                  fmt::format("rank {}: sent an address message of {} bytes that is not ours; other build?",
                              rank, theirs.size()));
    }
    identities_[rank].assign(theirs.begin() + sizeof(h), theirs.begin() + static_cast<std::ptrdiff_t>(skip));
    addresses_[static_cast<std::size_t>(h[0])].assign(theirs.begin() + static_cast<std::ptrdiff_t>(skip),
                                                      theirs.end());
  }
  return {};
}

Result<ClockOffset> RoundLoop::exchange(Nanos within) {
  report_.phase(Phase::exchanging, -1, (clock_.now() + within).count());
  if (auto done = exchange_addresses(within); !done) return tl::make_unexpected(done.error());
  Result<ClockOffset> offset = measure_clock_offset(world_, clock_, identities_, within);
  if (offset) offset_ = *offset;
  return offset;
}

std::string RoundLoop::connect_error(std::int32_t peer) {
  if (engine_ == nullptr || !engine_error_.empty()) return engine_error_;
  const Blob& address = addresses_[static_cast<std::size_t>(peer)];
  if (address.empty()) return fmt::format("{}: has no open engine", name_of(peer));
  if (connected_.contains(peer)) return "";
  if (auto done = engine_->connect(peer, address); !done) return done.error().message;
  connected_.insert(peer);
  return "";
}

RoundLoop::Plan RoundLoop::plan(const Round& round) {
  Plan plan;
  const Part part = part_of(round.rule, seat_.groups, seat_.index, EndpointIndex{seat_.endpoint});
  const auto add = [&](std::int32_t peer, bool is_source) {
    FlowTask task;
    task.is_source = is_source;
    task.round = round.id;
    task.source = is_source ? seat_.endpoint : peer;
    task.target = is_source ? peer : seat_.endpoint;
    task.peer_name = name_of(peer);
    task.operation = round.operation;
    task.size_bytes = round.size_bytes;
    FlowStatus status = FlowStatus::not_started;
    std::string why;
    if (seat_.living[static_cast<std::size_t>(peer)] == 0) {
      status = FlowStatus::peer_missing;
      why = task.peer_name + ": takes no part in this launch";
    } else {
      why = connect_error(peer);
    }
    plan.tasks.push_back(std::move(task));
    plan.refused.push_back(std::move(why));
    plan.status.push_back(status);
  };
  for (const std::int32_t peer : part.sends_to) add(peer, true);
  for (const std::int32_t peer : part.receives_from) add(peer, false);
  return plan;
}

std::optional<TimeBox> RoundLoop::agree_start(const Round& round, bool* stopped) {
  std::array<double, 2> values = {
      static_cast<double>(clock_.now().count() + offset_.offset_ns + offset_.error_ns),
      report_.stop_wanted() ? 1.0 : 0.0};
  if (!world_.maximum(values, kGatherWithin)) return std::nullopt;
  *stopped = values[1] > 0;
  const Nanos duration = Nanos::ns(round.duration_ns);
  TimeBox box;
  box.start = Nanos::ns(static_cast<std::int64_t>(values[0]) - offset_.offset_ns) + kStartMargin;
  box.stop = box.start + duration;
  box.deadline = box.stop + std::max(kLeastOvertime, duration / 2);
  return box;
}

RoundLoop::Ran RoundLoop::run_flows(const Round& round, const Plan& plan, const TimeBox& box) {
  Ran ran;
  std::vector<FlowTask> tasks;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    if (plan.refused[i].empty()) tasks.push_back(plan.tasks[i]);
  }
  report_.phase(Phase::running, round.id, (box.deadline + Nanos::ms(200)).count());
  const std::int64_t waited = meters_.run_delay_ns();
  ran.begin_ns = clock_.now().count();
  std::vector<FlowOutcome> outcomes;
  if (!tasks.empty()) outcomes = engine_->run(tasks, box, [this] { return report_.stop_early(); });
  ran.end_ns = tasks.empty() ? box.stop.count() : clock_.now().count();
  ran.run_delay_ns = std::max<std::int64_t>(0, meters_.run_delay_ns() - waited);
  outcomes.resize(tasks.size(), not_started("engine: gave no outcome"));
  std::size_t next = 0;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    ran.outcomes.push_back(plan.refused[i].empty() ? std::move(outcomes[next++])
                                                   : not_started(plan.refused[i]));
  }
  return ran;
}

FlowSample RoundLoop::sample_of(const Round& round, const FlowTask& task, const FlowOutcome& outcome,
                                const Ran& ran, const TimeBox& box, Interval interval,
                                std::int64_t window_ns) const {
  FlowSample s;
  s.round = round.id;
  s.source = task.source;
  s.target = task.target;
  s.side = task.is_source ? Side::send : Side::receive;
  s.status = outcome.ok ? FlowStatus::ok : outcome.connected ? FlowStatus::failed : FlowStatus::not_started;
  s.total_bytes = outcome.payload_bytes;
  s.payload_bytes = outcome.payload_bytes;
  s.interval_ns = interval.length();
  s.run_delay_ns = ran.run_delay_ns;
  s.verified_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(outcome.verified_bytes, UINT32_MAX));
  s.wrong_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(outcome.wrong_bytes, UINT32_MAX));
  s.error_code = outcome.error_code;
  put_text(s.error, sizeof(s.error), outcome.error);
  if (!is_stream(round.operation)) {
    const LatencyNumbers n = latency_numbers(outcome.latencies_ns);
    s.latency_count = n.count;
    s.latency_p50_ns = n.p50_ns;
    s.latency_p99_ns = n.p99_ns;
    s.latency_p999_ns = n.p999_ns;
    s.latency_max_ns = n.max_ns;
  } else if (!task.is_source) {
    const StreamNumbers n = stream_numbers(outcome.arrivals, box.start.count(), interval, window_ns);
    s.payload_bytes = n.payload_bytes;
    s.goodput_bits_per_second = n.goodput_bits_per_second;
    s.median_bits_per_second = n.median_bits_per_second;
    s.longest_stall_ns = n.longest_stall_ns;
    s.windows = n.windows;
  }
  return s;
}

std::vector<FlowSample> RoundLoop::samples_of(const Round& round, const Plan& plan, const Ran& ran,
                                              const TimeBox& box, Interval interval,
                                              std::int64_t window_ns) const {
  std::vector<FlowSample> samples;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    samples.push_back(sample_of(round, plan.tasks[i], ran.outcomes[i], ran, box, interval, window_ns));
    if (!plan.refused[i].empty()) samples.back().status = plan.status[i];
  }
  return samples;
}

RoundEnd RoundLoop::run_round(const Round& round) {
  report_.phase(Phase::connecting, round.id, (clock_.now() + kGatherWithin * 2).count());
  if (round.fresh) {
    if (engine_ != nullptr) {
      const Result<void> renewed = engine_->renew();
      engine_error_ = renewed ? "" : renewed.error().message;
    }
    if (!exchange_addresses(kGatherWithin)) return RoundEnd::broken;
  }
  const Plan todo = plan(round);

  report_.phase(Phase::barrier, round.id, (clock_.now() + kGatherWithin).count());
  const NicBytes before = meters_.nic_bytes();
  bool stopped = false;
  const std::optional<TimeBox> box = agree_start(round, &stopped);
  if (!box) return RoundEnd::broken;
  if (stopped) return RoundEnd::stopped;
  const std::int64_t ordinal = ordinal_++;

  const Ran ran = run_flows(round, todo, *box);

  // This rank's own view of the interval: what stands if the others cannot be asked any more.
  const std::int64_t late = std::max<std::int64_t>(0, ran.begin_ns - box->start.count());
  const std::int64_t end = std::min(box->stop.count(), ran.end_ns);
  std::int64_t window = window_length(round.duration_ns, 0);
  std::int64_t begin = box->start.count() + late;
  bool counts = false;
  for (std::size_t i = 0; i < todo.tasks.size(); ++i) {
    const FlowOutcome& o = ran.outcomes[i];
    if (!o.ok || todo.tasks[i].is_source || !is_stream(round.operation)) continue;
    counts = true;
    const std::int64_t length = window_length(round.duration_ns, o.messages);
    window = std::max(window, length);
    begin = std::max(
        begin, box->start.count() + ramp_length(o.arrivals, {box->start.count(), box->stop.count()}, length));
  }
  CounterSample counters;
  counters.round = round.id;
  counters.endpoint = seat_.endpoint;
  counters.begin_ns = box->start.count() + offset_.offset_ns;
  counters.end_ns = ran.end_ns + offset_.offset_ns;
  for (std::size_t i = 0; i < todo.tasks.size(); ++i) {
    (todo.tasks[i].is_source ? counters.payload_sent : counters.payload_received) +=
        ran.outcomes[i].payload_bytes;
  }
  const auto count_nic = [&] {
    const NicBytes after = meters_.nic_bytes();
    if (!before.known || !after.known) return;
    counters.tx_bytes = after.sent - before.sent;
    counters.rx_bytes = after.received - before.received;
  };
  count_nic();
  report_.hold(ordinal, samples_of(round, todo, ran, *box, {begin, end}, window), counters);

  const Nanos within = std::max(Nanos(), box->deadline - clock_.now()) + kSettleWithin;
  report_.phase(Phase::settling, round.id, (clock_.now() + within).count());
  std::array<double, 3> common = {counts ? static_cast<double>(begin - box->start.count()) : kNone,
                                  counts ? static_cast<double>(box->start.count() - end) : kNone,
                                  static_cast<double>(window)};
  const bool agreed = world_.maximum(common, within).has_value();
  Interval interval{begin, end};
  if (agreed) {
    count_nic();
    window = static_cast<std::int64_t>(common[2]);
    if (common[0] > kNone / 2) {
      interval = {box->start.count() + static_cast<std::int64_t>(common[0]),
                  box->start.count() - static_cast<std::int64_t>(common[1])};
    }
  }
  report_.publish(ordinal, samples_of(round, todo, ran, *box, interval, window), counters);
  return agreed ? RoundEnd::done : RoundEnd::broken;
}

}  // namespace railgauge
