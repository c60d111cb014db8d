// The one process per node that speaks with the orchestrator. It is not part of MPI, so it survives what MPI
// does not: it forwards work to the board, samples and heartbeats to the orchestrator, and it can speak for
// ranks that are stopped or dead.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proto/control.pb.h"
#include "proto/result.h"
#include "proto/samples.h"
#include "proto/step.h"
#include "proto/units.h"
#include "workers/engines/engine.h"
#include "workers/rounds/board.h"
#include "workers/rounds/processes.h"

namespace railgauge {

// The control channel as the leader uses it (proto/control_client.h; scripted in tests). Errors end it.
class LeaderLink {
 public:
  virtual ~LeaderLink() = default;
  virtual Result<void> send(const wire::ToOrchestrator& message) = 0;
  virtual Result<std::optional<wire::ToNode>> receive(Nanos timeout) = 0;
};

struct LeaderIdentity {
  std::string node, token, build_id;
  std::int32_t launch = 0;
  std::int64_t realtime_ns = 0;  // CLOCK_REALTIME, for the skew note
  std::string board;             // its shared name; spec and batches are named after it
};

class Leader {
 public:
  Leader(LeaderIdentity identity, Board& board, LeaderLink& link, Processes& processes, const Clock& clock);

  // HELLO, WELCOME, and the launch spec onto the board. Errors: refused, no answer within 10 s, a spec that
  // is not one; the caller puts them on the board for the ranks to print.
  Result<void> greet();
  // One turn: a message if one comes within `wait`, ranks, samples, heartbeat. False: nothing left to do.
  bool turn(Nanos wait);
  // Longest useful `wait` of the next turn.
  Nanos pause() const;
  // Shared objects this leader has made besides the board.
  void remove_texts();

 private:
  struct Rank {  // what the leader knows about slot i
    bool dead = false;
    char letter = '?';
    std::optional<int> exit_signal;
    std::int64_t last_ordinal = -1;  // of samples taken over
    std::int64_t done_before = 0;    // rounds_done when the batch began
    std::uint64_t dropped = 0;
  };
  struct Collected {
    SampleSet samples;
    std::set<std::size_t> from;  // slots
    Nanos since;
  };
  std::size_t ranks() const;
  std::size_t expected() const { return local_.size(); }
  std::int32_t endpoint_of(std::size_t slot) const { return slot < local_.size() ? local_[slot] : -1; }
  bool overdue(std::size_t slot, Nanos now) const;
  void obey(const wire::ToNode& message);
  void start_batch(const wire::Batch& batch);
  void look_at_ranks(Nanos now);
  void take_held(std::size_t slot);
  void drain();
  void flush(bool all);
  void report_ready(Nanos now);
  void report_batch(Nanos now);
  void heartbeat(Nanos now);
  bool lost_turn(Nanos now);
  void signal_all(int number);
  bool all_dead() const;
  void send(const wire::ToOrchestrator& message);

  LeaderIdentity identity_;
  Board& board_;
  LeaderLink& link_;
  Processes& processes_;
  const Clock& clock_;
  std::vector<std::int32_t> local_;  // living endpoints of this node, ascending
  Nanos setup_end_;
  std::vector<Rank> ranks_;
  bool ready_sent_ = false;
  std::optional<std::int32_t> batch_;  // running
  Nanos batch_begin_;
  std::map<std::int64_t, Collected> rounds_;  // by ordinal, not yet sent
  std::vector<std::string> texts_;
  Nanos next_heartbeat_, next_look_;
  std::optional<Nanos> lost_since_;  // control connection
  std::optional<Nanos> finish_since_;
  int ladder_ = 0;  // signals sent to ranks after the connection was lost or they did not finish
};

}  // namespace railgauge
