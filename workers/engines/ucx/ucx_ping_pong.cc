#include "workers/engines/ucx/ucx_ping_pong.h"

#include <cstring>

namespace railgauge {

void PingPong::start() {
  const std::uint64_t stride = slot_stride(task_.size_bytes);
  out_ = HostBuffer(stride, frame_.worker.numa_node());
  if (one_sided(task_.operation)) {
    auto made = frame_.worker.ring(ring_index_, stride);
    if (!made) return fail_with(UCS_ERR_NO_MEMORY, made.error().message + " for", frame_.clock.now());
    ring_ = *made;
  } else {
    in_ = HostBuffer(stride, frame_.worker.numa_node());
  }
  if (!out_.valid() || (ring_ == nullptr && !in_.valid()))
    return fail_with(UCS_ERR_NO_MEMORY, "no memory for messages to", frame_.clock.now());
  fill_pattern(out_.bytes().first(task_.size_bytes), seed(), task_.is_source ? 0 : 1);
  if (ring_ == nullptr) post_receive();
  if (task_.is_source) outcome_.latencies_ns.reserve(1U << 16U);
  send_ready(ring_, 1);
}

void PingPong::on_control(const Control& control, std::span<const std::byte> key) {
  heard_ = true;
  if (control.kind == ControlKind::ready) {
    const ucs_status_t status = remote_.take(control, key, peer_, one_sided(task_.operation));
    if (status != UCS_OK) requests_.note(status);
  }
  end_known_ = end_known_ || control.kind == ControlKind::end;
  done_ = done_ || control.kind == ControlKind::done;
  if (control.kind == ControlKind::refused) requests_.note(UCS_ERR_EXCEEDS_LIMIT);
}

void PingPong::on_write(const WriteHeader& header, std::span<const std::byte> message) {
  if (ring_ == nullptr || header.slot != 0 || message.size() != task_.size_bytes) return;
  std::memcpy(incoming().data(), message.data(), message.size());
}

std::span<std::byte> PingPong::incoming() const {
  return (ring_ != nullptr ? ring_->memory : in_.bytes()).first(task_.size_bytes);
}

void PingPong::post_receive() {
  receive_.post(frame_.worker, incoming(), tag(task_.is_source ? 1 : 0), requests_);
}

void PingPong::post_message() {
  const std::span<std::byte> message = out_.bytes().first(task_.size_bytes);
  store_word(message, message_word(remote_.nonce, sent_));
  const ucp_request_param_t param = request_param(requests_);
  header_ = {remote_.nonce, 0};
  const bool posted =
      ring_ != nullptr ? frame_.worker.write(peer_, message, remote_.address, remote_.key, header_, requests_)
                       : requests_.take(ucp_tag_send_nbx(peer_.endpoint, message.data(), message.size(),
                                                         tag(task_.is_source ? 0 : 1), &param));
  sent_ += posted ? 1U : 0U;
  outcome_.messages = sent_;
  outcome_.payload_bytes = (task_.is_source ? sent_ : received_) * task_.size_bytes;
}

bool PingPong::arrived() {
  const std::uint64_t word = message_word(own_nonce_, received_);
  if (ring_ != nullptr) {
    if (load_word(incoming()) != word) return false;
  } else {
    if (!receive_.complete) return false;
    if (receive_.status != UCS_OK) {
      requests_.note(receive_.status);
      return false;
    }
    if (receive_.length != task_.size_bytes || load_word(incoming()) != word)
      outcome_.wrong_bytes += word_bytes;
  }
  ++received_;
  return true;
}

bool PingPong::advance(Nanos now, bool over) {
  if (finished_) return false;
  if (task_.is_source ? done_ : end_known_) {
    finished_ = true;
    if (!task_.is_source) {
      send(ControlKind::done, received_);
    } else if (received_ == 0 && now >= frame_.box.stop) {
      finished_ = false;
      fail_with(UCS_ERR_TIMED_OUT, "too late an answer from", now);
    }
    return true;
  }
  if (!still_good(now)) return false;
  if (now >= frame_.box.deadline) {
    fail_with(UCS_ERR_TIMED_OUT, heard_ ? "no reply from" : "no answer from", now);
    return false;
  }
  if (!remote_.known) return false;
  if (task_.is_source && sent_ == received_) {
    if (now < frame_.box.start || end_sent_) return false;
    if (over) {
      end_sent_ = true;
      send(ControlKind::end, sent_);
      return true;
    }
    sent_at_ = frame_.clock.now();
    post_message();
    return true;
  }
  if (!arrived()) return false;
  if (ring_ == nullptr && !(task_.is_source && over)) post_receive();
  if (!task_.is_source) {
    post_message();
    return true;
  }
  const Nanos arrived_at = frame_.clock.now();
  if (outcome_.latencies_ns.size() < samples_max)
    outcome_.latencies_ns.push_back((arrived_at - sent_at_).count() / 2);
  if (!over) {
    sent_at_ = arrived_at;
    post_message();
  }
  return true;
}

void PingPong::settle() {
  if (settled_) return;
  settled_ = true;
  receive_.cancel(frame_.worker);
  if (received_ == 0 || failed()) return;
  outcome_.wrong_bytes += wrong_bytes(incoming(), seed(), task_.is_source ? 1 : 0);
  outcome_.verified_bytes += task_.size_bytes;
}

}  // namespace railgauge
