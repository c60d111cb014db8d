#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "proto/result.h"
#include "tests/unit/workers/engines/ucx/engine_rig.h"

extern char** environ;

namespace railgauge::rig {
namespace {

void write_all(int fd, const void* data, std::size_t size) {
  RG_CHECK(::write(fd, data, size) == static_cast<ssize_t>(size));
}

void read_all(int fd, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = ::read(fd, at, size);
    if (n <= 0) _exit(9);  // the other process is gone
    at += n;
    size -= static_cast<std::size_t>(n);
  }
}

void write_bytes(int fd, const std::vector<std::uint8_t>& bytes) {
  const std::uint64_t size = bytes.size();
  write_all(fd, &size, sizeof size);
  write_all(fd, bytes.data(), size);
}

std::vector<std::uint8_t> read_bytes(int fd) {
  std::uint64_t size = 0;
  read_all(fd, &size, sizeof size);
  RG_CHECK(size < 65536);
  std::vector<std::uint8_t> bytes(size);
  read_all(fd, bytes.data(), size);
  return bytes;
}

// What a child is told; the clock is one for all processes of a host.
struct Orders {
  std::int32_t is_source, round, source, target;
  Operation operation;
  std::uint64_t size;
  std::int64_t start, stop, deadline;
};

int child_main(std::int32_t peer) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = dup(1);
  const auto engine = open();
  write_bytes(out, *engine->address());
  const std::vector<std::uint8_t> address = read_bytes(0);
  Orders orders{};
  read_all(0, &orders, sizeof orders);
  RG_CHECK(engine->connect(peer, address).has_value());
  const FlowTask flow =
      task(orders.is_source != 0, orders.operation, orders.size, orders.round, orders.source, orders.target);
  const auto outcomes =
      engine->run({flow}, {Nanos::ns(orders.start), Nanos::ns(orders.stop), Nanos::ns(orders.deadline)},
                  [] { return false; });
  if (!outcomes[0].ok) fprintf(stderr, "child: %s\n", outcomes[0].error.c_str());
  _exit(outcomes[0].ok && outcomes[0].wrong_bytes == 0 ? 0 : 1);
}

}  // namespace

Nanos RawClock::now() const {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return Nanos::ns(static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec);
}

const Clock& raw_clock() {
  static const RawClock clock;
  return clock;
}

std::unique_ptr<Engine> open(const std::string& device) {
  auto engine = load_engine("ucx", OpenRequest{device, 1, -1}, raw_clock());
  if (!engine) fprintf(stderr, "%s\n", engine.error().message.c_str());
  RG_CHECK(engine.has_value());
  return std::move(*engine);
}

FlowTask task(bool is_source, Operation operation, std::uint64_t size, std::int32_t round,
              std::int32_t source, std::int32_t target) {
  FlowTask made;
  made.is_source = is_source;
  made.round = round;
  made.source = source;
  made.target = target;
  made.peer_name = "h" + std::to_string(is_source ? target : source) + " lo";
  made.operation = operation;
  made.size_bytes = size;
  return made;
}

TimeBox box(Nanos length, Nanos grace) {
  const Nanos start = raw_clock().now() + Nanos::ms(20);
  return {start, start + length, start + length + grace};
}

Child::Child(std::int32_t own, std::int32_t peer) {
  int in[2], out[2];
  RG_CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  const std::string own_text = std::to_string(own), peer_text = std::to_string(peer);
  std::string program = "/proc/self/exe", mark = "--engine-child", a = own_text, b = peer_text;
  char* arguments[] = {program.data(), mark.data(), a.data(), b.data(), nullptr};
  RG_CHECK(posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, arguments, environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
  address_ = read_bytes(from_);
}

void Child::start(const std::vector<std::uint8_t>& peer_address, const FlowTask& flow, const TimeBox& times) {
  write_bytes(to_, peer_address);
  const Orders orders{flow.is_source ? 1 : 0, flow.round,      flow.source,         flow.target,
                      flow.operation,         flow.size_bytes, times.start.count(), times.stop.count(),
                      times.deadline.count()};
  write_all(to_, &orders, sizeof orders);
}

void Child::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

int Child::join() {
  int status = 0;
  if (pid_ > 0) waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Child::~Child() {
  kill();
  join();
  close(to_);
  close(from_);
}

}  // namespace railgauge::rig

int main(int argc, char** argv) {
  if (argc == 4 && strcmp(argv[1], "--engine-child") == 0) return railgauge::rig::child_main(atoi(argv[3]));
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
