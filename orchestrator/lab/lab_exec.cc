#include "orchestrator/lab/lab_exec.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "orchestrator/lab/lab_script.h"
#include "orchestrator/lab/private_mounts.h"

namespace railgauge {
namespace {

constexpr int kFailed = 255;  // ssh's own code for "ssh itself failed"

// Its own host name, message queues, shared memory and /sys, so that nothing passes between hosts but by
// network: with shared ipc UCX measured 10 GB/s "on a rail". A separate /dev/shm alone does not help (RIGS
// section 7).
const char* enter(const std::string& host) {
  const int net = ::open(fmt::format("{}/{}", kNetnsFolder, host).c_str(), O_RDONLY | O_CLOEXEC);
  if (net < 0) return "no such host in this lab";
  if (::setns(net, CLONE_NEWNET) != 0) return "cannot enter its network";
  if (::unshare(CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS) != 0) return "cannot unshare";
  if (::sethostname(host.c_str(), host.size()) != 0) return "cannot set the host name";
  if (!make_mounts_private()) return "cannot make mounts private";
  if (::mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") != 0)
    return "cannot mount /dev/shm";
  // /sys/class/net shows the namespace of whoever mounted it.
  if (::mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return "cannot mount /sys";
  return nullptr;
}

[[noreturn]] void become(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  fmt::print(stderr, "lab-exec: {}: {}\n", words[0], std::strerror(errno));
  ::_exit(errno == ENOENT ? 127 : 126);
}

}  // namespace

int lab_exec(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || (arguments[1] == "--exec" && arguments.size() < 3)) {
    fmt::print(stderr, "lab-exec: HOST --exec PROGRAM ARGUMENT... expected\n");
    return kFailed;
  }
  const std::string& host = arguments[0];
  if (host.empty() || host.find('/') != std::string::npos || host.front() == '.') {
    fmt::print(stderr, "lab-exec: {}: not a host name\n", host);
    return kFailed;
  }
  if (const char* why = enter(host)) {
    fmt::print(stderr, "lab-exec: {}: {}: {}\n", host, why, std::strerror(errno));
    return kFailed;
  }
  if (arguments[1] == "--exec") become({arguments.begin() + 2, arguments.end()});
  // mpirun, as the caller of an rsh agent, sends text for the shell of the other side (assignments, quotes,
  // ';'): ssh would join the words and give them to that shell, and so do we. The text is mpirun's own;
  // nothing of ours is in it.
  std::string text;
  for (std::size_t i = 1; i < arguments.size(); ++i) text += (i > 1 ? " " : "") + arguments[i];
  become({"/bin/sh", "-c", text});
}

}  // namespace railgauge
