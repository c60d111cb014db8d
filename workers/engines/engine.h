// What an engine is: it moves bytes between two endpoints over one NIC. It knows no case, no schedule, no
// MPI. Engines are plug-ins (railgauge_ucx.so ...), loaded by engine_loader where they exist. All calls of
// one Engine come from one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fabric/cases/schedule.h"
#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

// Time that can be faked. now(): CLOCK_MONOTONIC_RAW of this host.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Nanos now() const = 0;
};

// What the engine really uses, stated once per step and endpoint, proven by the NIC's own byte counter.
struct EngineFact {
  std::string name, value;  // "transport" "tcp", "device" "rail2", "memory" "host numa 0", "depth" "16"
};

struct OpenRequest {
  std::string device;  // NIC or interface to bind to; traffic may leave through nothing else
  int port = 1;
  int numa_node = -1;  // memory near the NIC; -1 unknown
};

// The time box of a flow, in this host's Clock. All flows of a round have the same box in agreed time.
struct TimeBox {
  Nanos start, stop;  // senders begin at start, post nothing new after stop
  Nanos deadline;     // past this the flow has failed, whatever is in flight
};

// Called once per arrival in order (receiver): time and payload bytes that had arrived in total.
struct Arrival {
  std::int64_t time_ns;
  std::uint64_t total_bytes;
};

struct FlowOutcome {
  bool ok = true;
  bool connected = true;  // false: the connection could not be made
  std::int32_t error_code = 0;
  std::string error;  // with peer and device: "no completion from h3 rail2 in 2.0 s (Endpoint timeout)"
  std::uint64_t payload_bytes = 0;  // sender: handed over; receiver: arrived
  std::uint64_t messages = 0;
  std::vector<Arrival> arrivals;           // receiver of a stream: at most 65536, merged evenly beyond that
  std::vector<std::int64_t> latencies_ns;  // initiator of a ping-pong: half round trips, at most 4 million
  std::uint64_t verified_bytes = 0, wrong_bytes = 0;
};

// What one endpoint does in one round. Several may be active at once (send to one, receive from another):
// run() drives all of them.
struct FlowTask {
  bool is_source = false;
  std::int32_t round = 0, source = -1, target = -1;  // seed of the payload pattern; peer = the other end
  std::string peer_name;                             // "h3 rail2", for messages
  Operation operation = Operation::write_stream;
  std::uint64_t size_bytes = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::vector<EngineFact> facts() const = 0;
  // This endpoint's address, opaque, for the others. Stays valid until close or renew().
  virtual Result<std::vector<std::uint8_t>> address() = 0;
  // Drops all connections and buffers and makes new ones: the spread between repeats comes from these. New
  // address afterwards. After an error there is none, and every task fails, until a later renew() works.
  virtual Result<void> renew() = 0;
  // Connects to a peer for later tasks. Non-blocking; errors show in run(). Known peers are kept until
  // renew().
  virtual Result<void> connect(std::int32_t peer_endpoint, const std::vector<std::uint8_t>& peer_address) = 0;
  // Runs the tasks of this endpoint in the box and returns one outcome for each, in order, by box.deadline +
  // 100 ms at the latest. Never throws, never hangs: a dead or silent peer is a failed outcome. Sleeps
  // instead of spinning while nothing can be done (2 cores carry 16 ranks). stop_early() is asked every few
  // ms; true: end as if the box were over.
  virtual std::vector<FlowOutcome> run(const std::vector<FlowTask>& tasks, const TimeBox& box,
                                       const std::function<bool()>& stop_early) = 0;
};

// Entry point of a plug-in, C linkage, name "railgauge_open_engine". On failure returns nullptr and sets
// error. clock outlives the engine.
using OpenEngineFunction = Engine* (*)(const OpenRequest& request, const Clock& clock, Error* error);

// Loads plug-in `name` ("ucx") from the folder of the running program, else from its ../lib/railgauge; opens
// the endpoint. Errors (environment): no such plug-in, missing library (dlerror), device missing or down.
Result<std::unique_ptr<Engine>> load_engine(const std::string& name, const OpenRequest& request,
                                            const Clock& clock);

}  // namespace railgauge
