// Windowed rate: the source keeps messages in flight from box.start to box.stop, the target counts what has
// arrived.
//
// ready (target: write here) -> messages, credit after each eighth of the ring -> end (source: how many) ->
// done (target: all counted).
#pragma once

#include "workers/engines/ucx/ucx_flow.h"

namespace railgauge {

class StreamSender final : public FlowSide {
 public:
  using FlowSide::FlowSide;
  ~StreamSender() override = default;
  void start() override;
  bool advance(Nanos now, bool over) override;
  void on_control(const Control& control, std::span<const std::byte> key) override;

 private:
  bool post_messages();

  RemoteRing remote_;
  HostBuffer buffers_;
  std::vector<WriteHeader> headers_;
  std::uint64_t depth_ = 0, stride_ = 0, posted_ = 0, consumed_ = 0;
  bool end_sent_ = false, done_ = false, refused_ = false;
};

class StreamReceiver final : public FlowSide {
 public:
  // ring: which of the worker's rings takes the writes of this flow.
  StreamReceiver(const RunFrame& frame, const FlowTask& task, Peer& peer, std::size_t ring)
      : FlowSide(frame, task, peer), ring_index_(ring) {}
  void start() override;
  bool advance(Nanos now, bool over) override;
  void on_control(const Control& control, std::span<const std::byte> key) override;
  void on_write(const WriteHeader& header, std::span<const std::byte> message) override;
  void settle() override;

 private:
  std::span<std::byte> slot(std::uint64_t sequence) const;
  bool arrived();
  void post_receive(std::uint64_t sequence);

  const std::size_t ring_index_;
  Ring* ring_ = nullptr;
  HostBuffer buffers_;
  std::vector<MessageReceive> receives_;
  ArrivalLog log_;
  std::uint64_t slots_ = 0, stride_ = 0, counted_ = 0, credited_ = 0, expected_ = 0, depth_ = 0;
  bool end_known_ = false, settled_ = false;
};

}  // namespace railgauge
