// Closed loop: the source sends, the target sends back, half the round trip is a sample. One buffer at each
// end.
#pragma once

#include "workers/engines/ucx/ucx_flow.h"

namespace railgauge {

class PingPong final : public FlowSide {
 public:
  static constexpr std::size_t samples_max = 4'000'000;
  PingPong(const RunFrame& frame, const FlowTask& task, Peer& peer, std::size_t ring)
      : FlowSide(frame, task, peer), ring_index_(ring) {}
  void start() override;
  bool advance(Nanos now, bool over) override;
  void on_control(const Control& control, std::span<const std::byte> key) override;
  void on_write(const WriteHeader& header, std::span<const std::byte> message) override;
  void settle() override;

 private:
  std::span<std::byte> incoming() const;
  void post_receive();
  void post_message();
  bool arrived();

  const std::size_t ring_index_;
  Ring* ring_ = nullptr;
  RemoteRing remote_;
  WriteHeader header_;
  HostBuffer out_, in_;
  MessageReceive receive_;
  std::uint64_t sent_ = 0, received_ = 0;
  Nanos sent_at_;
  bool end_sent_ = false, end_known_ = false, done_ = false, settled_ = false;
};

}  // namespace railgauge
