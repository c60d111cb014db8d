#include "orchestrator/launch/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "orchestrator/launch/private_folder.h"
#include "orchestrator/launch/spawn.h"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// Above 2, so that dup2 onto 0, 1, 2 in the child overwrites nothing that it still needs.
int above_standard(int fd) {
  if (fd < 0 || fd > 2) return fd;
  const int higher = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  ::close(fd);
  return higher;
}

// A file in memory and not a pipe: the child may read it when it likes, and we never block.
int stdin_fd(const std::string& text) {
  if (text.empty()) return above_standard(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int fd = above_standard(::memfd_create("railgauge-stdin", MFD_CLOEXEC));
  std::size_t done = 0;
  while (fd >= 0 && done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n <= 0) {
      ::close(fd);
      return -1;
    }
    done += static_cast<std::size_t>(n);
  }
  ::lseek(fd, 0, SEEK_SET);
  return fd;
}

// Our end (ours, -1 for a file) and the child's end of one output stream.
bool open_output(const std::string& file, int& ours, int& childs) {
  if (!file.empty()) {
    childs = above_standard(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    return childs >= 0;
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  ours = ends[0];
  ::fcntl(ours, F_SETFL, O_NONBLOCK);
  childs = above_standard(ends[1]);
  return childs >= 0;
}

Exit exit_of(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

// Every process whose session is `session`: mpirun's daemons leave its process group.
void kill_session(pid_t session) {
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return;
  while (const dirent* entry = ::readdir(proc)) {
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid > 1 && ::getsid(pid) == session) ::kill(pid, SIGKILL);
  }
  ::closedir(proc);
}

}  // namespace

std::string to_text(Exit exit) {
  if (exit.signal == 0) return fmt::format("exit code {}", exit.code);
  return fmt::format("signal {} ({})", exit.signal, ::strsignal(exit.signal));
}

Result<Process> Process::start(const Command& command, const ProcessOptions& options) {
  Command c = command;
  Result<std::string> folder = make_private_folder(c);
  if (!folder) return tl::make_unexpected(folder.error());
  Process p;
  p.folder_ = *folder;
  p.capture_bytes_ = options.capture_bytes;
  p.session_ = options.new_session;
  Spawn s;
  s.argv = std::move(c.argv);
  s.environment = std::move(c.environment);
  s.new_session = options.new_session;
  s.stdin_fd = stdin_fd(c.stdin_text);
  const bool opened = s.stdin_fd >= 0 && open_output(options.stdout_file, p.out_.fd, s.stdout_fd) &&
                      open_output(options.stderr_file, p.err_.fd, s.stderr_fd);
  const int error = errno;
  Result<pid_t> pid =
      opened
          ? spawn(s)
          : Result<pid_t>(fail(ErrorKind::environment, fmt::format("{}: cannot open its input or output: {}",
                                                                   s.argv[0], std::strerror(error))));
  for (int* fd : {&s.stdin_fd, &s.stdout_fd, &s.stderr_fd}) close_fd(*fd);
  if (!pid) {
    p.release();
    return tl::make_unexpected(pid.error());
  }
  p.pid_ = *pid;
  p.pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, p.pid_, 0));  // close-on-exec by itself
  return p;
}

Process::Process(Process&& other) noexcept { *this = std::move(other); }

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(capture_bytes_, other.capture_bytes_);
  std::swap(session_, other.session_);
  std::swap(exit_, other.exit_);
  std::swap(out_, other.out_);
  std::swap(err_, other.err_);
  std::swap(folder_, other.folder_);
  return *this;
}

Process::~Process() {
  if (pid_ > 0 && !exit_) (void)stop(Nanos());
  release();
}

void Process::release() {
  close_fd(pidfd_);
  close_fd(out_.fd);
  close_fd(err_.fd);
  remove_private_folder(folder_);
  folder_.clear();
}

void Process::read_stream(Stream& stream) const {
  std::array<char, 16384> buffer;
  while (stream.fd >= 0) {
    const ssize_t n = ::read(stream.fd, buffer.data(), buffer.size());
    if (n > 0) {
      stream.text.append(buffer.data(), static_cast<std::size_t>(n));
      // Twice the bound before cutting: moving the text once per buffer would be quadratic.
      if (stream.text.size() > 2 * capture_bytes_) {
        stream.text.erase(0, stream.text.size() - capture_bytes_);
      }
    } else if (n == 0) {
      close_fd(stream.fd);
    } else if (errno != EINTR) {
      return;
    }
  }
}

void Process::pump() {
  read_stream(out_);
  read_stream(err_);
}

std::optional<Exit> Process::poll() {
  if (exit_) return exit_;
  pump();
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == pid_) {
    pump();
    exit_ = exit_of(status);
    for (Stream* s : {&out_, &err_}) {
      if (s->text.size() > capture_bytes_) s->text.erase(0, s->text.size() - capture_bytes_);
    }
  }
  return exit_;
}

Result<Exit> Process::wait(Nanos limit) {
  const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(limit.count());
  for (;;) {
    if (poll()) return *exit_;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (Clock::now() >= end) {
      return fail(ErrorKind::deadline,
                  fmt::format("process {}: still running after {}", pid_, to_text(limit)));
    }
    std::array<pollfd, 3> fds{pollfd{pidfd_, POLLIN, 0}, pollfd{out_.fd, POLLIN, 0},
                              pollfd{err_.fd, POLLIN, 0}};
    ::poll(fds.data(), fds.size(), static_cast<int>(std::min<long long>(left + 1, 1000)));
  }
}

void Process::signal(int number) {
  if (pid_ <= 0 || exit_) return;
  if (!session_ || ::kill(-pid_, number) != 0) ::kill(pid_, number);
}

Result<Exit> Process::stop(Nanos grace) {
  if (exit_) return *exit_;
  RG_CHECK(pid_ > 0);
  if (grace > Nanos()) {
    signal(SIGTERM);
    // What it leaves behind in its session goes in any case.
    if (wait(grace) && session_) kill_session(pid_);
    if (exit_) return *exit_;
  }
  if (session_) kill_session(pid_);
  signal(SIGKILL);
  Result<Exit> ended = wait(Nanos::s(5));
  if (!ended) {
    return fail(ErrorKind::deadline,
                fmt::format("process {}: alive 5 s after SIGKILL; see /proc/{}/stack for what it waits for",
                            pid_, pid_));
  }
  return ended;
}

Result<Finished> run_process(const Command& command, Nanos limit, const ProcessOptions& options) {
  Result<Process> p = Process::start(command, options);
  if (!p) return tl::make_unexpected(p.error());
  const Result<Exit> ended = p->wait(limit);
  if (!ended) {
    (void)p->stop(Nanos());
    return fail(ErrorKind::deadline, fmt::format("{}: not done in {}", command.argv.front(), to_text(limit)));
  }
  return Finished{*ended, p->output(), p->error_output()};
}

Result<std::string> run_checked(const Command& command, Nanos limit) {
  Result<Finished> f = run_process(command, limit);
  if (!f) return tl::make_unexpected(f.error());
  if (f->exit.ok()) return std::move(f->output);
  std::string text = f->error_output.empty() ? f->output : f->error_output;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t line = text.rfind('\n');
  return fail(ErrorKind::environment, fmt::format("{}: {}: {}", command.argv.front(), to_text(f->exit),
                                                  line == std::string::npos ? text : text.substr(line + 1)));
}

}  // namespace railgauge
