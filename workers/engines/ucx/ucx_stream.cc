#include "workers/engines/ucx/ucx_stream.h"

#include <algorithm>
#include <cstring>

namespace railgauge {

void StreamSender::start() {
  depth_ = stream_depth(frame_.in_flight, task_.size_bytes);
  stride_ = slot_stride(task_.size_bytes);
  headers_.resize(depth_);
  buffers_ = HostBuffer(depth_ * stride_, frame_.worker.numa_node());
  if (!buffers_.valid()) return fail_with(UCS_ERR_NO_MEMORY, "no memory for messages to", frame_.clock.now());
  for (std::uint64_t i = 0; i < depth_; ++i)
    fill_pattern(buffers_.bytes().subspan(i * stride_, task_.size_bytes), seed(), i);
}

void StreamSender::on_control(const Control& control, std::span<const std::byte> key) {
  heard_ = true;
  if (control.kind == ControlKind::ready) {
    const ucs_status_t status = remote_.take(control, key, peer_, one_sided(task_.operation));
    if (status != UCS_OK) requests_.note(status);
  }
  if (control.kind == ControlKind::credit || control.kind == ControlKind::done)
    consumed_ = std::max(consumed_, control.value);
  done_ = done_ || control.kind == ControlKind::done;
  refused_ = refused_ || control.kind == ControlKind::refused;
}

bool StreamSender::post_messages() {
  const ucp_request_param_t param = request_param(requests_);
  const std::uint64_t size = task_.size_bytes;
  const std::uint64_t before = posted_;
  // One connection completes in order, so the buffer of message n - depth is free when fewer than depth are
  // in flight.
  while (posted_ - consumed_ < remote_.slots && requests_.outstanding < depth_ && requests_.worst == UCS_OK) {
    const std::span<std::byte> message = buffers_.bytes().subspan(posted_ % depth_ * stride_, size);
    store_word(message, message_word(remote_.nonce, posted_));
    bool posted = false;
    if (one_sided(task_.operation)) {
      const std::uint64_t slot = posted_ % remote_.slots;
      WriteHeader& header = headers_[posted_ % depth_];
      header = {remote_.nonce, static_cast<std::uint32_t>(slot)};
      posted = frame_.worker.write(peer_, message, remote_.address + slot * remote_.stride, remote_.key,
                                   header, requests_);
    } else {
      posted = requests_.take(ucp_tag_send_nbx(peer_.endpoint, message.data(), size, tag(0), &param));
    }
    posted_ += posted ? 1U : 0U;
  }
  outcome_.messages = posted_;
  outcome_.payload_bytes = posted_ * size;
  return posted_ != before;
}

bool StreamSender::advance(Nanos now, bool over) {
  if (done_ && !in_flight()) {
    finished_ = true;
    // A peer that was ready only after the box measured nothing; that must not pass for a flow of rate 0.
    if (posted_ == 0 && now >= frame_.box.stop) {
      finished_ = false;
      fail_with(UCS_ERR_TIMED_OUT, "too late an answer from", now);
    }
    return true;
  }
  if (refused_) {
    fail_with(UCS_ERR_EXCEEDS_LIMIT, "no free ring at", now);
    return true;
  }
  if (!still_good(now)) return false;
  if (now >= frame_.box.deadline) {
    fail_with(UCS_ERR_TIMED_OUT, heard_ ? "no completion from" : "no answer from", now);
    return false;
  }
  if (!remote_.known || now < frame_.box.start) return false;
  if (!over) return post_messages();
  if (end_sent_ || in_flight()) return false;
  end_sent_ = true;
  send(ControlKind::end, posted_, depth_);
  return true;
}

void StreamReceiver::start() {
  slots_ = stream_slots(frame_.in_flight, task_.size_bytes);
  stride_ = slot_stride(task_.size_bytes);
  if (one_sided(task_.operation)) {
    auto made = frame_.worker.ring(ring_index_, slots_ * stride_);
    if (!made) return fail_with(UCS_ERR_NO_MEMORY, made.error().message + " for", frame_.clock.now());
    ring_ = *made;
  } else {
    buffers_ = HostBuffer(slots_ * stride_, frame_.worker.numa_node());
    if (!buffers_.valid())
      return fail_with(UCS_ERR_NO_MEMORY, "no memory for messages from", frame_.clock.now());
    receives_.resize(slots_);
    for (std::uint64_t i = 0; i < slots_; ++i) post_receive(i);
  }
  send_ready(ring_, slots_);
}

void StreamReceiver::on_control(const Control& control, std::span<const std::byte>) {
  heard_ = true;
  if (control.kind != ControlKind::end) return;
  end_known_ = true;
  expected_ = control.value;
  depth_ = control.slots;
}

void StreamReceiver::on_write(const WriteHeader& header, std::span<const std::byte> message) {
  if (ring_ == nullptr || header.slot >= slots_ || message.size() != task_.size_bytes) return;
  std::memcpy(slot(header.slot).data(), message.data(), message.size());
}

std::span<std::byte> StreamReceiver::slot(std::uint64_t sequence) const {
  const std::span<std::byte> memory = ring_ != nullptr ? ring_->memory : buffers_.bytes();
  return memory.subspan(sequence % slots_ * stride_, task_.size_bytes);
}

void StreamReceiver::post_receive(std::uint64_t sequence) {
  receives_[sequence % slots_].post(frame_.worker, slot(sequence), tag(0), requests_);
}

// Is message `counted_` there in full?
bool StreamReceiver::arrived() {
  const std::uint64_t word = message_word(own_nonce_, counted_);
  if (ring_ != nullptr) return load_word(slot(counted_)) == word;
  MessageReceive& receive = receives_[counted_ % slots_];
  if (!receive.complete) return false;
  if (receive.status != UCS_OK) {
    requests_.note(receive.status);
    return false;
  }
  if (receive.length != task_.size_bytes || load_word(slot(counted_)) != word)
    outcome_.wrong_bytes += word_bytes;
  return true;
}

bool StreamReceiver::advance(Nanos now, bool) {
  if (finished_) return false;
  const std::uint64_t before = counted_;
  // At most one ring a call: a fast sender must not keep us from the other flows.
  while (counted_ - before < slots_ && arrived()) {
    if (ring_ == nullptr) post_receive(counted_);  // for message counted_ + slots_, in the same buffer
    ++counted_;
  }
  if (counted_ != before) {
    heard_ = true;
    outcome_.messages = counted_;
    outcome_.payload_bytes = counted_ * task_.size_bytes;
    log_.add({now.count(), outcome_.payload_bytes});
  }
  if (end_known_ && counted_ >= expected_) {
    send(ControlKind::done, counted_);
    finished_ = true;
    return true;
  }
  if (!still_good(now)) return counted_ != before;
  if (now >= frame_.box.deadline) {
    fail_with(UCS_ERR_TIMED_OUT, heard_ ? "no further data from" : "no data from", now);
  } else if (counted_ - credited_ >= std::max<std::uint64_t>(slots_ / 8, 1)) {
    credited_ = counted_;
    send(ControlKind::credit, counted_);
  }
  return counted_ != before;
}

void StreamReceiver::settle() {
  if (settled_) return;
  settled_ = true;
  for (MessageReceive& receive : receives_) receive.cancel(frame_.worker);
  outcome_.arrivals = log_.take();
  // The last lap is still in the ring, and nobody is timing any more. Message n came from the sender's buffer
  // n % depth_; a sender that did not come to its end has not said how many it has.
  if (depth_ == 0) return;
  for (std::uint64_t n = counted_ - std::min(counted_, slots_); n < counted_; ++n) {
    outcome_.wrong_bytes += wrong_bytes(slot(n), seed(), n % depth_);
    outcome_.verified_bytes += task_.size_bytes;
  }
}

}  // namespace railgauge
