// One launch, from mpirun to its end: who connects, whether they are one world, batches of rounds, deaths,
// and the kill ladder. It decides nothing about the run: what happened is told to the sink, what is left is
// the caller's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fabric/cases/schedule.h"
#include "orchestrator/control/control_server.h"
#include "orchestrator/world_check.h"
#include "proto/result.h"
#include "proto/samples.h"
#include "proto/step.h"
#include "proto/units.h"

namespace railgauge {

namespace wire {
class RankState;
}  // namespace wire

// The started launcher process (mpirun), and its fake.
class StartedLaunch {
 public:
  virtual ~StartedLaunch() = default;
  // Absent: still running. Else what it said at its end, "exit code 1".
  virtual std::optional<std::string> ended() = 0;
  // To the process and everything it started on this machine.
  virtual void signal(int number) = 0;
  // Rank that the launcher blames for the end of the launch ("process rank 5 ... exited on signal 9").
  // Absent: none.
  virtual std::optional<std::int32_t> blamed_rank() = 0;
  // Last line it wrote to stderr that says something, "" none.
  virtual std::string last_words() = 0;
};

// Told as it happens, from the session's own thread.
class SessionSink {
 public:
  virtual ~SessionSink() = default;
  // bytes: whole frames of samples.rg as the leader sent them; samples: the same, read.
  virtual void samples(const std::string& node, const std::string& bytes, const SampleSet& samples) = 0;
  virtual void event(Event event) = 0;  // time_ns is filled in by the sink
  virtual void artifact(const std::string& node, const std::string& name, const std::string& content) = 0;
  virtual void tick() = 0;  // at least every 200 ms while a batch runs
};

struct SessionSetup {
  LaunchSpec spec;
  std::vector<Endpoint> endpoints;
  std::string build_id;
  Nanos connect_deadline = Nanos::s(10);  // first leader; the others then have as long again
  Nanos ready_deadline = Nanos::s(30);    // MPI_Init and addresses, after the last leader connected
  Nanos silence = Nanos::s(3);            // no heartbeat for so long: the node is lost
};

// How a world came together. ok: batches may run. Else `error` says why; nodes_missing and endpoints_unable:
// a new launch without them may succeed. Both empty: it will not.
struct Assembly {
  std::optional<Error> error;
  std::vector<std::string> nodes_missing;
  std::vector<std::int32_t> endpoints_unable;
  bool ok() const { return !error.has_value(); }
};

struct BatchOutcome {
  bool usable = false;   // every node answered and none said broken: the session takes another batch
  bool stopped = false;  // ended early because of `stop`
  std::vector<std::int32_t> dead;  // endpoints whose rank died or hung, or whose node was lost
};

class Session {
 public:
  // server, launch and sink must outlive it. stop: asked often, true after a signal or the time box; the
  // running round is finished, the rest not begun.
  Session(ControlServer& server, StartedLaunch& launch, SessionSetup setup, SessionSink& sink,
          std::function<bool()> stop);

  Assembly assemble();
  // deadline: of the whole batch.
  BatchOutcome run_batch(const std::vector<Round>& rounds, Nanos deadline);
  // The kill ladder; returns when the launch has ended or SIGKILL was sent. patient: Finish first, and 5 s
  // for it.
  void end(bool patient);

 private:
  struct Node {
    ConnectionId connection = -1;
    bool ready = false, done = false, lost = false;
    Nanos heard;  // monotonic
  };
  Nanos now() const;
  const Endpoint* known(std::int32_t endpoint) const;  // of what a node says; nullptr: no such endpoint
  void take(const ControlMessage& message);
  void take_connected(const ControlMessage& message);
  void take_ready(const std::string& node, const wire::ToOrchestrator& message);
  void take_heartbeat(const std::string& node, const wire::ToOrchestrator& message);
  void hang(const std::string& node, const wire::RankState& rank);
  void take_frame(const std::string& node, const std::string& bytes);
  void lose(const std::string& name, const std::string& why);
  void settle_deaths();
  void note(const std::string& kind, const std::string& node, std::int32_t endpoint, std::int32_t round,
            const std::string& text);
  void tell_all(const wire::ToNode& message);
  bool wait_end(Nanos limit);
  Error nobody(Nanos waited) const;

  ControlServer& server_;
  StartedLaunch& launch_;
  SessionSetup setup_;
  SessionSink& sink_;
  std::function<bool()> stop_;
  std::map<std::string, Node> nodes_;
  std::vector<RankReport> ranks_;
  std::optional<Error> fault_;  // of the world: several leaders of one node, a refusal
  struct Death {
    std::int32_t endpoint = -1, round = -1;
    std::string how;
  };
  std::vector<Death> ends_;  // ranks that ended while they should run, as the leaders told it
  std::set<std::int32_t> dead_, hung_;
  std::string last_refusal_;
  std::int32_t current_round_ = -1;  // latest round seen
  std::int32_t batch_ = 0;
  bool broken_ = false, ending_ = false;
};

}  // namespace railgauge
