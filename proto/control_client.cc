#include "proto/control_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>

#include "proto/control.pb.h"

namespace railgauge {
namespace {

constexpr Nanos kSendDeadline = Nanos::s(5);
constexpr Nanos kRetryPause = Nanos::ms(100);

Nanos now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return Nanos::ns(std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec);
}

// Waits for events on fd. False: not before `until`. Errors of the socket count as ready: the next call on it
// tells them.
bool ready(int fd, short events, Nanos until) {
  for (;;) {
    const std::int64_t left_ns = std::max<std::int64_t>(0, (until - now()).count());
    // Rounded up, so that the last wait does not become a busy loop of zero milliseconds.
    const auto left_ms = static_cast<int>(std::min<std::int64_t>((left_ns + 999'999) / 1'000'000, 60'000));
    pollfd p{fd, events, 0};
    const int n = ::poll(&p, 1, left_ms);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return true;
    if (now() >= until) return false;
  }
}

std::optional<sockaddr_in> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  sockaddr_in a{};
  a.sin_family = AF_INET;
  std::uint16_t port = 0;
  const std::string_view digits = text.substr(colon + 1);
  const auto r = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (r.ec != std::errc() || r.ptr != digits.data() + digits.size() || port == 0) return std::nullopt;
  a.sin_port = htons(port);
  if (::inet_pton(AF_INET, std::string(text.substr(0, colon)).c_str(), &a.sin_addr) != 1) return std::nullopt;
  return a;
}

// Worth another try: the listener may be a moment behind, or the network of a fresh namespace.
bool passing(int error) {
  return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH || error == ETIMEDOUT ||
         error == ECONNRESET;
}

// The connected socket, or errno.
tl::expected<int, int> connect_once(const sockaddr_in& address, Nanos until) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return tl::make_unexpected(errno);
  int error = 0;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) error = errno;
  if (error == EINPROGRESS) {
    socklen_t size = sizeof error;
    if (!ready(fd, POLLOUT, until)) {
      error = ETIMEDOUT;
    } else if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
      error = errno;
    }
  }
  if (error != 0) {
    ::close(fd);
    return tl::make_unexpected(error);
  }
  // Keepalive finds an orchestrator whose machine is gone, within about 25 s.
  const int on = 1, idle_s = 10, interval_s = 5, probes = 3;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  return fd;
}

tl::unexpected<Error> closed(int error) {
  return fail(ErrorKind::peer,
              error == 0 ? std::string("orchestrator closed the control connection")
                         : fmt::format("control connection to the orchestrator: {}", std::strerror(error)));
}

}  // namespace

Result<std::unique_ptr<ControlClient>> ControlClient::connect(std::string_view address, Nanos deadline) {
  const std::optional<sockaddr_in> target = parse_address(address);
  if (!target) {
    return fail(ErrorKind::input,
                fmt::format("control address \"{}\": an IPv4 number and a port expected", address));
  }
  const Nanos until = now() + deadline;
  for (;;) {
    const tl::expected<int, int> fd = connect_once(*target, until);
    if (fd) return std::unique_ptr<ControlClient>(new ControlClient(*fd));
    if (!passing(fd.error()) || now() + kRetryPause >= until) {
      return fail(
          passing(fd.error()) ? ErrorKind::deadline : ErrorKind::environment,
          fmt::format(
              "orchestrator at {} cannot be reached within {}: {}; check route and firewall, or name another "
              "control interface in the site file",
              address, to_text(deadline), std::strerror(fd.error())));
    }
    ::poll(nullptr, 0, static_cast<int>(kRetryPause.count() / 1'000'000));
  }
}

ControlClient::~ControlClient() { ::close(fd_); }

Result<void> ControlClient::send(const wire::ToOrchestrator& message) {
  const std::size_t size = message.ByteSizeLong();
  if (size > kControlMaxBytes) {
    return fail(ErrorKind::input,
                fmt::format("control message of {} bytes, at most {}", size, kControlMaxBytes));
  }
  const std::string frame = encode_control(message.SerializeAsString());
  std::string_view rest = frame;
  Nanos until = now() + kSendDeadline;
  while (!rest.empty()) {
    const ssize_t n = ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n > 0) {
      rest.remove_prefix(static_cast<std::size_t>(n));
      until = now() + kSendDeadline;
    } else if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return closed(errno);
    } else if (!ready(fd_, POLLOUT, until)) {
      return fail(ErrorKind::deadline,
                  "orchestrator took nothing off the control connection for " + to_text(kSendDeadline));
    }
  }
  return {};
}

Result<std::optional<wire::ToNode>> ControlClient::receive(Nanos timeout) {
  const Nanos until = now() + timeout;
  std::array<char, 65536> chunk;
  for (;;) {
    const Result<std::optional<std::string>> frame = decoder_.next();
    if (!frame) return tl::make_unexpected(frame.error());
    if (*frame) {
      wire::ToNode message;
      if (!message.ParseFromString(**frame))
        return fail(ErrorKind::peer, "orchestrator sent what is not a control message");
      return std::optional<wire::ToNode>(std::move(message));
    }
    const ssize_t n = ::recv(fd_, chunk.data(), chunk.size(), 0);
    if (n > 0) {
      decoder_.feed(std::string_view(chunk.data(), static_cast<std::size_t>(n)));
    } else if (n == 0) {
      return closed(0);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return closed(errno);
    } else if (!ready(fd_, POLLIN, until)) {
      return std::optional<wire::ToNode>();
    }
  }
}

}  // namespace railgauge
