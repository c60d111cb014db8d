// Looking at other processes of this node by pid and start time, so that a reused pid is not mistaken for the
// one that died.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace railgauge {

struct ProcessLook {
  bool alive = false;  // a zombie is dead: it does nothing any more
  char letter = '?';   // of /proc/PID/stat: R S D T t Z; '?' when there is none
  std::uint64_t start_ticks = 0;
  std::optional<int> exit_signal;  // of a zombie, where the kernel shows it
};

// Content of /proc/PID/stat. Not that format: dead, '?'.
ProcessLook parse_stat(std::string_view text);

class Processes {
 public:
  virtual ~Processes() = default;
  // start_ticks 0: any. Another start time: dead.
  virtual ProcessLook look(std::int64_t pid, std::uint64_t start_ticks) const = 0;
  // Only if it is still that process. False: gone, or not permitted.
  virtual bool signal(std::int64_t pid, std::uint64_t start_ticks, int number) = 0;
};

class SystemProcesses : public Processes {
 public:
  ProcessLook look(std::int64_t pid, std::uint64_t start_ticks) const override;
  bool signal(std::int64_t pid, std::uint64_t start_ticks, int number) override;
};

}  // namespace railgauge
