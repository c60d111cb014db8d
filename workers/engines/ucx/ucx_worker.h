// One UCX context and worker bound to one device, its peers and its control messages. The only owner of UCX
// handles. UCX speaks C and calls back from inside ucp_worker_progress: nothing here throws through it.
#pragma once

#include <ucp/api/ucp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proto/result.h"
#include "proto/units.h"
#include "workers/engines/ucx/network_device.h"

namespace railgauge {

// Small messages that steer a flow. Same build on all ranks (HELLO checks the build id), so the layout is
// that of the compiler.
enum class ControlKind : std::uint8_t {
  ready = 1,  // "write here": address, slots, stride, nonce; the packed key follows as payload
  credit,     // value: messages consumed so far
  end,        // value: messages sent in all; slots: how many buffers they came from in turn
  done,       // value: messages counted; the receiver has everything
  refused,    // the receiver cannot take this flow
};
struct Control {
  std::uint32_t magic = 0x52474331;  // "RGC1"
  ControlKind kind = ControlKind::ready;
  bool from_source = false;
  std::uint16_t reserved = 0;
  std::int32_t round = 0, source = -1, target = -1;
  std::uint32_t nonce = 0;
  std::uint64_t value = 0, address = 0, slots = 0, stride = 0;
};

// How bytes are written into the target's ring. `put`: ucp_put. `message`: an active message whose handler
// copies into the ring, for TCP, which has no put: UCX 1.13 emulates one there by messages too, but answers
// each fragment, and when a sender is killed it answers on the dead connection and aborts the process
// ("ucp_request.inl: Fatal: unexpected error: Endpoint timeout", 8 of 10 tries under load): one dead rank
// would take its target along. Without these answers there is nothing to abort, and less to do.
enum class WriteBy { put, message };

// Travels with a write by message. Must live until the write has completed.
struct WriteHeader {
  std::uint32_t nonce = 0;  // of the ring that is meant; unique in the target's process
  std::uint32_t slot = 0;
};

// Requests in flight of one owner. worst: first error seen, UCS_OK if none.
struct Requests {
  std::uint32_t outstanding = 0;
  ucs_status_t worst = UCS_OK;
  void note(ucs_status_t status) {
    if (worst == UCS_OK) worst = status;
  }
  // Takes what a *_nbx call returned. True: finished at once or in flight.
  bool take(ucs_status_ptr_t request);
};
// For ucp_request_param_t::cb.send with user_data = Requests*.
void finish_request(void* request, ucs_status_t status, void* requests);
ucp_request_param_t request_param(Requests& requests);

class UcxWorker;

struct Peer {
  UcxWorker* owner = nullptr;
  std::vector<std::uint8_t> address;
  ucp_ep_h endpoint = nullptr;
  ucs_status_t failure = UCS_OK;  // first error of this connection
};

// Registered memory that peers write into. Freed only while nothing can still be on its way into it.
struct Ring {
  ucp_mem_h handle = nullptr;
  std::span<std::byte> memory;
  std::vector<std::byte> key;
};

class UcxContext {
 public:
  // tls: value of UCX_TLS for this context. Errors (environment): UCX cannot use the device.
  static Result<std::shared_ptr<UcxContext>> open(const NetworkDevice& device, const std::string& tls);
  explicit UcxContext(ucp_context_h handle) : handle_(handle) {}
  ~UcxContext();
  UcxContext(const UcxContext&) = delete;
  UcxContext& operator=(const UcxContext&) = delete;
  ucp_context_h handle() const { return handle_; }
  // Transport and device of the network resources as UCX lists them: "tcp/rail2". Empty if it lists none.
  std::string resources() const;

 private:
  ucp_context_h handle_;
};

class UcxWorker {
 public:
  using ControlHandler = std::function<void(const Control&, std::span<const std::byte> key)>;
  using WriteHandler = std::function<void(const WriteHeader&, std::span<const std::byte> message)>;
  static constexpr std::size_t rings_max = 8;

  static Result<std::unique_ptr<UcxWorker>> open(std::shared_ptr<UcxContext> context, int numa_node,
                                                 WriteBy write_by);
  // Closes and frees, or leaks after a failure: UCX 1.13 asserts when a worker with a broken connection is
  // destroyed.
  ~UcxWorker();
  UcxWorker(const UcxWorker&) = delete;
  UcxWorker& operator=(const UcxWorker&) = delete;

  ucp_worker_h handle() const { return handle_; }
  int numa_node() const { return numa_node_; }
  Result<std::vector<std::uint8_t>> address();
  // Errors (peer): UCX refuses the address. A broken connection is made anew.
  Result<void> connect(std::int32_t endpoint, const std::vector<std::uint8_t>& address);
  // nullptr: connect() was not called, or the connection could not be made again.
  Peer* peer(std::int32_t endpoint);
  // Drops the connection at once; everything in flight on it ends with an error in the next progress().
  void abandon(Peer& peer);
  // A request could not be ended: the worker and its memory stay until the process ends.
  void mark_damaged() { damaged_ = true; }

  // At most `most` progress calls; how many did something.
  int progress(int most);
  // Sleeps until something happens on the wire, at most `limit`.
  void wait(Nanos limit);
  void on_control(ControlHandler handler) { handler_ = std::move(handler); }
  void send_control(Peer& peer, const Control& control, std::span<const std::byte> key, Requests& requests);

  void on_write(WriteHandler handler) { write_handler_ = std::move(handler); }
  // Puts the message at remote_address of the ring behind key, or names the same place in the header. False:
  // refused at once, noted in requests.
  bool write(Peer& peer, std::span<const std::byte> message, std::uint64_t remote_address, ucp_rkey_h key,
             const WriteHeader& header, Requests& requests);

  // Ring number `index`, at least `bytes`, zero or with what earlier flows left. Errors (environment): no
  // memory, cannot be registered.
  Result<Ring*> ring(std::size_t index, std::size_t bytes);
  // Waits for small messages that UCX still holds back, at most `limit`.
  void flush(Nanos limit);

 private:
  UcxWorker() = default;
  static ucs_status_t receive_control(void* arg, const void* header, std::size_t header_length, void* data,
                                      std::size_t length, const ucp_am_recv_param_t* param);
  static ucs_status_t receive_write(void* arg, const void* header, std::size_t header_length, void* data,
                                    std::size_t length, const ucp_am_recv_param_t* param);
  Result<void> make_endpoint(Peer& peer);
  void release(Ring& ring);

  std::shared_ptr<UcxContext> context_;
  ucp_worker_h handle_ = nullptr;
  int event_fd_ = -1;
  int numa_node_ = -1;
  bool damaged_ = false;
  std::map<std::int32_t, std::unique_ptr<Peer>> peers_;
  std::vector<std::unique_ptr<Peer>> old_peers_;  // their error handlers may still be called
  std::array<Ring, rings_max> rings_;
  WriteBy write_by_ = WriteBy::put;
  ControlHandler handler_;
  WriteHandler write_handler_;
  // Closing and flushing that nobody waits for to the end; on the heap, because it outlives a leaked worker.
  std::unique_ptr<Requests> detached_ = std::make_unique<Requests>();
};

}  // namespace railgauge
