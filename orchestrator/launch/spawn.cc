#include "orchestrator/launch/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace railgauge {
namespace {

// "NAME=VALUE" for all of ours with the additions; an addition replaces.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
    const std::string_view entry(*e);
    const std::string_view name = entry.substr(0, entry.find('='));
    bool replaced = false;
    for (const auto& a : added) replaced = replaced || name == a.first;
    if (!replaced) all.emplace_back(entry);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> p;
  p.reserve(texts.size() + 1);
  for (std::string& t : texts) p.push_back(t.data());
  p.push_back(nullptr);
  return p;
}

[[noreturn]] void child(const Spawn& what, char* const* argv, char* const* envp, pid_t parent, int error_fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before prctl
  if (what.new_session) ::setsid();
  ::dup2(what.stdin_fd, STDIN_FILENO);
  ::dup2(what.stdout_fd, STDOUT_FILENO);
  ::dup2(what.stderr_fd, STDERR_FILENO);
  ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const int s : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD}) ::signal(s, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvpe(argv[0], argv, envp);
  const int error = errno;
  const ssize_t told = ::write(error_fd, &error, sizeof error);
  ::_exit(told == sizeof error ? 127 : 126);
}

}  // namespace

Result<pid_t> spawn(const Spawn& what) {
  RG_CHECK(!what.argv.empty());
  std::vector<std::string> arguments = what.argv;
  std::vector<std::string> environment = environment_with(what.environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) {
    return fail(ErrorKind::environment, fmt::format("{}: no pipe: {}", what.argv[0], std::strerror(errno)));
  }
  const pid_t self = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    child(what, argv.data(), envp.data(), self, pipe_ends[1]);
  }
  ::close(pipe_ends[1]);
  int error = errno;
  if (pid > 0) {
    const ssize_t got = ::read(pipe_ends[0], &error, sizeof error);
    if (got == 0) {  // exec closed it: the program runs
      ::close(pipe_ends[0]);
      return pid;
    }
    ::waitpid(pid, nullptr, 0);
  }
  ::close(pipe_ends[0]);
  return fail(ErrorKind::environment, fmt::format("{}: cannot start: {} (is it installed and in PATH?)",
                                                  what.argv[0], std::strerror(error)));
}

}  // namespace railgauge
