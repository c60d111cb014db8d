#include "workers/engines/ucx/ucx_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace railgauge {
namespace {

// Tells buffers of one process apart, so that no late write of another flow is taken for this one's. 24 bits
// are used.
std::uint32_t next_nonce() {
  static std::atomic<std::uint32_t> counter{0};
  return ++counter & 0xffffffU;
}

void finish_receive(void* request, ucs_status_t status, const ucp_tag_recv_info_t* received,
                    void* user_data) {
  auto* receive = static_cast<MessageReceive*>(user_data);
  receive->complete = true;
  receive->status = status;
  receive->length = status == UCS_OK ? received->length : 0;
  receive->request = nullptr;
  --receive->requests->outstanding;
  ucp_request_free(request);
}

}  // namespace

bool one_sided(Operation operation) {
  return operation == Operation::write_stream || operation == Operation::write_ping_pong;
}

bool is_ping_pong(Operation operation) {
  return operation == Operation::write_ping_pong || operation == Operation::send_ping_pong;
}

std::uint64_t slot_stride(std::uint64_t size_bytes) { return (size_bytes + 7) / 8 * 8; }

std::uint64_t stream_depth(std::uint64_t in_flight_bytes, std::uint64_t size_bytes) {
  return std::clamp<std::uint64_t>(in_flight_bytes / size_bytes, 2, 64);
}

std::uint64_t stream_slots(std::uint64_t in_flight_bytes, std::uint64_t size_bytes) {
  return std::clamp<std::uint64_t>(2 * in_flight_bytes / size_bytes, 4, 4096);
}

FlowSide::FlowSide(const RunFrame& frame, const FlowTask& task, Peer& peer)
    : frame_(frame), task_(task), peer_(peer), own_nonce_(next_nonce()) {}

bool FlowSide::matches(const Control& control) const {
  return control.round == task_.round && control.source == task_.source && control.target == task_.target &&
         control.from_source != task_.is_source;
}

void FlowSide::fail_with(ucs_status_t status, const std::string& what, Nanos now) {
  if (finished_) return;
  finished_ = true;
  outcome_.ok = false;
  outcome_.connected = heard_;
  outcome_.error_code = status;
  const Nanos since = now - std::max(frame_.entered, std::min(frame_.box.start, now));
  outcome_.error = fmt::format("{}: {} {} in {:.1f} s ({})", frame_.device, what, task_.peer_name,
                               since.seconds(), ucs_status_string(status));
}

void FlowSide::finish(Nanos now) {
  if (!heard_) fail_with(UCS_ERR_CANCELED, "stopped before an answer from", now);
  finished_ = true;
}

bool FlowSide::still_good(Nanos now) {
  if (finished_) return false;
  const ucs_status_t status = peer_.failure != UCS_OK ? peer_.failure : requests_.worst;
  if (status == UCS_OK) return true;
  fail_with(status, heard_ ? "no completion from" : "no connection to", now);
  return false;
}

void FlowSide::send(ControlKind kind, std::uint64_t value, std::uint64_t depth) {
  Control control;
  control.kind = kind;
  control.from_source = task_.is_source;
  control.round = task_.round;
  control.source = task_.source;
  control.target = task_.target;
  control.value = value;
  control.slots = depth;
  frame_.worker.send_control(peer_, control, {}, requests_);
}

void FlowSide::send_ready(const Ring* ring, std::uint64_t slots) {
  Control control;
  control.kind = ControlKind::ready;
  control.from_source = task_.is_source;
  control.round = task_.round;
  control.source = task_.source;
  control.target = task_.target;
  control.nonce = own_nonce_;
  control.slots = slots;
  control.stride = slot_stride(task_.size_bytes);
  control.address = ring == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(ring->memory.data());
  frame_.worker.send_control(
      peer_, control, ring == nullptr ? std::span<const std::byte>() : std::span<const std::byte>(ring->key),
      requests_);
}

ucp_tag_t FlowSide::tag(unsigned direction) const {
  return static_cast<ucp_tag_t>(direction + 1) << 56U |
         (static_cast<ucp_tag_t>(task_.round) & 0xffffffU) << 32U |
         (static_cast<ucp_tag_t>(task_.source) & 0xffffU) << 16U |
         (static_cast<ucp_tag_t>(task_.target) & 0xffffU);
}

RemoteRing::~RemoteRing() {
  if (key != nullptr) ucp_rkey_destroy(key);
}

ucs_status_t RemoteRing::take(const Control& control, std::span<const std::byte> packed, Peer& peer,
                              bool needs_key) {
  if (known || control.slots == 0) return UCS_ERR_INVALID_PARAM;
  address = control.address;
  slots = control.slots;
  stride = control.stride;
  nonce = control.nonce;
  if (needs_key) {
    if (packed.empty() || peer.endpoint == nullptr) return UCS_ERR_INVALID_PARAM;
    const ucs_status_t status = ucp_ep_rkey_unpack(peer.endpoint, packed.data(), &key);
    if (status != UCS_OK) return status;
  }
  known = true;
  return UCS_OK;
}

void MessageReceive::post(UcxWorker& worker, std::span<std::byte> buffer, ucp_tag_t tag, Requests& owner) {
  requests = &owner;
  complete = false;
  status = UCS_OK;
  length = 0;
  request = nullptr;
  ucp_request_param_t param{};
  ucp_tag_recv_info_t at_once{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_RECV_INFO;
  param.cb.recv = finish_receive;
  param.user_data = this;
  param.recv_info.tag_info = &at_once;
  ucs_status_ptr_t posted =
      ucp_tag_recv_nbx(worker.handle(), buffer.data(), buffer.size(), tag, ~ucp_tag_t{0}, &param);
  if (UCS_PTR_IS_ERR(posted)) {
    complete = true;
    status = UCS_PTR_STATUS(posted);
  } else if (posted == nullptr) {
    complete = true;
    length = at_once.length;
  } else {
    ++owner.outstanding;
    request = posted;
  }
}

void MessageReceive::cancel(UcxWorker& worker) {
  if (request != nullptr) ucp_request_cancel(worker.handle(), request);
}

}  // namespace railgauge
