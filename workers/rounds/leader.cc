#include "workers/rounds/leader.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "fabric/cases/schedule.h"
#include "proto/json.h"
#include "proto/sample_file.h"

namespace railgauge {
namespace {

constexpr Nanos kWelcomeWithin = Nanos::s(10);
constexpr Nanos kHeartbeatEvery = Nanos::ms(200);
constexpr Nanos kLookEvery = Nanos::ms(40);
constexpr Nanos kBusyTurn = Nanos::ms(4), kIdleTurn = Nanos::ms(20);
constexpr Nanos kPickUpWithin =
    Nanos::s(5);  // a rank takes a new batch in milliseconds; only a stopped one does not
constexpr Nanos kOverdueAfter = Nanos::s(1);
constexpr Nanos kRoundWithin = Nanos::ms(500);  // from a round's first local sample to its frame
constexpr Nanos kFinishWithin = Nanos::s(6);    // ranks give MPI_Finalize 3 s
constexpr Nanos kTermWithin = Nanos::s(1);

}  // namespace

Leader::Leader(LeaderIdentity identity, Board& board, LeaderLink& link, Processes& processes,
               const Clock& clock)
    : identity_(std::move(identity)),
      board_(board),
      link_(link),
      processes_(processes),
      clock_(clock),
      ranks_(kMaxLocalRanks) {}

std::size_t Leader::ranks() const {
  return std::min<std::size_t>(board_.claimed.load(std::memory_order_acquire), kMaxLocalRanks);
}

Nanos Leader::pause() const { return batch_ ? kBusyTurn : kIdleTurn; }

void Leader::send(const wire::ToOrchestrator& message) {
  if (lost_since_) return;
  if (!link_.send(message)) lost_since_ = clock_.now();
}

Result<void> Leader::greet() {
  wire::ToOrchestrator out;
  wire::Hello& hello = *out.mutable_hello();
  hello.set_token(identity_.token);
  hello.set_build_id(identity_.build_id);
  hello.set_role(wire::ROLE_LEADER);
  hello.set_node(identity_.node);
  hello.set_launch(identity_.launch);
  hello.set_clock_ns(identity_.realtime_ns);
  if (auto sent = link_.send(out); !sent) return sent;
  Result<std::optional<wire::ToNode>> in = link_.receive(kWelcomeWithin);
  if (!in) return tl::make_unexpected(in.error());
  if (!*in)
    return fail(ErrorKind::deadline, "orchestrator: no answer to HELLO in 10 s; is it still running?");
  if ((*in)->has_refuse())
    return fail(ErrorKind::peer, "orchestrator refused this node: " + (*in)->refuse().reason());
  if (!(*in)->has_welcome())
    return fail(ErrorKind::peer, "orchestrator: answered HELLO with something else; other build?");

  const Result<LaunchSpec> spec = from_json<LaunchSpec>((*in)->welcome().launch_spec_json());
  if (!spec) return fail(ErrorKind::peer, "launch spec: " + spec.error().message);
  const Result<Schedule> schedule = from_json<Schedule>(spec->schedule_json);
  if (!schedule) return fail(ErrorKind::peer, "launch spec: schedule: " + schedule.error().message);
  for (const std::int32_t e : spec->living) {
    if (e < 0 || static_cast<std::size_t>(e) >= schedule->endpoints.size()) {
      return fail(ErrorKind::peer,
                  fmt::format("launch spec: living endpoint {} of {}", e, schedule->endpoints.size()));
    }
    if (schedule->endpoints[static_cast<std::size_t>(e)].node == identity_.node) local_.push_back(e);
  }
  std::sort(local_.begin(), local_.end());
  if (local_.size() > kMaxLocalRanks) {
    return fail(ErrorKind::input, fmt::format("{}: {} endpoints, at most {} ranks a node", identity_.node,
                                              local_.size(), kMaxLocalRanks));
  }
  if (auto put = publish_text(spec_name(identity_.board), (*in)->welcome().launch_spec_json()); !put)
    return put;
  texts_.push_back(spec_name(identity_.board));
  setup_end_ = clock_.now() + Nanos::ns(spec->setup_deadline_ns);
  board_.spec_ready.store(true, std::memory_order_release);
  return {};
}

void Leader::remove_texts() {
  for (const std::string& name : texts_) remove_shared(name);
  texts_.clear();
}

bool Leader::turn(Nanos wait) {
  if (!lost_since_) {
    Result<std::optional<wire::ToNode>> message = link_.receive(wait);
    // Everything that is here already: a Kill must not queue behind turns.
    for (int i = 0; i < 64 && message && *message; ++i) {
      obey(**message);
      message = link_.receive(Nanos());
    }
    if (!message) lost_since_ = clock_.now();
  }
  const Nanos now = clock_.now();
  if (now >= next_look_) {
    next_look_ = now + kLookEvery;
    look_at_ranks(now);
  }
  drain();
  flush(false);
  report_ready(now);
  report_batch(now);
  if (lost_since_) return lost_turn(now);
  if (now >= next_heartbeat_) heartbeat(now);
  if (finish_since_ && now - *finish_since_ > kFinishWithin && ladder_ == 0) {
    ladder_ = 1;
    signal_all(SIGKILL);
  }
  if (ready_sent_ && all_dead()) {
    flush(true);
    heartbeat(now);
    return false;
  }
  return true;
}

void Leader::obey(const wire::ToNode& message) {
  if (message.has_batch()) {
    start_batch(message.batch());
  } else if (message.has_stop()) {
    board_.command.store(static_cast<std::int32_t>(Command::stop), std::memory_order_release);
  } else if (message.has_finish()) {
    if (!finish_since_) finish_since_ = clock_.now();
    board_.command.store(static_cast<std::int32_t>(Command::finish), std::memory_order_release);
  } else if (message.has_kill()) {
    const int number = message.kill().signal();
    if (number == SIGTERM || number == SIGKILL || number == SIGINT) signal_all(number);
  }
}

void Leader::start_batch(const wire::Batch& batch) {
  const std::int32_t number = batch.number();
  // The orchestrator waits for every answer before the next batch; a second one in between is its bug and not
  // obeyed.
  if (batch_ || finish_since_ || number <= board_.batch.load(std::memory_order_relaxed)) return;
  batch_ = number;
  batch_begin_ = clock_.now();
  for (std::size_t i = 0; i < ranks(); ++i) {
    ranks_[i].done_before = board_.slots[i].rounds_done.load(std::memory_order_acquire);
  }
  const std::string name = batch_name(identity_.board, number);
  if (!publish_text(name, batch.rounds_json()))
    return;  // /dev/shm is full: ranks do not see it, pick-up runs out, the batch ends broken
  texts_.push_back(name);
  board_.command.store(static_cast<std::int32_t>(Command::none), std::memory_order_release);
  board_.batch.store(number, std::memory_order_release);
}

void Leader::look_at_ranks(Nanos now) {
  bool changed = false;
  for (std::size_t i = 0; i < ranks(); ++i) {
    const RankSlot& slot = board_.slots[i];
    Rank& rank = ranks_[i];
    const std::int64_t pid = slot.pid.load(std::memory_order_acquire);
    if (rank.dead || pid == 0) continue;
    const ProcessLook look = processes_.look(pid, slot.start_ticks.load(std::memory_order_relaxed));
    rank.letter = look.letter;
    if (look.alive) continue;
    rank.dead = true;
    rank.exit_signal = look.exit_signal;
    changed = true;
    if (!slot.finished.load(std::memory_order_acquire)) board_.abandon.store(true, std::memory_order_release);
    drain();
    take_held(i);
  }
  if (changed) heartbeat(now);
}

// A rank that died while it waited for the others to agree had its samples held.
void Leader::take_held(std::size_t slot) {
  const HeldSamples& held = board_.slots[slot].held;
  const std::int64_t ordinal = held.ordinal.load(std::memory_order_acquire);
  if (ordinal <= ranks_[slot].last_ordinal) return;
  Collected& c = rounds_[ordinal];
  if (c.from.empty()) c.since = clock_.now();
  c.from.insert(slot);
  const auto n = static_cast<std::size_t>(std::clamp<std::int32_t>(held.flow_count, 0, kMaxFlowsOfRank));
  c.samples.flows.insert(c.samples.flows.end(), held.flows.begin(),
                         held.flows.begin() + static_cast<std::ptrdiff_t>(n));
  c.samples.counters.push_back(held.counters);
  ranks_[slot].last_ordinal = ordinal;
}

void Leader::drain() {
  for (std::size_t i = 0; i < ranks(); ++i) {
    RankSlot& slot = board_.slots[i];
    Rank& rank = ranks_[i];
    const auto collect = [&](std::int64_t ordinal) -> Collected& {
      Collected& c = rounds_[ordinal];
      if (c.from.empty()) c.since = clock_.now();
      c.from.insert(i);
      rank.last_ordinal = std::max(rank.last_ordinal, ordinal);
      return c;
    };
    FlowRecord flow;
    while (slot.flows.pop(flow)) collect(flow.ordinal).samples.flows.push_back(flow.sample);
    CounterRecord counter;
    while (slot.counters.pop(counter)) collect(counter.ordinal).samples.counters.push_back(counter.sample);
    const std::uint64_t dropped = slot.flows.dropped() + slot.counters.dropped();
    if (dropped == rank.dropped) continue;
    Event event;
    event.kind = "note";
    event.node = identity_.node;
    event.endpoint = endpoint_of(i);
    event.round = slot.round.load(std::memory_order_relaxed);
    event.text = fmt::format("{} samples lost: the leader did not keep up", dropped - rank.dropped);
    rank.dropped = dropped;
    collect(std::max<std::int64_t>(0, rank.last_ordinal)).samples.events.push_back(std::move(event));
  }
}

void Leader::flush(bool all) {
  const Nanos now = clock_.now();
  for (auto it = rounds_.begin(); it != rounds_.end();) {
    bool whole = true;
    for (std::size_t i = 0; i < ranks(); ++i) {
      const bool later = board_.slots[i].rounds_done.load(std::memory_order_acquire) > it->first;
      whole = whole && (later || ranks_[i].dead);
    }
    if (!all && !whole && now - it->second.since < kRoundWithin) {
      ++it;
      continue;
    }
    wire::ToOrchestrator out;
    out.mutable_sample_frame()->set_frame(encode_frames(identity_.node, it->second.samples));
    send(out);
    it = rounds_.erase(it);
  }
}

void Leader::report_ready(Nanos now) {
  if (ready_sent_) return;
  const std::size_t n = ranks();
  std::size_t settled = 0;
  for (std::size_t i = 0; i < n; ++i) {
    settled += board_.slots[i].registered.load(std::memory_order_acquire) || ranks_[i].dead ? 1U : 0U;
  }
  if ((settled < n || n < expected()) && now < setup_end_) return;
  ready_sent_ = true;
  wire::ToOrchestrator out;
  wire::RanksReady& ready = *out.mutable_ranks_ready();
  for (std::size_t i = 0; i < std::max(n, expected()); ++i) {
    const RankSlot& slot = board_.slots[i];
    wire::RankSelf& self = *ready.add_ranks();
    self.set_endpoint(endpoint_of(i));
    self.set_build_id(identity_.build_id);
    self.set_pid(slot.pid.load(std::memory_order_acquire));
    if (i < n && slot.registered.load(std::memory_order_acquire)) {
      self.set_rank(slot.rank);
      self.set_world_size(slot.world_size);
      self.set_environment_hash(slot.environment_hash);
      self.set_environment(slot.environment.data());
      if (slot.error[0] != '\0') self.set_error(slot.error.data());
      const std::string facts = slot.facts.data();
      for (std::size_t at = 0; at < facts.size();) {
        const std::size_t end = std::min(facts.find('\n', at), facts.size());
        self.add_engine_facts(facts.substr(at, end - at));
        at = end + 1;
      }
    } else if (i >= n) {
      self.set_error("no process came for this endpoint before the setup deadline");
    } else if (ranks_[i].dead) {
      self.set_error(ranks_[i].exit_signal ? fmt::format("process died of signal {} before it was ready",
                                                         *ranks_[i].exit_signal)
                                           : std::string("process died before it was ready"));
    } else {
      const bool in_mpi = slot.phase.load() == static_cast<std::int32_t>(Phase::mpi_init);
      self.set_error(fmt::format("not ready at the setup deadline, {}, process state {}",
                                 in_mpi ? "still in MPI_Init" : "still exchanging addresses",
                                 ranks_[i].letter));
    }
  }
  send(out);
}

bool Leader::overdue(std::size_t slot, Nanos now) const {
  const RankSlot& s = board_.slots[slot];
  if (!batch_ || s.batch_done.load(std::memory_order_acquire) >= *batch_) return false;  // owes nothing
  const std::int64_t give_up = s.give_up_ns.load(std::memory_order_acquire);
  if (give_up != 0) return now > Nanos::ns(give_up) + kOverdueAfter;
  return now > batch_begin_ + kPickUpWithin;  // waits for the leader although a batch is there
}

void Leader::report_batch(Nanos now) {
  if (!batch_) return;
  bool broken = false, waiting = false;
  std::int64_t rounds_done = INT32_MAX;
  for (std::size_t i = 0; i < ranks(); ++i) {
    const RankSlot& slot = board_.slots[i];
    const bool answered = slot.batch_done.load(std::memory_order_acquire) >= *batch_;
    const bool gone = ranks_[i].dead || overdue(i, now);
    broken = broken || gone || slot.broken.load(std::memory_order_acquire);
    if (!gone)
      rounds_done =
          std::min(rounds_done, slot.rounds_done.load(std::memory_order_acquire) - ranks_[i].done_before);
    if (!answered && !gone) waiting = true;
  }
  if (waiting) return;  // bounded: every phase of a rank has a deadline, see overdue()
  drain();
  flush(true);
  heartbeat(now);  // who is overdue is known before the batch is
  wire::ToOrchestrator out;
  wire::BatchDone& done = *out.mutable_batch_done();
  done.set_number(*batch_);
  done.set_rounds_done(rounds_done == INT32_MAX ? 0 : static_cast<std::int32_t>(rounds_done));
  done.set_broken(broken);
  send(out);
  remove_shared(batch_name(identity_.board, *batch_));
  batch_.reset();
}

void Leader::heartbeat(Nanos now) {
  next_heartbeat_ = now + kHeartbeatEvery;
  wire::ToOrchestrator out;
  wire::Heartbeat& beat = *out.mutable_heartbeat();
  for (std::size_t i = 0; i < ranks(); ++i) {
    const RankSlot& slot = board_.slots[i];
    wire::RankState& state = *beat.add_ranks();
    state.set_endpoint(endpoint_of(i));
    state.set_round(slot.round.load(std::memory_order_acquire));
    state.set_phase(slot.phase.load(std::memory_order_acquire));
    state.set_alive(!ranks_[i].dead);
    if (ranks_[i].exit_signal) state.set_exit_signal(*ranks_[i].exit_signal);
    state.set_process_state(std::string(1, ranks_[i].letter));
    state.set_overdue(!ranks_[i].dead && overdue(i, now));
  }
  send(out);
}

// Without the orchestrator nobody needs the ranks: SIGTERM, a second later SIGKILL, a second later the leader
// leaves, whoever is left.
bool Leader::lost_turn(Nanos now) {
  if (all_dead()) return false;
  if (ladder_ == 0) {
    ladder_ = 1;
    board_.command.store(static_cast<std::int32_t>(Command::finish), std::memory_order_release);
    signal_all(SIGTERM);
    signal_all(SIGCONT);  // a stopped one sees it only then
  }
  if (ladder_ == 1 && now - *lost_since_ > kTermWithin) {
    ladder_ = 2;
    signal_all(SIGKILL);
  }
  return now - *lost_since_ < kTermWithin * 2;
}

void Leader::signal_all(int number) {
  for (std::size_t i = 0; i < ranks(); ++i) {
    const RankSlot& slot = board_.slots[i];
    const std::int64_t pid = slot.pid.load(std::memory_order_acquire);
    if (!ranks_[i].dead && pid > 0)
      processes_.signal(pid, slot.start_ticks.load(std::memory_order_relaxed), number);
  }
}

bool Leader::all_dead() const {
  for (std::size_t i = 0; i < ranks(); ++i) {
    if (!ranks_[i].dead) return false;
  }
  return true;
}

}  // namespace railgauge
