#include "workers/engines/ucx/ucx_worker.h"

#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "workers/engines/ucx/host_buffer.h"

namespace railgauge {
namespace {

constexpr unsigned control_id = 7, write_id = 8;

struct ControlMessage {
  Control control;
  std::vector<std::byte> key;
  Requests* requests;
};

void finish_control(void* request, ucs_status_t status, void* user_data) {
  const std::unique_ptr<ControlMessage> message(static_cast<ControlMessage*>(user_data));
  finish_request(request, status, message->requests);
}

std::int64_t monotonic_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

void note_failure(void* arg, ucp_ep_h, ucs_status_t status) {
  auto* peer = static_cast<Peer*>(arg);
  if (peer->failure == UCS_OK) peer->failure = status;
  peer->owner->abandon(*peer);
}

}  // namespace

void finish_request(void* request, ucs_status_t status, void* requests) {
  auto* owner = static_cast<Requests*>(requests);
  --owner->outstanding;
  if (status != UCS_OK) owner->note(status);
  ucp_request_free(request);
}

ucp_request_param_t request_param(Requests& requests) {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.send = finish_request;
  param.user_data = &requests;
  return param;
}

bool Requests::take(ucs_status_ptr_t request) {
  if (UCS_PTR_IS_ERR(request)) {
    note(UCS_PTR_STATUS(request));
    return false;
  }
  if (request != nullptr) ++outstanding;
  return true;
}

Result<std::unique_ptr<UcxWorker>> UcxWorker::open(std::shared_ptr<UcxContext> context, int numa_node,
                                                   WriteBy write_by) {
  std::unique_ptr<UcxWorker> made(new UcxWorker());
  made->context_ = std::move(context);
  made->numa_node_ = numa_node;
  made->write_by_ = write_by;
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SINGLE;
  ucs_status_t status = ucp_worker_create(made->context_->handle(), &params, &made->handle_);
  if (status == UCS_OK) status = ucp_worker_get_efd(made->handle_, &made->event_fd_);
  if (status == UCS_OK) {
    ucp_am_handler_param_t handler{};
    handler.field_mask =
        UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = control_id;
    handler.cb = receive_control;
    handler.arg = made.get();
    status = ucp_worker_set_am_recv_handler(made->handle_, &handler);
    handler.field_mask |= UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
    handler.id = write_id;
    handler.flags = UCP_AM_FLAG_WHOLE_MSG;
    handler.cb = receive_write;
    if (status == UCS_OK) status = ucp_worker_set_am_recv_handler(made->handle_, &handler);
  }
  if (status != UCS_OK)
    return fail(ErrorKind::environment, fmt::format("UCX worker: {}", ucs_status_string(status)));
  return made;
}

UcxWorker::~UcxWorker() {
  for (auto& [id, peer] : peers_) damaged_ = damaged_ || peer->failure != UCS_OK;
  Requests closing;
  if (!damaged_ && handle_ != nullptr) {
    for (auto& [id, peer] : peers_) {
      ucp_request_param_t param = request_param(closing);
      param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
      param.flags = UCP_EP_CLOSE_FLAG_FORCE;
      closing.take(ucp_ep_close_nbx(peer->endpoint, &param));
    }
    for (int i = 0; i < 1000 && closing.outstanding + detached_->outstanding > 0; ++i) progress(16);
    damaged_ = closing.outstanding + detached_->outstanding > 0 || closing.worst != UCS_OK;
  }
  if (damaged_) {
    // Left alone on purpose, with its memory and its context: see the declaration. The process that meets a
    // failure ends soon.
    static_cast<void>(new std::shared_ptr<UcxContext>(context_));
    static_cast<void>(detached_.release());
    for (auto& [id, peer] : peers_) old_peers_.push_back(std::move(peer));
    static_cast<void>(new std::vector<std::unique_ptr<Peer>>(std::move(old_peers_)));
    return;
  }
  for (Ring& ring : rings_) release(ring);
  if (handle_ != nullptr) ucp_worker_destroy(handle_);
}

Result<std::vector<std::uint8_t>> UcxWorker::address() {
  ucp_address_t* address = nullptr;
  std::size_t length = 0;
  const ucs_status_t status = ucp_worker_get_address(handle_, &address, &length);
  if (status != UCS_OK)
    return fail(ErrorKind::environment, fmt::format("UCX address: {}", ucs_status_string(status)));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(address);
  std::vector<std::uint8_t> copy(bytes, bytes + length);
  ucp_worker_release_address(handle_, address);
  return copy;
}

Result<void> UcxWorker::make_endpoint(Peer& peer) {
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(peer.address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;  // without it a dead peer hangs the sender
  params.err_handler.cb = note_failure;
  params.err_handler.arg = &peer;
  const ucs_status_t status = ucp_ep_create(handle_, &params, &peer.endpoint);
  if (status == UCS_OK) return {};
  peer.endpoint = nullptr;
  return fail(ErrorKind::peer, fmt::format("no connection: {}", ucs_status_string(status)));
}

Result<void> UcxWorker::connect(std::int32_t endpoint, const std::vector<std::uint8_t>& address) {
  std::unique_ptr<Peer>& entry = peers_[endpoint];
  if (entry && entry->failure == UCS_OK && entry->endpoint != nullptr && entry->address == address) return {};
  if (entry) {
    abandon(*entry);
    old_peers_.push_back(std::move(entry));
  }
  entry = std::make_unique<Peer>();
  entry->address = address;
  entry->owner = this;
  return make_endpoint(*entry);
}

Peer* UcxWorker::peer(std::int32_t endpoint) {
  const auto found = peers_.find(endpoint);
  if (found == peers_.end()) return nullptr;
  if (found->second->failure != UCS_OK || found->second->endpoint == nullptr) {
    const std::vector<std::uint8_t> address = found->second->address;
    if (!connect(endpoint, address)) return nullptr;
  }
  return peers_[endpoint].get();
}

void UcxWorker::abandon(Peer& peer) {
  if (peer.endpoint == nullptr) return;
  damaged_ = true;
  ucp_request_param_t param = request_param(*detached_);
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  detached_->take(ucp_ep_close_nbx(peer.endpoint, &param));
  peer.endpoint = nullptr;
  if (peer.failure == UCS_OK) peer.failure = UCS_ERR_CANCELED;
}

int UcxWorker::progress(int most) {
  int busy = 0;
  while (busy < most && ucp_worker_progress(handle_) != 0) ++busy;
  return busy;
}

void UcxWorker::wait(Nanos limit) {
  if (limit <= Nanos() || ucp_worker_arm(handle_) != UCS_OK) return;
  const std::int64_t ns = limit.count();
  const timespec timeout{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  pollfd descriptor{.fd = event_fd_, .events = POLLIN, .revents = 0};
  ppoll(&descriptor, 1, &timeout, nullptr);
}

void UcxWorker::send_control(Peer& peer, const Control& control, std::span<const std::byte> key,
                             Requests& requests) {
  auto message =
      std::make_unique<ControlMessage>(ControlMessage{control, {key.begin(), key.end()}, &requests});
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  param.cb.send = finish_control;
  param.user_data = message.get();
  ucs_status_ptr_t request = ucp_am_send_nbx(peer.endpoint, control_id, &message->control, sizeof(Control),
                                             message->key.data(), message->key.size(), &param);
  if (requests.take(request) && request != nullptr)
    static_cast<void>(message.release());  // finish_control frees it
}

ucs_status_t UcxWorker::receive_control(void* arg, const void* header, std::size_t header_length, void* data,
                                        std::size_t length, const ucp_am_recv_param_t* param) {
  auto* self = static_cast<UcxWorker*>(arg);
  Control control;
  if (header_length != sizeof control || (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) return UCS_OK;
  std::memcpy(&control, header, sizeof control);
  if (control.magic != Control{}.magic || !self->handler_) return UCS_OK;
  self->handler_(control, {static_cast<const std::byte*>(data), length});
  return UCS_OK;
}

ucs_status_t UcxWorker::receive_write(void* arg, const void* header, std::size_t header_length, void* data,
                                      std::size_t length, const ucp_am_recv_param_t* param) {
  auto* self = static_cast<UcxWorker*>(arg);
  WriteHeader write;
  if (header_length != sizeof write || (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) return UCS_OK;
  std::memcpy(&write, header, sizeof write);
  if (self->write_handler_) self->write_handler_(write, {static_cast<const std::byte*>(data), length});
  return UCS_OK;
}

bool UcxWorker::write(Peer& peer, std::span<const std::byte> message, std::uint64_t remote_address,
                      ucp_rkey_h key, const WriteHeader& header, Requests& requests) {
  ucp_request_param_t param = request_param(requests);
  if (write_by_ == WriteBy::put)
    return requests.take(
        ucp_put_nbx(peer.endpoint, message.data(), message.size(), remote_address, key, &param));
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  return requests.take(ucp_am_send_nbx(peer.endpoint, write_id, &header, sizeof header, message.data(),
                                       message.size(), &param));
}

Result<Ring*> UcxWorker::ring(std::size_t index, std::size_t bytes) {
  RG_CHECK(index < rings_max);
  Ring& ring = rings_[index];
  if (ring.memory.size() >= bytes) return &ring;
  // A write that is still on its way from a broken connection would hit freed memory, so after a failure the
  // old ring stays.
  if (damaged_) ring = Ring{};
  release(ring);
  const NumaPreference near(numa_node_);
  ucp_mem_map_params_t params{};
  params.field_mask =
      UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  params.address = nullptr;
  params.length = bytes;
  params.flags = UCP_MEM_MAP_ALLOCATE;  // shared memory can only write into memory that UCX allocated itself
  ucs_status_t status = ucp_mem_map(context_->handle(), &params, &ring.handle);
  ucp_mem_attr_t attributes{};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS | UCP_MEM_ATTR_FIELD_LENGTH;
  if (status == UCS_OK) status = ucp_mem_query(ring.handle, &attributes);
  void* key = nullptr;
  std::size_t key_length = 0;
  if (status == UCS_OK) status = ucp_rkey_pack(context_->handle(), ring.handle, &key, &key_length);
  if (status != UCS_OK) {
    release(ring);
    return fail(ErrorKind::environment,
                fmt::format("cannot register {}: {}", to_text(Bytes::b(bytes)), ucs_status_string(status)));
  }
  ring.key.assign(static_cast<std::byte*>(key), static_cast<std::byte*>(key) + key_length);
  ucp_rkey_buffer_release(key);
  ring.memory = {static_cast<std::byte*>(attributes.address), bytes};
  std::memset(ring.memory.data(), 0, bytes);
  return &ring;
}

void UcxWorker::release(Ring& ring) {
  if (ring.handle != nullptr) ucp_mem_unmap(context_->handle(), ring.handle);
  ring = Ring{};
}

void UcxWorker::flush(Nanos limit) {
  ucp_request_param_t param = request_param(*detached_);
  const std::uint32_t before = detached_->outstanding;
  for (auto& [id, peer] : peers_)
    if (peer->failure == UCS_OK && peer->endpoint != nullptr)
      detached_->take(ucp_ep_flush_nbx(peer->endpoint, &param));
  const std::int64_t end = monotonic_ns() + limit.count();
  while (detached_->outstanding > before && monotonic_ns() < end)
    if (progress(16) == 0) wait(Nanos::ms(1));
}

}  // namespace railgauge
