// What the ranks of one node and their leader share: one POSIX shared memory object per (run, launch, node).
// Ranks write what they do and what they measured, the leader reads; so the leader can speak for a rank that
// is stopped or dead. Fixed sizes, atomics only, one writer per field: a process that dies in mid-write
// leaves nothing locked.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/result.h"
#include "proto/samples.h"
#include "workers/rounds/ring.h"

namespace railgauge {

inline constexpr std::uint32_t kBoardFormat = 1;
inline constexpr std::size_t kMaxLocalRanks = 64;  // twice the NICs of any node today (p5: 32)
inline constexpr std::size_t kEnvironmentBytes = 16384;
inline constexpr std::size_t kMaxFlowsOfRank =
    64;  // of one round; only list rules give an endpoint more than two

// Where a rank is. The number is RankState.phase of a heartbeat; never renumber.
enum class Phase : std::int32_t {
  claimed = 0,     // process started, waits for the leader
  mpi_init = 1,    // inside MPI_Init
  exchanging = 2,  // engine opened, addresses and clocks
  ready = 3,       // waits for a batch
  connecting = 4,  // connections of the coming round
  barrier = 5,     // waits for everyone before the round
  running = 6,     // payload flows
  settling = 7,    // waits for everyone after the round
  finalizing = 8,  // inside MPI_Finalize
  finished = 9,
};

enum class Command : std::int32_t { none = 0, stop = 1, finish = 2 };

// A sample with the position of its round in the launch, which is the same on every rank.
struct FlowRecord {
  std::int64_t ordinal = 0;
  FlowSample sample;
};
struct CounterRecord {
  std::int64_t ordinal = 0;
  CounterSample sample;
};

// What a rank measured before the others agreed on a common interval. The leader takes it when the rank dies
// in between.
struct HeldSamples {
  std::atomic<std::int64_t> ordinal{-1};  // -1: nothing held. Written last
  std::int32_t flow_count = 0;
  std::array<FlowSample, kMaxFlowsOfRank> flows;
  CounterSample counters;
};

struct RankSlot {
  // Identity: written once, before `registered`.
  std::atomic<std::int64_t> pid{0};
  std::atomic<std::uint64_t> start_ticks{0};  // field 22 of /proc/PID/stat: tells a reused pid
  std::int32_t rank = -1, world_size = 0;
  std::int32_t endpoint = -1;  // -1: more processes than endpoints of this node
  std::uint64_t environment_hash = 0;
  std::array<char, kEnvironmentBytes> environment{};
  std::array<char, 512> error{};   // "" or why this rank cannot take part
  std::array<char, 4096> facts{};  // lines name=value
  std::atomic<bool> registered{false};
  // Progress.
  std::atomic<std::int32_t> phase{0};
  std::atomic<std::int32_t> round{-1};
  std::atomic<std::int64_t> give_up_ns{
      0};  // CLOCK_MONOTONIC_RAW by which this phase has ended; 0: waits for the leader
  std::atomic<std::int64_t> rounds_done{0};  // of the launch, samples pushed
  std::atomic<std::int32_t> batch_done{-1};  // last batch left, whether whole or broken
  std::atomic<bool> broken{false};           // its world lost a rank or a deadline: it can do no more rounds
  std::atomic<bool> finished{false};
  HeldSamples held;
  Ring<FlowRecord, 64> flows;
  Ring<CounterRecord, 64> counters;
};

struct Board {
  std::atomic<std::uint32_t> format{0};  // kBoardFormat once usable
  std::atomic<std::int64_t> leader_pid{0};
  std::atomic<std::uint64_t> leader_start_ticks{0};
  std::array<char, 512> leader_error{};    // written before leader_failed
  std::atomic<bool> leader_failed{false};  // could not connect, or was refused: ranks print and leave with 2
  std::atomic<bool> spec_ready{false};     // the LaunchSpec can be read (read_text(spec_name))
  std::atomic<std::int32_t> batch{-1};     // batch to work on; its rounds: read_text(batch_name)
  std::atomic<std::int32_t> command{0};    // Command
  std::atomic<bool> abandon{false};        // a local rank is dead: waits in MPI cannot end well
  std::atomic<std::uint32_t> claimed{0};
  std::array<RankSlot, kMaxLocalRanks> slots;
};

// Name of a shared object; characters that shm_open would refuse become '_'. At most 250 long.
std::string board_prefix(std::string_view run_id);  // of all names of a run, without the slash
std::string board_name(std::string_view run_id, std::int32_t launch, std::string_view node);
std::string spec_name(const std::string& board);
std::string batch_name(const std::string& board, std::int32_t batch);

// A mapping of the board. Movable, unmaps itself; unlinking is the leader's business.
class BoardMapping {
 public:
  // created is false where another process already made it. Errors (environment): shared memory
  // cannot be made.
  struct Made;
  static Result<Made> create(const std::string& name);
  // Errors (environment): no such object, or not usable yet (try again until the deadline), or of another
  // format.
  static Result<BoardMapping> attach(const std::string& name);
  BoardMapping(BoardMapping&& other) noexcept;
  BoardMapping& operator=(BoardMapping&& other) noexcept;
  ~BoardMapping();
  Board& operator*() const { return *board_; }
  Board* operator->() const { return board_; }

 private:
  explicit BoardMapping(Board* board) : board_(board) {}
  Board* board_ = nullptr;
};
struct BoardMapping::Made {
  bool created = false;
  BoardMapping mapping;  // empty unless created
};

// A slot of one's own, or nullptr when all are taken.
RankSlot* claim_slot(Board& board, std::size_t* number);

// Texts of any length in an object of their own (launch spec, rounds of a batch). At most 64 MiB.
Result<void> publish_text(const std::string& name, std::string_view text);
Result<std::string> read_text(const std::string& name);
void remove_shared(const std::string& name);  // absent is fine

// Cuts text to the field, always NUL-terminated.
void put_text(char* field, std::size_t size, std::string_view text);
template <std::size_t N>
void put_text(std::array<char, N>& field, std::string_view text) {
  put_text(field.data(), N, text);
}

}  // namespace railgauge
