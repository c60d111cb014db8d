#include "workers/main/watchdog.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "workers/rounds/meters.h"

namespace railgauge {
namespace {

constexpr long kEveryNs = 100'000'000;
constexpr Nanos kAfterLeader = Nanos::s(2);

}  // namespace

Watchdog::Watchdog(const Board& board) : board_(board) {
  // Signals are the main thread's.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() {
  quit_.store(true, std::memory_order_release);
  thread_.join();
}

void Watchdog::end_within(double seconds) {
  end_ns_.store((SystemClock().now() + Nanos::s(seconds)).count(), std::memory_order_release);
}

void Watchdog::watch() {
  const SystemClock clock;
  while (!quit_.load(std::memory_order_acquire)) {
    const timespec pause{0, kEveryNs};
    nanosleep(&pause, nullptr);
    const std::int64_t leader = board_.leader_pid.load(std::memory_order_acquire);
    if (!gone_.load(std::memory_order_relaxed) && leader > 0 &&
        !processes_.look(leader, board_.leader_start_ticks.load()).alive) {
      gone_.store(true, std::memory_order_release);
      if (end_ns_.load() == 0) end_within(kAfterLeader.seconds());
    }
    const std::int64_t end = end_ns_.load(std::memory_order_acquire);
    if (end != 0 && clock.now().count() > end) _exit(0);
  }
}

}  // namespace railgauge
