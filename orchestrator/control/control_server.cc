#define ASIO_STANDALONE
#define ASIO_NO_DEPRECATED
#include "orchestrator/control/control_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <ctime>
#include <deque>
#include <exception>
#include <map>
#include <utility>

#include "orchestrator/control/hello.h"
#include "proto/control.pb.h"
#include "proto/control_frame.h"

namespace railgauge {
namespace {

using asio::ip::tcp;
using Kind = ControlMessage::Kind;

constexpr auto kAcceptPause =
    std::chrono::milliseconds(100);  // after an accept that failed, e.g. out of file descriptors
constexpr auto kLastFlush = std::chrono::milliseconds(200);

std::chrono::nanoseconds chrono(Nanos t) { return std::chrono::nanoseconds(t.count()); }

// asio opens sockets that children would inherit; a launched mpirun must not keep our listener open.
void close_on_exec(int fd) { ::fcntl(fd, F_SETFD, FD_CLOEXEC); }

std::int64_t realtime_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_REALTIME, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::string text_of(const tcp::endpoint& e) {
  return e.address().to_string() + ":" + std::to_string(e.port());
}

struct Connection {
  enum class Stage {
    nobody,  // accepted, no HELLO yet
    open,
    leaving,  // nothing more is taken from it; closes when the queue is out and it has read it
  };
  Connection(ConnectionId id_, tcp::socket s) : id(id_), socket(std::move(s)), timer(socket.get_executor()) {}
  ConnectionId id;
  tcp::socket socket;
  asio::steady_timer timer;
  std::string address;
  Stage stage = Stage::nobody;
  ControlDecoder decoder{kControlMaxHelloBytes};
  Introduction who;
  std::deque<std::shared_ptr<const std::string>> out;
  std::size_t out_bytes = 0;
};
using Shared = std::shared_ptr<Connection>;

}  // namespace

ControlMessage::ControlMessage() = default;
ControlMessage::~ControlMessage() = default;
ControlMessage::ControlMessage(ControlMessage&&) noexcept = default;
ControlMessage& ControlMessage::operator=(ControlMessage&&) noexcept = default;

// A connection is alive while it is in `connections`; a handler that finds it dropped (socket closed) does
// nothing.
struct ControlServer::State {
  explicit State(ControlOptions o) : options(std::move(o)), acceptor(io), accept_timer(io) {}

  ControlOptions options;
  asio::io_context io{1};
  tcp::acceptor acceptor;
  asio::steady_timer accept_timer;
  std::map<ConnectionId, Shared> connections;  // in order of arrival
  ConnectionId next_id = 0;
  std::deque<ControlMessage> ready;
  std::array<char, 65536> chunk{};

  void accept() {
    acceptor.async_accept([this](std::error_code e, tcp::socket socket) {
      if (e == asio::error::operation_aborted) return;
      if (!e) {
        accepted(std::move(socket));
        return accept();
      }
      accept_timer.expires_after(kAcceptPause);
      accept_timer.async_wait([this](std::error_code stopped) {
        if (!stopped) accept();
      });
    });
  }

  void accepted(tcp::socket socket) {
    std::error_code e;
    const auto c = std::make_shared<Connection>(next_id++, std::move(socket));
    const tcp::endpoint remote = c->socket.remote_endpoint(e);
    c->address = e ? "unknown address" : text_of(remote);
    close_on_exec(c->socket.native_handle());
    c->socket.non_blocking(true, e);
    if (!e) c->socket.set_option(tcp::no_delay(true), e);
    std::error_code ignored;
    c->socket.set_option(asio::socket_base::keep_alive(true), ignored);
    if (connections.size() >= 2 * options.nodes.size() + 8 && !make_room()) {
      return tell_refused(c, "more connections than nodes");
    }
    connections[c->id] = c;
    arm(c);
    read(c);
  }

  // Strangers must not keep the run's own out: the one that has said nothing for longest goes.
  bool make_room() {
    for (const auto& [id, c] : connections) {
      if (c->stage != Connection::Stage::nobody) continue;
      drop_refused(Shared(c), "more connections than nodes, and no HELLO yet");
      return true;
    }
    return false;
  }

  void arm(const Shared& c) {
    c->timer.expires_after(chrono(options.hello_deadline));
    c->timer.async_wait([this, c](std::error_code e) {
      // The second test: an older wait may have been on its way already when the timer was set anew.
      if (e || !alive(c) || c->timer.expiry() > asio::steady_timer::clock_type::now()) return;
      if (c->stage == Connection::Stage::nobody) {
        drop_refused(c, "no HELLO within " + to_text(options.hello_deadline));
      } else if (c->stage == Connection::Stage::leaving) {
        drop(c);
      }
    });
  }

  bool alive(const Shared& c) const { return connections.contains(c->id); }

  void read(const Shared& c) {
    c->socket.async_wait(tcp::socket::wait_read, [this, c](std::error_code e) {
      if (!alive(c)) return;
      if (!e) {
        const std::size_t n = c->socket.read_some(asio::buffer(chunk), e);
        if (n > 0) take(c, std::string_view(chunk.data(), n));
        if (e == asio::error::would_block || e == asio::error::try_again || e == asio::error::interrupted)
          e.clear();
      }
      if (!alive(c)) return;
      if (e) return ended(c, e == asio::error::eof ? "closed by the node" : e.message());
      read(c);
    });
  }

  void take(const Shared& c, std::string_view bytes) {
    if (c->stage == Connection::Stage::leaving) return;
    c->decoder.feed(bytes);
    while (alive(c) && c->stage != Connection::Stage::leaving) {
      auto frame = c->decoder.next();
      if (!frame) return ended(c, frame.error().message);
      if (!*frame) return;
      c->stage == Connection::Stage::nobody ? introduce(c, **frame) : deliver(c, **frame);
    }
  }

  void introduce(const Shared& c, std::string_view message) {
    Result<Introduction> who = check_hello(message, options);
    if (!who) {
      tell_refused(c, who.error().message);
      return leave_with_reason(c, who.error().message);
    }
    c->stage = Connection::Stage::open;
    c->who = std::move(*who);
    c->timer.cancel();
    c->decoder.set_limit(kControlMaxBytes);
    ControlMessage m = about(c, Kind::connected, "");
    if (c->who.clock_ns != 0) m.clock_difference = Nanos::ns(c->who.clock_ns - realtime_ns());
    ready.push_back(std::move(m));
  }

  void deliver(const Shared& c, const std::string& bytes) {
    auto message = std::make_unique<wire::ToOrchestrator>();
    if (!message->ParseFromString(bytes) || message->kind_case() == wire::ToOrchestrator::KIND_NOT_SET) {
      return ended(c, "sent what is not a control message");
    }
    if (message->has_hello()) return ended(c, "sent a second HELLO");
    ControlMessage m = about(c, Kind::message, "");
    m.message = std::move(message);
    ready.push_back(std::move(m));
  }

  // The connection is over and its owner has not asked for it.
  void ended(const Shared& c, const std::string& reason) {
    if (c->stage == Connection::Stage::nobody) return drop_refused(c, reason);
    if (c->stage == Connection::Stage::open) ready.push_back(about(c, Kind::closed, reason));
    drop(c);
  }

  void drop_refused(const Shared& c, const std::string& reason) {
    tell_refused(c, reason);
    drop(c);
  }

  void tell_refused(const Shared& c, const std::string& reason) {
    ready.push_back(about(c, Kind::refused, c->address + ": " + reason));
  }

  void drop(const Shared& c) {
    std::error_code ignored;
    connections.erase(c->id);
    c->timer.cancel();
    c->socket.close(ignored);
    c->out.clear();
  }

  ControlMessage about(const Shared& c, Kind kind, std::string text) const {
    ControlMessage m;
    m.kind = kind;
    m.connection = c->id;
    m.node = c->who.node;
    m.role = c->who.role;
    m.launch = c->who.launch;
    m.address = c->address;
    m.text = std::move(text);
    return m;
  }

  void leave_with_reason(const Shared& c, std::string_view reason) {
    wire::ToNode m;
    m.mutable_refuse()->set_reason(std::string(reason));
    queue(c, frame_of(m));
    if (alive(c)) leave(c);
  }

  void leave(const Shared& c) {
    if (c->stage == Connection::Stage::leaving) return;
    c->stage = Connection::Stage::leaving;
    c->decoder = ControlDecoder(0);
    arm(c);
    if (c->out.empty()) finish_leaving(c);
  }

  // Only half is closed, and the rest is read and thrown away until the peer closes: a full close with unread
  // bytes here would reset the connection, and the peer might never see the reason.
  void finish_leaving(const Shared& c) {
    std::error_code ignored;
    c->socket.shutdown(tcp::socket::shutdown_send, ignored);
  }

  static std::shared_ptr<const std::string> frame_of(const wire::ToNode& m) {
    return std::make_shared<const std::string>(encode_control(m.SerializeAsString()));
  }

  void queue(const Shared& c, const std::shared_ptr<const std::string>& frame) {
    if (c->stage == Connection::Stage::leaving) return;
    if (c->out_bytes + frame->size() > options.outgoing_limit_bytes) {
      return ended(c, fmt::format("does not read: {} are waiting for it", to_text(Bytes::b(c->out_bytes))));
    }
    c->out_bytes += frame->size();
    c->out.push_back(frame);
    if (c->out.size() == 1) write(c);
  }

  void write(const Shared& c) {
    const std::shared_ptr<const std::string> frame = c->out.front();
    asio::async_write(c->socket, asio::buffer(*frame), [this, c, frame](std::error_code e, std::size_t) {
      if (!alive(c)) return;
      if (e) return ended(c, e.message());
      c->out_bytes -= frame->size();
      c->out.pop_front();
      if (!c->out.empty()) return write(c);
      if (c->stage == Connection::Stage::leaving) finish_leaving(c);
    });
  }

  bool writing() const {
    for (const auto& [id, c] : connections) {
      if (!c->out.empty()) return true;
    }
    return false;
  }

  Shared find(ConnectionId id) const {
    const auto it = connections.find(id);
    return it == connections.end() || it->second->stage != Connection::Stage::open ? nullptr : it->second;
  }

  // Leaves messages of a connection that its owner gave up.
  void forget_messages(ConnectionId id) {
    std::erase_if(ready,
                  [id](const ControlMessage& m) { return m.connection == id && m.kind != Kind::refused; });
  }
};

ControlServer::ControlServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

// What was said last ("finish", a refusal) still goes out if the kernel takes it soon.
ControlServer::~ControlServer() {
  std::error_code ignored;
  state_->acceptor.close(ignored);
  const auto until = std::chrono::steady_clock::now() + kLastFlush;
  while (state_->writing() && state_->io.run_one_until(until) > 0) {
  }
}

Result<std::unique_ptr<ControlServer>> ControlServer::listen(ControlOptions options) {
  if (options.token.empty()) return fail(ErrorKind::input, "control channel: empty token");
  std::error_code e;
  const auto ip = asio::ip::make_address_v4(options.bind_address, e);
  if (e)
    return fail(ErrorKind::input,
                fmt::format("control address \"{}\": an IPv4 number expected", options.bind_address));
  const int first = options.port_first, last = options.port_last;
  if (first < 0 || last < first || last > 65535 || (first == 0 && last != 0)) {
    return fail(
        ErrorKind::input,
        fmt::format("control ports {}-{}: a range within 1-65535 expected, or 0-0 for any", first, last));
  }
  try {
    for (int port = first; port <= last; ++port) {
      auto state = std::make_unique<State>(options);
      tcp::acceptor& a = state->acceptor;
      const tcp::endpoint at(ip, static_cast<std::uint16_t>(port));
      a.open(tcp::v4(), e);
      if (!e) a.set_option(tcp::acceptor::reuse_address(true), e);
      if (!e) a.bind(at, e);
      if (!e) a.listen(asio::socket_base::max_listen_connections, e);
      if (e) continue;
      close_on_exec(a.native_handle());
      state->accept();
      return std::unique_ptr<ControlServer>(new ControlServer(std::move(state)));
    }
  } catch (const std::exception& failed) {
    return fail(ErrorKind::environment, fmt::format("control channel: {}", failed.what()));
  }
  return fail(
      ErrorKind::environment,
      fmt::format("control channel: cannot listen at {} port {}{}: {}; name free ports or another interface "
                  "under control: in the site file",
                  options.bind_address, first, last > first ? "-" + std::to_string(last) : "", e.message()));
}

int ControlServer::port() const {
  std::error_code e;
  return state_->acceptor.local_endpoint(e).port();
}

std::string ControlServer::address() const {
  std::error_code e;
  return text_of(state_->acceptor.local_endpoint(e));
}

std::optional<ControlMessage> ControlServer::wait(Nanos timeout) {
  const auto until = std::chrono::steady_clock::now() + chrono(timeout);
  State& s = *state_;
  // What is ready is moved first: run_one_until would not even look when the time is over.
  while (s.ready.empty() && s.io.poll_one() > 0) {
  }
  while (s.ready.empty() && s.io.run_one_until(until) > 0) {
  }
  if (s.ready.empty()) return std::nullopt;
  ControlMessage m = std::move(s.ready.front());
  s.ready.pop_front();
  return m;
}

void ControlServer::send(ConnectionId connection, const wire::ToNode& message) {
  send(std::span(&connection, 1), message);
}

void ControlServer::send(std::span<const ConnectionId> connections, const wire::ToNode& message) {
  const auto frame = State::frame_of(message);
  for (const ConnectionId id : connections) {
    if (const Shared c = state_->find(id)) state_->queue(c, frame);
  }
}

void ControlServer::refuse(ConnectionId connection, std::string_view reason) {
  const Shared c = state_->find(connection);
  state_->forget_messages(connection);
  if (c) state_->leave_with_reason(c, reason);
  state_->forget_messages(connection);
}

void ControlServer::close(ConnectionId connection) {
  const Shared c = state_->find(connection);
  state_->forget_messages(connection);
  if (c) state_->leave(c);
}

}  // namespace railgauge
