// The node's end of the control channel: one TCP connection to the orchestrator, for the probe and for the
// leader of a launch. Plain poll() and non-blocking sockets, because railgauge-rank links nothing else. One
// thread at a time. Include proto/control.pb.h (or let your own wrapper do it) to build and read the
// messages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proto/control_frame.h"
#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

namespace wire {
class ToNode;
class ToOrchestrator;
}  // namespace wire

class ControlClient {
 public:
  // address: "10.0.0.1:4711", a number and never a name: a name service may hang. deadline: from now. While
  // the orchestrator refuses or cannot be reached it is tried again, until the deadline. Errors: input
  // (address), deadline or peer (name the address and what to check).
  static Result<std::unique_ptr<ControlClient>> connect(std::string_view address, Nanos deadline);
  ~ControlClient();
  ControlClient(const ControlClient&) = delete;
  ControlClient& operator=(const ControlClient&) = delete;

  // Returns when the kernel has the whole message. Errors: deadline (the orchestrator took nothing for 5 s),
  // peer (closed); after an error the connection is useless, since half a frame may be out. A message over
  // kControlMaxBytes is an input error and sends nothing.
  Result<void> send(const wire::ToOrchestrator& message);
  // nullopt: nothing came in time (timeout 0: looks once). Errors (peer): closed, not a control frame, not a
  // message. Messages that came before the other end closed are given out first.
  Result<std::optional<wire::ToNode>> receive(Nanos timeout);
  // To wait for in a poll() of one's own. Call receive(0) until nullopt before waiting on it: a message may
  // be here already.
  int fd() const { return fd_; }

 private:
  explicit ControlClient(int fd) : fd_(fd), decoder_(kControlMaxBytes) {}
  int fd_;
  ControlDecoder decoder_;
};

}  // namespace railgauge
