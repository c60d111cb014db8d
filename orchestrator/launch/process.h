// Starts and ends one process from an argument vector: never through a shell.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/launch/launcher.h"
#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

struct ProcessOptions {
  std::string stdout_file, stderr_file;               // appended to; "" = kept in memory
  std::size_t capture_bytes = std::size_t{1} << 18U;  // of each stream: only the last so many bytes are kept
  bool new_session = true;  // false: stays in our process group (a terminal's Ctrl-C reaches it)
};

// How a process ended: exit code, or the signal that ended it (code is then 128 + signal, as a shell counts).
struct Exit {
  int code = 0;
  int signal = 0;
  bool ok() const { return code == 0; }
  bool operator==(const Exit&) const = default;
};
std::string to_text(Exit exit);  // "exit code 3", "signal 9 (Killed)"

// A running child. It leads its own session and process group, and gets SIGKILL when the *thread* that
// started it ends: start it from a thread that outlives it. Command.environment is added to ours,
// Command.stdin_text is its stdin ("" = /dev/null), Command.files lie in a private folder (0700) that goes
// with this object. The destructor kills what still runs.
class Process {
 public:
  // Errors (environment): program not found or not startable, folder or output file cannot be written.
  static Result<Process> start(const Command& command, const ProcessOptions& options = {});
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;
  ~Process();

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_; }       // readable when the process has ended; for poll loops
  int stdout_fd() const { return out_.fd; }  // -1: goes to a file, or is at its end
  int stderr_fd() const { return err_.fd; }

  // Takes what the pipes hold, without waiting. A full pipe stops the child: call it when the fds are
  // readable.
  void pump();
  // Ended? Without waiting. Pumps.
  std::optional<Exit> poll();
  // Waits, pumping. Errors (deadline): still running after `limit`; it is left running.
  Result<Exit> wait(Nanos limit);
  // To the whole process group. An ended process: nothing.
  void signal(int number);
  // SIGTERM to the group, after `grace` SIGKILL to every process of its session. Returns how it ended, or an
  // error (deadline) naming the process where even SIGKILL did not help in 5 s (D state).
  Result<Exit> stop(Nanos grace);

  // What it wrote so far; where more than capture_bytes came, the end of it.
  const std::string& output() const { return out_.text; }
  const std::string& error_output() const { return err_.text; }
  const std::string& folder() const {
    return folder_;
  }  // the private one; "" where the command has no use for it

 private:
  struct Stream {
    int fd = -1;
    std::string text;
  };
  Process() = default;
  void read_stream(Stream& stream) const;
  void release();

  pid_t pid_ = -1;
  int pidfd_ = -1;
  std::size_t capture_bytes_ = 0;
  bool session_ = true;
  std::optional<Exit> exit_;
  Stream out_, err_;
  std::string folder_;
};

struct Finished {
  Exit exit;
  std::string output, error_output;
};
// Start, wait, collect. Errors: as start; (deadline) not done in `limit`, the process is then killed.
Result<Finished> run_process(const Command& command, Nanos limit, const ProcessOptions& options = {});

// As run_process, and an exit code other than 0 is an error (environment) with the last line of stderr.
Result<std::string> run_checked(const Command& command, Nanos limit);

}  // namespace railgauge
