#include "orchestrator/lab/lab_hogs.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "orchestrator/lab/lab_network.h"

namespace railgauge {
namespace {

std::string hog_name(const std::string& host) { return "rg-hog-" + host; }  // the kernel keeps 15 characters

[[noreturn]] void burn(const std::string& name) {
  ::setsid();
  ::prctl(PR_SET_NAME, name.c_str());
  ::syscall(SYS_close_range, 0U, ~0U, 0U);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  volatile unsigned long turns = 0;
  for (;;) turns = turns + 1;
}

}  // namespace

Result<void> start_hogs(const std::string& host, int count) {
  return in_host(host, [&]() -> Result<void> {
    for (int i = 0; i < count; ++i) {
      const pid_t pid = ::fork();
      if (pid < 0) return fail(ErrorKind::environment, fmt::format("lab: cpu-hog: {}", std::strerror(errno)));
      if (pid == 0) burn(hog_name(host));
    }
    return {};
  });
}

Result<void> stop_hogs(const std::string& host) {
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return fail(ErrorKind::environment, "lab: /proc cannot be read");
  while (const dirent* entry = ::readdir(proc)) {
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid <= 1) continue;
    std::ifstream file(fmt::format("/proc/{}/comm", pid));
    std::string name;
    if (std::getline(file, name) && name == hog_name(host)) ::kill(pid, SIGKILL);
  }
  ::closedir(proc);
  return {};
}

}  // namespace railgauge
