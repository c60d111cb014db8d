// One end of one flow through the engine plug-in, for tests/bench/p2p_vs_ucx_perftest. The target listens and
// prints what arrived, the source connects and prints its latencies; one JSON line each. Both ends are
// processes of one host, so that one clock serves both.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "workers/engines/engine.h"

namespace {

using namespace railgauge;

class RawClock final : public Clock {
 public:
  Nanos now() const override {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return Nanos::ns(static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec);
  }
};

[[noreturn]] void stop(const std::string& why) {
  fmt::print(stderr, "p2p_bench: {}\n", why);
  std::exit(2);
}

void transfer(int fd, void* data, std::size_t size, bool out) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = out ? ::write(fd, at, size) : ::read(fd, at, size);
    if (n <= 0) stop("the other end is gone");
    at += n;
    size -= static_cast<std::size_t>(n);
  }
}

// The other end over plain TCP, for addresses and the start. Tries for 5 s.
int meet(bool listens, const std::string& host, std::uint16_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &place.sin_addr) != 1) stop(host + " is not an IPv4 address");
  for (int tries = 0; tries < 500; ++tries) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (listens) {
      if (bind(fd, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0 || listen(fd, 1) != 0)
        stop(fmt::format("cannot listen at {}:{}", host, port));
      const int accepted = accept(fd, nullptr, nullptr);
      close(fd);
      return accepted;
    }
    if (connect(fd, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0) return fd;
    close(fd);
    usleep(10000);
  }
  stop(fmt::format("nobody at {}:{}", host, port));
}

std::vector<std::uint8_t> exchange(int fd, std::vector<std::uint8_t> own) {
  std::uint64_t size = own.size();
  transfer(fd, &size, sizeof size, true);
  transfer(fd, own.data(), own.size(), true);
  transfer(fd, &size, sizeof size, false);
  if (size > 65536) stop("the other end is no p2p_bench");
  std::vector<std::uint8_t> theirs(size);
  transfer(fd, theirs.data(), size, false);
  return theirs;
}

Operation operation_named(const std::string& name) {
  for (const Operation operation : all_values(Operation{}))
    if (to_text(operation) == name) return operation;
  stop("unknown operation " + name);
}

// Bytes per second from the first tenth of the box on to its end; 0 with fewer than two arrivals.
double steady_rate(const std::vector<Arrival>& arrivals, const TimeBox& box) {
  const std::int64_t from = box.start.count() + (box.stop - box.start).count() / 10;
  const auto first =
      std::find_if(arrivals.begin(), arrivals.end(), [&](const Arrival& a) { return a.time_ns >= from; });
  auto last =
      std::find_if(first, arrivals.end(), [&](const Arrival& a) { return a.time_ns > box.stop.count(); });
  if (last - first < 2) return 0;
  --last;
  return static_cast<double>(last->total_bytes - first->total_bytes) * 1e9 /
         static_cast<double>(last->time_ns - first->time_ns);
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options = {{"--role", ""},
                                                {"--device", "lo"},
                                                {"--host", "127.0.0.1"},
                                                {"--port", "15500"},
                                                {"--operation", "write_stream"},
                                                {"--size", "65536"},
                                                {"--seconds", "1"}};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 >= argc || options.count(argv[i]) == 0)
      stop(fmt::format("unknown or incomplete option {}", argv[i]));
    options[argv[i]] = argv[i + 1];
  }
  const bool is_target = options["--role"] == "target";
  if (!is_target && options["--role"] != "source") stop("--role source or target");
  const RawClock clock;
  auto engine = load_engine("ucx", OpenRequest{options["--device"], 1, -1}, clock);
  if (!engine) stop(engine.error().message);
  const int fd =
      meet(is_target, options["--host"], static_cast<std::uint16_t>(std::atoi(options["--port"].c_str())));
  auto address = (*engine)->address();
  if (!address) stop(address.error().message);
  auto connected = (*engine)->connect(is_target ? 0 : 1, exchange(fd, *address));
  if (!connected) stop(connected.error().message);
  std::int64_t start = (clock.now() + Nanos::ms(50)).count();
  transfer(fd, &start, sizeof start, !is_target);

  FlowTask task;
  task.is_source = !is_target;
  task.round = 1;
  task.source = 0;
  task.target = 1;
  task.peer_name = is_target ? "source" : "target";
  task.operation = operation_named(options["--operation"]);
  task.size_bytes = std::strtoull(options["--size"].c_str(), nullptr, 10);
  const Nanos begin = Nanos::ns(start), end = begin + Nanos::s(std::atof(options["--seconds"].c_str()));
  const TimeBox box{begin, end, end + Nanos::s(10)};
  FlowOutcome outcome = (*engine)->run({task}, box, [] { return false; })[0];
  if (!outcome.ok) stop(outcome.error);
  double p50 = 0;
  if (!outcome.latencies_ns.empty()) {
    const auto middle =
        outcome.latencies_ns.begin() + static_cast<std::ptrdiff_t>(outcome.latencies_ns.size() / 2);
    std::nth_element(outcome.latencies_ns.begin(), middle, outcome.latencies_ns.end());
    p50 = static_cast<double>(*middle) * 1e-3;
  }
  fmt::print(
      "{{\"bytes\": {}, \"messages\": {}, \"wrong_bytes\": {}, \"bytes_per_second\": {:.0f}, "
      "\"latency_p50_us\": {:.3f}}}\n",
      outcome.payload_bytes, outcome.messages, outcome.wrong_bytes, steady_rate(outcome.arrivals, box), p50);
  return outcome.wrong_bytes == 0 ? 0 : 1;
}
