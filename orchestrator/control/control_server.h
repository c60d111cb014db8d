// The orchestrator's end of the control channel: accepts, proves and reads the connections of probes and
// leaders. Driven by its caller: sockets move only inside wait() (and, as far as the kernel takes it at once,
// in send, refuse and close), so what the caller does not take stays in the kernel's buffers and slows that
// node down, not us. One thread. The listener lives as long as the object. A connection is nobody until its
// first frame is a HELLO with the run's token; what fails before that is `refused`, with its address, and
// touches nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

namespace wire {
class ToNode;
class ToOrchestrator;
}  // namespace wire

struct ControlOptions {
  std::string token;                     // of this run; empty is an input error
  std::string build_id;                  // another one is refused, naming both
  std::string bind_address = "0.0.0.0";  // IPv4 number of the control interface
  int port_first = 0, port_last = 0;     // the first free one; 0 and 0: any
  std::vector<std::string> nodes;        // who may connect; bounds the connections: twice as many and 8
  Nanos hello_deadline = Nanos::s(5);
  std::size_t outgoing_limit_bytes = std::size_t{256}
                                     << 20U;  // per connection; over it the node is not reading and is closed
};

using ConnectionId = int;  // never used twice by one server

enum class NodeRole { probe, leader };

struct ControlMessage {
  enum class Kind {
    connected,  // HELLO accepted: node, role, launch, clock_difference are set. The caller sends Welcome, or
                // refuses
    message,    // message is set; never a hello
    closed,     // a connected one ended without the caller asking: text says why. The id is dead
    refused,    // never became connected: text is "10.0.0.7:4242: wrong token"; for the log. The id is dead
  };
  ControlMessage();
  ~ControlMessage();
  ControlMessage(ControlMessage&&) noexcept;
  ControlMessage& operator=(ControlMessage&&) noexcept;

  Kind kind = Kind::message;
  ConnectionId connection = -1;
  std::string node;  // of connected, message, closed
  NodeRole role = NodeRole::probe;
  int launch = -1;      // leaders only
  std::string address;  // "10.0.0.7:4242"
  std::string text;
  Nanos clock_difference;  // node's clock minus ours at its HELLO, network delay included; 0: not said
  std::unique_ptr<wire::ToOrchestrator> message;
};

class ControlServer {
 public:
  // Errors: input (token, address, ports), environment (no port free, address not of this machine).
  static Result<std::unique_ptr<ControlServer>> listen(ControlOptions options);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  int port() const;
  std::string address()
      const;  // "10.0.0.1:4711"; with bind_address 0.0.0.0 the caller puts in the host nodes can reach

  // Next thing that happened; nullopt: nothing in time (0: looks once, and moves what is ready). Two
  // connections with the same node, role and launch are both delivered: several worlds or doubled names are
  // the caller's to tell apart.
  std::optional<ControlMessage> wait(Nanos timeout);
  // Queues a message. Unknown or dead ids are ignored (their `closed` is on its way); too long a queue closes
  // the connection. A message over kControlMaxBytes is a bug.
  void send(ConnectionId connection, const wire::ToNode& message);
  // The same message to many, encoded and held once: a launch specification is megabytes, and there are
  // thousands of leaders.
  void send(std::span<const ConnectionId> connections, const wire::ToNode& message);
  // Sends Refuse, then closes when it is out (at the latest after the hello deadline). No `closed` follows,
  // nor any message.
  void refuse(ConnectionId connection, std::string_view reason);
  // Closes when what was queued is out (at the latest after the hello deadline). No `closed` follows, nor any
  // message.
  void close(ConnectionId connection);

 private:
  struct State;
  explicit ControlServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace railgauge
