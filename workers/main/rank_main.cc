// One rank: board, MPI, engine, registration, batches, end.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <utility>

#include "proto/json.h"
#include "proto/step.h"
#include "workers/engines/engine.h"
#include "workers/main/leader_process.h"
#include "workers/main/modes.h"
#include "workers/main/mpi_world.h"
#include "workers/main/numa_binding.h"
#include "workers/main/watchdog.h"
#include "workers/rounds/board_report.h"
#include "workers/rounds/environment.h"
#include "workers/rounds/processes.h"
#include "workers/rounds/rank_session.h"

namespace railgauge {
namespace {

constexpr Nanos kBoardWithin = Nanos::s(10);
constexpr Nanos kSpecWithin = Nanos::s(25);   // leader: 10 s to connect, 10 s for WELCOME
constexpr Nanos kAfterTerm = Nanos::ms(600);  // mpirun gives at least a second between SIGTERM and SIGKILL
constexpr double kTermToEnd = 5, kFinalizeWithin = 3;

// SIGTERM means "end soon", not "drop what you have": a round that is nearly over is finished and its samples
// get out.
std::atomic<std::int64_t> term_ns{0};
void on_term(int) {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  term_ns.store(static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec);
}

void pause_ms(long ms) {
  const timespec t{0, ms * 1'000'000};
  nanosleep(&t, nullptr);
}

Result<BoardMapping> join_board(const std::string& name, const std::string& node, const Clock& clock) {
  Result<BoardMapping::Made> made = BoardMapping::create(name);
  if (!made) return tl::make_unexpected(made.error());
  if (made->created) {
    if (auto started = start_leader(node); !started) {
      remove_shared(name);
      return tl::make_unexpected(started.error());
    }
    return std::move(made->mapping);
  }
  const Nanos end = clock.now() + kBoardWithin;
  for (;;) {
    Result<BoardMapping> board = BoardMapping::attach(name);
    if (board || clock.now() > end) return board;
    pause_ms(2);
  }
}

Result<LaunchSpec> wait_for_spec(const std::string& name, const Board& board, const Watchdog& watchdog,
                                 const Clock& clock) {
  const Nanos end = clock.now() + kSpecWithin;
  while (!board.spec_ready.load(std::memory_order_acquire)) {
    if (board.leader_failed.load(std::memory_order_acquire))
      return fail(ErrorKind::environment, board.leader_error.data());
    if (watchdog.leader_gone() || clock.now() > end) {
      return fail(
          ErrorKind::environment,
          "the node's leader process did not come up or died; check /dev/shm and the limit of processes");
    }
    pause_ms(2);
  }
  const Result<std::string> text = read_text(spec_name(name));
  if (!text) return tl::make_unexpected(text.error());
  return from_json<LaunchSpec>(*text);
}

std::vector<std::int32_t> endpoints_here(const LaunchSpec& spec, const Schedule& schedule,
                                         const std::string& node) {
  std::vector<std::int32_t> here;
  for (const std::int32_t e : spec.living) {
    if (schedule.endpoints[static_cast<std::size_t>(e)].node == node) here.push_back(e);
  }
  std::sort(here.begin(), here.end());
  return here;
}

void write_facts(RankSlot& slot, const Engine* engine, const ClockOffset& offset) {
  std::string lines;
  if (engine != nullptr) {
    for (const EngineFact& f : engine->facts()) lines += f.name + "=" + f.value + "\n";
  }
  lines += fmt::format("clock_offset_ns={}\nclock_error_ns={}\n", offset.offset_ns, offset.error_ns);
  put_text(slot.facts, lines);
}

void register_rank(RankSlot& slot, const std::string& error) {
  put_text(slot.error, error);
  slot.give_up_ns.store(0, std::memory_order_release);
  slot.phase.store(static_cast<std::int32_t>(Phase::ready), std::memory_order_release);
  slot.registered.store(true, std::memory_order_release);
}

struct Rank {
  const RankArguments& arguments;
  const std::string& name;  // of the board
  Board& board;
  RankSlot& slot;
  Watchdog& watchdog;
  const Clock& clock;

  bool hurry() const {
    const std::int64_t term = term_ns.load();
    return watchdog.leader_gone() || (term != 0 && clock.now().count() > term + kAfterTerm.count());
  }
  SessionEnd serve(RoundLoop* loop) const {
    SessionSeams seams;
    seams.orphaned = [this] { return watchdog.leader_gone() || term_ns.load() != 0; };
    seams.pause = [] { pause_ms(2); };
    return serve_batches(name, board, slot, loop, seams);
  }
};

SessionEnd measure(const Rank& rank, World& world, const LaunchSpec& spec, const Schedule& schedule) {
  const Endpoint& self = schedule.endpoints[static_cast<std::size_t>(rank.slot.endpoint)];
  bind_to_numa(self.numa_node);
  // `ps` and `top` show which NIC a rank drives; 15 characters are kept.
  prctl(PR_SET_NAME, ("rg:" + self.device).c_str(), 0, 0, 0);
  OpenRequest request;
  request.device = self.device;
  request.port = self.port;
  request.numa_node = self.numa_node;
  // An engine that does not open is not a reason to leave: the others would wait for this rank in the address
  // exchange.
  Result<std::unique_ptr<Engine>> engine = load_engine(spec.engine, request, rank.clock);
  std::string error = engine ? "" : engine.error().message;
  Engine* const opened = engine ? engine->get() : nullptr;

  Result<Seat> seat = take_seat(rank.slot.endpoint, schedule.endpoints, spec.living);
  if (!seat) {
    register_rank(rank.slot, seat.error().message);
    return rank.serve(nullptr);
  }
  const SystemMeters meters(self.interface, self.device, self.port);
  BoardReport report(rank.board, rank.slot, [&rank] { return rank.hurry(); });
  RoundLoop loop(std::move(*seat), world, opened, error, rank.clock, meters, report);
  const Result<ClockOffset> offset = loop.exchange(Nanos::ns(spec.setup_deadline_ns));
  if (!offset && error.empty()) error = offset.error().message;
  write_facts(rank.slot, opened, offset.value_or(ClockOffset{}));
  register_rank(rank.slot, error);
  const SessionEnd end = rank.serve(&loop);
  // Engines of a broken step may assert in their own clean-up (UCX 1.13): the process ends without it.
  if (engine) {
    if (world.broken() || end == SessionEnd::orphaned) static_cast<void>(engine->release());
  }
  return end;
}

// Never returns: a world that ended well is finalized, any other left behind.
[[noreturn]] void leave(const Rank& rank, MpiWorld& world, SessionEnd end) {
  rank.watchdog.end_within(kFinalizeWithin);
  if (end == SessionEnd::finish && !world.broken() && !rank.slot.broken.load()) {
    rank.slot.phase.store(static_cast<std::int32_t>(Phase::finalizing), std::memory_order_release);
    world.finalize();
  }
  rank.slot.phase.store(static_cast<std::int32_t>(Phase::finished), std::memory_order_release);
  rank.slot.finished.store(true, std::memory_order_release);
  _exit(0);
}

}  // namespace

int rank_main(const RankArguments& arguments, int* argc, char*** argv) {
  const auto refuse = [&](const Error& error) {
    say(arguments.node, error.message);
    return 2;
  };
  const Result<ControlTarget> target = control_target(read_variable, nullptr);
  if (!target) return refuse(target.error());
  const SystemClock clock;
  const std::string name = board_name(target->run_id, target->launch, arguments.node);
  Result<BoardMapping> board = join_board(name, arguments.node, clock);
  if (!board) return refuse(board.error());

  std::size_t number = 0;
  RankSlot* slot = claim_slot(**board, &number);
  if (slot == nullptr)
    return refuse({ErrorKind::input, fmt::format("more than {} ranks on one node", kMaxLocalRanks)});
  const SystemProcesses processes;
  slot->start_ticks.store(processes.look(getpid(), 0).start_ticks, std::memory_order_relaxed);
  slot->pid.store(getpid(), std::memory_order_release);
  Watchdog watchdog(**board);
  const Result<LaunchSpec> spec = wait_for_spec(name, **board, watchdog, clock);
  if (!spec) return refuse(spec.error());
  const Result<Schedule> schedule = from_json<Schedule>(spec->schedule_json);
  if (!schedule) return refuse(schedule.error());

  const std::vector<std::int32_t> here = endpoints_here(*spec, *schedule, arguments.node);
  slot->endpoint = number < here.size() ? here[number] : -1;
  const std::vector<std::string> variables =
      select_environment(process_environment(), spec->environment_names);
  slot->environment_hash = environment_hash(variables);
  std::string lines;
  for (const std::string& line : variables) lines += line + "\n";
  put_text(slot->environment, lines);

  slot->give_up_ns.store((clock.now() + Nanos::ns(spec->setup_deadline_ns)).count());
  slot->phase.store(static_cast<std::int32_t>(Phase::mpi_init), std::memory_order_release);
  const Board& shared = **board;
  auto world =
      MpiWorld::init(argc, argv, clock, [&shared] { return shared.abandon.load(std::memory_order_acquire); });
  if (!world) return refuse(world.error());
  // After MPI_Init, which may set handlers of its own.
  signal(SIGTERM, on_term);
  signal(SIGPIPE, SIG_IGN);
  slot->rank = (*world)->rank();
  slot->world_size = (*world)->size();

  const Rank rank{arguments, name, **board, *slot, watchdog, clock};
  if (slot->endpoint < 0) {
    register_rank(*slot, fmt::format("{} processes came for {} endpoints of this node", shared.claimed.load(),
                                     here.size()));
    leave(rank, **world, rank.serve(nullptr));
  }
  if (static_cast<std::size_t>((*world)->size()) != spec->living.size()) {
    register_rank(*slot,
                  fmt::format("MPI world of {} ranks, {} expected", (*world)->size(), spec->living.size()));
    leave(rank, **world, rank.serve(nullptr));
  }
  leave(rank, **world, measure(rank, **world, *spec, *schedule));
}

}  // namespace railgauge
