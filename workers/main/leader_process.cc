#include "workers/main/leader_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace railgauge {
namespace {

// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_leader(const char* node) {
  setsid();
  const pid_t second = fork();
  if (second != 0) _exit(second > 0 ? 0 : 1);
  prctl(PR_SET_PDEATHSIG, 0);
  signal(SIGTERM, SIG_IGN);  // mpirun's end is not the leader's
  signal(SIGPIPE, SIG_IGN);
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  close_range(3, ~0U, 0);
  char program[] = "/proc/self/exe";
  char name[] = "railgauge-rank", leader[] = "--leader", option[] = "--node";
  char* const argv[] = {name, leader, option, const_cast<char*>(node), nullptr};
  execv(program, argv);
  _exit(1);
}

}  // namespace

Result<void> start_leader(const std::string& node) {
  const pid_t first = fork();
  if (first == 0) become_leader(node.c_str());
  int status = 0;
  if (first < 0 || waitpid(first, &status, 0) != first || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail(ErrorKind::environment,
                fmt::format("{}: cannot start the node's leader: {}; check the limit of processes", node,
                            std::strerror(errno)));
  }
  return {};
}

}  // namespace railgauge
