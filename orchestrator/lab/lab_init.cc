#include "orchestrator/lab/lab_init.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "orchestrator/lab/lab_network.h"
#include "orchestrator/lab/lab_script.h"
#include "orchestrator/lab/private_mounts.h"
#include "orchestrator/lab/user_namespace.h"

namespace railgauge {
namespace {

sigset_t relayed_and_child() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD}) ::sigaddset(&set, s);
  return set;
}

tl::unexpected<Error> system_error(const std::string& what) {
  return fail(ErrorKind::environment, fmt::format("lab: {}: {}", what, std::strerror(errno)));
}

// Between parent and child, a message a time: the parent says "go", so that a parent that died before the
// child asked for its death signal is noticed (the end of the line instead of a message); the child says "+"
// or what went wrong; for a lab that stays the parent then says "keep", and the child hangs up when it no
// longer depends on us.
class Line {
 public:
  Line() { opened_ = ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_.data()) == 0; }
  ~Line() {
    for (const int fd : ends_) {
      if (fd >= 0) ::close(fd);
    }
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  bool opened() const { return opened_; }
  void be_parent() { hang_up(1); }
  void be_child() {
    hang_up(0);
    std::swap(ends_[0], ends_[1]);
  }
  void end() { hang_up(0); }
  void say(std::string_view text) const { (void)::send(ends_[0], text.data(), text.size(), MSG_NOSIGNAL); }
  // "" where the other side hung up.
  std::string hear() const {
    std::array<char, 2048> buffer;
    ssize_t n = -1;
    do {
      n = ::recv(ends_[0], buffer.data(), buffer.size(), 0);
    } while (n < 0 && errno == EINTR);
    return {buffer.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
  }

 private:
  void hang_up(std::size_t end) {
    ::close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
  bool opened_ = false;
};

// In the child: tied to the parent's life from here on.
void tie(Line& line) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  line.be_child();
  if (line.hear() != "go") ::_exit(1);
}

// In the parent: until the child is ready, or says why not.
Result<pid_t> await(Line& line, pid_t child) {
  line.be_parent();
  line.say("go");
  const std::string text = line.hear();
  if (text == "+") return child;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return fail(ErrorKind::environment, text.empty() ? "lab: its first process died while building" : text);
}

// Labs that stay keep their states where only root writes.
Result<void> check_root() {
  if (::geteuid() == 0) return {};
  return fail(ErrorKind::environment,
              "lab: one that stays needs root: use sudo; `railgauge run --lab 4x4` needs none");
}

// fork() whose child is in another pid namespace (unshared, or the one of `pidfd`); ours stays as it is.
Result<pid_t> fork_into(int pidfd) {
  const int own = ::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
  if (own < 0) return system_error("/proc/self/ns/pid");
  const bool moved = pidfd < 0 ? ::unshare(CLONE_NEWPID) == 0 : ::setns(pidfd, CLONE_NEWPID) == 0;
  if (!moved) {
    const auto error = system_error("no process namespace (root is needed: use sudo)");
    ::close(own);
    return error;
  }
  std::fflush(nullptr);  // else buffered output is written twice
  const pid_t pid = ::fork();
  if (pid < 0) {
    const auto error = system_error("fork");
    ::setns(own, CLONE_NEWPID);
    ::close(own);
    return error;
  }
  if (pid > 0) RG_CHECK(::setns(own, CLONE_NEWPID) == 0);
  ::close(own);
  return pid;
}

// ip, tc and bridge are not in every user's PATH.
void widen_path() {
  const char* set = std::getenv("PATH");
  const std::string path = set == nullptr ? "/usr/local/bin:/usr/bin:/bin" : set;
  ::setenv("PATH", (path + ":/usr/sbin:/sbin").c_str(), 1);
}

Result<void> private_world() {
  if (::unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0)
    return system_error("no namespaces");
  constexpr std::string_view kName = "railgauge-lab";
  if (::sethostname(kName.data(), kName.size()) != 0) return system_error("host name");
  if (!make_mounts_private()) return system_error("private mounts");
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return system_error("/proc");
  if (::mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return system_error("/sys");
  // All names of the lab live below a /run of its own: labs side by side, and nothing is left on disk.
  if (::mount("lab", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") != 0) return system_error("/run");
  for (const char* folder : {kNetnsFolder, kLabFolder}) {
    if (::mkdir(folder, 0755) != 0) return system_error(folder);
  }
  return {};
}

int run_guarded(const LabMain& main, const LabSpec& spec) {
  int status = 70;  // EX_SOFTWARE
  try {
    status = main(spec);
  } catch (const std::exception& e) {
    fmt::print(stderr, "lab: {}\n", e.what());
  }
  std::fflush(nullptr);
  return status;
}

// Process 1 for good: reaps whoever is left to it. With a worker: passes signals on, ends with it.
[[noreturn]] void reap(pid_t worker) {
  const sigset_t wanted = relayed_and_child();
  ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
  for (;;) {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid == worker) ::_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }
    const int s = ::sigwaitinfo(&wanted, nullptr);
    if (s > 0 && s != SIGCHLD && worker > 0) ::kill(worker, s);
  }
}

// No descriptor, terminal or session of whoever typed `lab up`; from the last line on its end is not ours.
void let_go() {
  ::setsid();
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  if (::chdir("/") != 0) ::_exit(1);
  ::prctl(PR_SET_NAME, "railgauge-lab");
  ::prctl(PR_SET_PDEATHSIG, 0);
}

// Process 1 of the lab, until the lab is there. user: who we are outside, empty as root.
void build_world(const LabSpec& spec, const std::optional<OrdinaryUser>& user, Line& line) {
  tie(line);
  ::setpgid(0, 0);  // Ctrl-C comes once, through the parent
  widen_path();
  Result<void> ok = user ? become_root(*user) : Result<void>();
  if (ok) ok = private_world();
  if (!ok && user) ok = fail(ErrorKind::environment, ok.error().message + "; " + how_to_permit_labs());
  if (ok) ok = build_network(spec);
  if (ok) return line.say("+");
  line.say(ok.error().message.substr(0, 1000));
  ::_exit(1);
}

[[noreturn]] void hold(const LabSpec& spec, Line& line) {
  build_world(spec, std::nullopt, line);
  if (line.hear() != "keep") ::_exit(1);
  let_go();
  ::syscall(SYS_close_range, 3U, ~0U, 0U);  // hangs up, too: the parent may go
  reap(-1);
}

[[noreturn]] void work(const LabSpec& spec, const std::optional<OrdinaryUser>& user, const LabMain& main,
                       const RelayedSignals& signals, Line& line) {
  build_world(spec, user, line);
  line.end();
  const pid_t worker = ::fork();
  if (worker == 0) {
    signals.restore();
    ::_exit(run_guarded(main, spec));
  }
  if (worker < 0) ::_exit(1);
  reap(worker);
}

}  // namespace

RelayedSignals::RelayedSignals() : old_() {
  const sigset_t wanted = relayed_and_child();
  ::sigprocmask(SIG_BLOCK, &wanted, &old_);
}

RelayedSignals::~RelayedSignals() { restore(); }

void RelayedSignals::restore() const { ::sigprocmask(SIG_SETMASK, &old_, nullptr); }

int RelayedSignals::wait_for(pid_t child) const {
  const sigset_t wanted = relayed_and_child();
  for (;;) {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) {
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    const int s = ::sigwaitinfo(&wanted, nullptr);
    if (s > 0 && s != SIGCHLD) ::kill(child, s);
  }
}

Result<pid_t> start_lab(const LabSpec& spec, const LabMain& main, const RelayedSignals& signals) {
  Line line;
  if (!line.opened()) return system_error("no socket pair");
  const std::optional<OrdinaryUser> user = ordinary_user();
  const Result<pid_t> pid = user ? fork_into_user_namespace() : fork_into(-1);
  if (pid && *pid == 0) work(spec, user, main, signals, line);
  return pid ? await(line, *pid) : pid;
}

Result<void> start_holder(const LabSpec& spec, const std::function<Result<void>(pid_t)>& ready) {
  if (Result<void> ok = check_root(); !ok) return ok;
  Line line;
  if (!line.opened()) return system_error("no socket pair");
  const Result<pid_t> pid = fork_into(-1);
  if (!pid) return tl::make_unexpected(pid.error());
  if (*pid == 0) hold(spec, line);
  if (const Result<pid_t> built = await(line, *pid); !built) return tl::make_unexpected(built.error());
  const Result<void> ok = ready(*pid);
  if (ok) {
    line.say("keep");
    if (line.hear().empty()) return {};
  }
  ::kill(*pid, SIGKILL);
  ::waitpid(*pid, nullptr, 0);
  return ok;
}

Result<pid_t> start_in_lab(pid_t holder, int holder_pidfd, const LabSpec& spec, const LabMain& main,
                           const RelayedSignals& signals) {
  if (Result<void> ok = check_root(); !ok) return tl::make_unexpected(ok.error());
  Line line;
  if (!line.opened()) return system_error("no socket pair");
  std::error_code unknown;
  const std::string folder = std::filesystem::current_path(unknown).string();
  const int root = ::open(fmt::format("/proc/{}/root", holder).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const Result<pid_t> pid = fork_into(holder_pidfd);
  if (!pid || *pid > 0) {
    if (root >= 0) ::close(root);
    return pid ? await(line, *pid) : pid;
  }
  tie(line);
  ::setpgid(0, 0);
  widen_path();
  // Joining a mount namespace moves us to its root, outside of a chroot: back to the holder's, and to where
  // we were.
  if (::setns(holder_pidfd, CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0 ||
      ::fchdir(root) != 0 || ::chroot(".") != 0 || ::chdir(folder.c_str()) != 0) {
    line.say(fmt::format("lab: cannot enter it from {}: {}", folder, std::strerror(errno)).substr(0, 1000));
    ::_exit(1);
  }
  line.say("+");
  line.end();
  signals.restore();
  ::_exit(run_guarded(main, spec));
}

}  // namespace railgauge
