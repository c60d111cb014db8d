// One side of one flow while it runs. The runner calls advance() again and again; a flow never waits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "workers/engines/engine.h"
#include "workers/engines/ucx/arrival_log.h"
#include "workers/engines/ucx/host_buffer.h"
#include "workers/engines/ucx/payload_pattern.h"
#include "workers/engines/ucx/ucx_worker.h"

namespace railgauge {

// Bytes that a stream keeps in flight unless RunFrame says otherwise: four times what a 200 Mbit/s rail holds
// in its 20 ms of queue, and 20 us at 400 Gbit/s.
inline constexpr std::uint64_t usual_in_flight = 1U << 20U;

// What all flows of one run() share.
struct RunFrame {
  UcxWorker& worker;
  const Clock& clock;
  TimeBox box;
  std::string device;  // for messages
  Nanos entered;       // when run() was called
  std::uint64_t in_flight = usual_in_flight;
};

// By writes into the peer's memory; else by tagged messages.
bool one_sided(Operation operation);
bool is_ping_pong(Operation operation);

// Messages in flight at most, 2 to 64.
std::uint64_t stream_depth(std::uint64_t in_flight_bytes, std::uint64_t size_bytes);
// Slots of the receiver's ring, 4 to 4096: twice as many bytes, so that credits that wait behind traffic of
// the other direction stop nobody.
std::uint64_t stream_slots(std::uint64_t in_flight_bytes, std::uint64_t size_bytes);
std::uint64_t slot_stride(std::uint64_t size_bytes);

class FlowSide {
 public:
  FlowSide(const RunFrame& frame, const FlowTask& task, Peer& peer);
  virtual ~FlowSide() = default;
  FlowSide(const FlowSide&) = delete;
  FlowSide& operator=(const FlowSide&) = delete;

  // Once, before the first advance().
  virtual void start() = 0;
  // over: senders post nothing new. True if anything moved.
  virtual bool advance(Nanos now, bool over) = 0;
  virtual void on_control(const Control& control, std::span<const std::byte> key) = 0;
  // A write by message has come. Nothing for sides that take none.
  virtual void on_write(const WriteHeader&, std::span<const std::byte>) {}
  // After the last advance(): cancels what still waits and checks the payload that is left in the buffers.
  virtual void settle() {}

  bool finished() const { return finished_; }
  // Ends the flow as failed: "rail2: no completion from h3 rail2 in 2.0 s (Endpoint timeout)".
  void fail_with(ucs_status_t status, const std::string& what, Nanos now);
  // The run was stopped early: ends as it is, or as failed if the peer was never heard of.
  void finish(Nanos now);
  bool in_flight() const { return requests_.outstanding > 0; }
  bool failed() const { return !outcome_.ok; }
  bool matches(const Control& control) const;
  bool is_of(const WriteHeader& write) const { return write.nonce == own_nonce_; }
  Peer& peer() { return peer_; }
  FlowOutcome& outcome() { return outcome_; }
  const FlowTask& task() const { return task_; }

 protected:
  // False, with the flow ended, if its connection or one of its requests has failed.
  bool still_good(Nanos now);
  // depth: of the sender's buffers, with `end`.
  void send(ControlKind kind, std::uint64_t value, std::uint64_t depth = 0);
  void send_ready(const Ring* ring, std::uint64_t slots);
  PatternSeed seed() const { return {task_.round, task_.source, task_.target}; }
  // direction 0: source to target, 1: back (ping-pong only).
  ucp_tag_t tag(unsigned direction) const;

  const RunFrame& frame_;
  const FlowTask task_;
  Peer& peer_;
  FlowOutcome outcome_;
  Requests requests_;
  bool finished_ = false;
  bool heard_ = false;           // the peer has said something in this flow
  std::uint32_t own_nonce_ = 0;  // of the memory that the peer writes into
};

// An unpacked key and the place it opens.
struct RemoteRing {
  RemoteRing() = default;
  ~RemoteRing();
  RemoteRing(const RemoteRing&) = delete;
  RemoteRing& operator=(const RemoteRing&) = delete;
  // Takes address, slots, stride and nonce; for one-sided operations unpacks the key.
  ucs_status_t take(const Control& control, std::span<const std::byte> packed, Peer& peer, bool needs_key);

  bool known = false;
  ucp_rkey_h key = nullptr;
  std::uint64_t address = 0, slots = 0, stride = 0;
  std::uint32_t nonce = 0;
};

// One posted receive of a message.
struct MessageReceive {
  Requests* requests = nullptr;
  bool complete = false;
  ucs_status_t status = UCS_OK;
  std::size_t length = 0;
  void* request = nullptr;  // not nullptr: in flight
  void post(UcxWorker& worker, std::span<std::byte> buffer, ucp_tag_t tag, Requests& owner);
  void cancel(UcxWorker& worker);
};

}  // namespace railgauge
