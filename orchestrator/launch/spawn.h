// fork and exec alone, in one place: what must be async-signal-safe between the two stays here.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "proto/result.h"

namespace railgauge {

struct Spawn {
  std::vector<std::string> argv;  // argv[0] is looked for in PATH
  std::vector<std::pair<std::string, std::string>> environment;
  int stdin_fd = -1, stdout_fd = -1, stderr_fd = -1;  // all three are set
  bool new_session = true;
};

// The child gets SIGKILL when the calling thread ends, an empty signal mask and no other descriptor of ours.
// Errors (environment): "PROGRAM: cannot start: No such file or directory".
Result<pid_t> spawn(const Spawn& what);

}  // namespace railgauge
