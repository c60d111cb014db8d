// A started launcher process as a session sees it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "orchestrator/launch/process.h"
#include "orchestrator/session.h"

namespace railgauge {

// Rank that mpirun blames in "... process rank 5 with PID 77 on node h2 exited on signal 9 (Killed)". Absent:
// no such line.
std::optional<std::int32_t> blamed_rank_in(const std::string& text);
// Last line with a letter or digit in it, without control characters, at most 200 long; "" none.
std::string last_line_of(const std::string& text);

class LaunchProcess : public StartedLaunch {
 public:
  // error_log: gets the end of what the launcher wrote to stderr (256 KiB) when this object goes.
  // Errors (environment): cannot be started.
  static Result<std::unique_ptr<LaunchProcess>> start(const Command& command,
                                                      std::filesystem::path error_log);
  ~LaunchProcess() override;
  std::optional<std::string> ended() override;
  void signal(int number) override;
  std::optional<std::int32_t> blamed_rank() override;
  std::string last_words() override;

 private:
  LaunchProcess(Process process, std::filesystem::path error_log)
      : process_(std::move(process)), error_log_(std::move(error_log)) {}
  Process process_;
  std::filesystem::path error_log_;
};

}  // namespace railgauge
