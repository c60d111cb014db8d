#include "orchestrator/lab/user_namespace.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace railgauge {
namespace {

std::string read_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// Written by one write(): the kernel takes no second one.
Result<void> write_map(const char* path, const std::string& text) {
  std::ofstream out(path);
  out << text << std::flush;
  if (out) return {};
  return fail(ErrorKind::environment, fmt::format("lab: {}: {}", path, std::strerror(errno)));
}

// Process 1's root is the machine's; in a chroot ours is another folder.
bool is_rooted() {
  struct stat ours {
  }, first{};
  if (::stat("/", &ours) != 0 || ::stat("/proc/1/root/", &first) != 0) return true;  // not ours to look at
  return ours.st_dev == first.st_dev && ours.st_ino == first.st_ino;
}

}  // namespace

std::optional<OrdinaryUser> ordinary_user() {
  if (::geteuid() == 0) return std::nullopt;
  return OrdinaryUser{::geteuid(), ::getegid()};
}

Result<pid_t> fork_into_user_namespace() {
  std::fflush(nullptr);  // else buffered output is written twice
  // Not unshare(): it would take the caller along, who could not come back.
  const long pid = ::syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, nullptr, nullptr, nullptr, 0);
  if (pid >= 0) return static_cast<pid_t>(pid);
  const int error = errno;
  return fail(ErrorKind::environment,
              fmt::format("lab: no user namespace: {}; {}", std::strerror(error), how_to_permit_labs()));
}

Result<void> become_root(const OrdinaryUser& user) {
  // Without root's help a map of groups is taken only from those who gave up changing groups.
  if (Result<void> ok = write_map("/proc/self/setgroups", "deny"); !ok) return ok;
  if (Result<void> ok = write_map("/proc/self/uid_map", fmt::format("0 {} 1", user.uid)); !ok) return ok;
  return write_map("/proc/self/gid_map", fmt::format("0 {} 1", user.gid));
}

std::string how_to_permit_labs(const std::function<std::string(const char*)>& setting, bool rooted) {
  struct Switch {
    const char* name;
    const char* forbids;
    const char* permit;
  };
  // Debian's own, everybody's, Ubuntu's since 23.10 (there the namespace comes up, without power in it).
  constexpr Switch kSwitches[] = {
      {"kernel.unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"},
      {"user.max_user_namespaces", "0", "user.max_user_namespaces=15000"},
      {"kernel.apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"},
  };
  for (const Switch& s : kSwitches) {
    std::string path = s.name;
    std::replace(path.begin(), path.end(), '.', '/');
    if (setting(path.c_str()) == s.forbids)
      return fmt::format("{} is {}: `sudo sysctl -w {}` permits it, or run it with sudo", s.name, s.forbids,
                         s.permit);
  }
  if (!rooted) return "in a chroot only root can have a lab: run it with sudo";
  return "this machine or container does not let ordinary users have a lab: run it with sudo";
}

std::string how_to_permit_labs() {
  return how_to_permit_labs([](const char* name) { return read_line(std::string("/proc/sys/") + name); },
                            is_rooted());
}

uid_t outside_id(const std::string& uid_map, uid_t inside) {
  std::istringstream lines(uid_map);
  std::uint64_t first = 0, outside = 0, count = 0;
  while (lines >> first >> outside >> count) {
    if (inside >= first && inside < first + count) return static_cast<uid_t>(outside + (inside - first));
  }
  return inside;
}

uid_t outside_id() {
  std::ifstream in("/proc/self/uid_map");
  std::stringstream text;
  text << in.rdbuf();
  return outside_id(text.str(), ::getuid());
}

}  // namespace railgauge
