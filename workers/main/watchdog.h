// Ends this process when its main thread can't: it may sit in MPI_Init or MPI_Finalize for ever.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "workers/rounds/board.h"
#include "workers/rounds/processes.h"

namespace railgauge {

class Watchdog {
 public:
  // Watches the leader that the board names; leader_gone() turns true with its death, and 2 s later the
  // process ends by _exit(0).
  explicit Watchdog(const Board& board);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  bool leader_gone() const { return gone_.load(std::memory_order_acquire); }
  // From now the process has `seconds` left.
  void end_within(double seconds);

 private:
  void watch();
  const Board& board_;
  SystemProcesses processes_;
  std::atomic<bool> gone_{false}, quit_{false};
  std::atomic<std::int64_t> end_ns_{0};
  std::thread thread_;
};

}  // namespace railgauge
