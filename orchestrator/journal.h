// Writes samples.rg: first to node-local scratch by a thread of its own, and between steps, by another, as a
// whole copy to the run directory. A shared file system may hang with the fabric under test, so append()
// never touches a file and every wait has a deadline.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

struct JournalOptions {
  std::filesystem::path scratch_dir;  // local disk; made if it is not there
  std::filesystem::path out_dir;      // the run directory; must be there
  std::string run_id;                 // letters, digits, '-', '_', '.': part of the scratch file's name
  bool resume = false;                // go on behind the last whole frame of what an earlier run left
  std::size_t queue_limit_bytes = std::size_t{256} << 20U;
  Nanos close_deadline = Nanos::s(10);  // how long the destructor waits for the last bytes
  // The seam to the disk: writes all bytes to fd, or gives errno. Empty: the real one.
  std::function<int(int fd, std::string_view bytes)> write;
};

class Journal {
 public:
  // Errors: input (samples.rg already in out_dir and not resume; with resume: a foreign one, or of another
  // run), environment (cannot be made). On error nothing has been overwritten.
  static Result<std::unique_ptr<Journal>> open(JournalOptions options);
  // Waits for what was appended, at most close_deadline; it does not flush to the run directory. A thread
  // that hangs is left behind. The scratch file is removed if the last flush brought all of it to the run
  // directory, else it stays for --resume.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Frames as encode_frames() gives them. Returns at once. After a failure, and when the queue is full (which
  // is a failure), they are dropped.
  void append(std::string frames);
  // samples.rg in out_dir becomes all that was appended so far (a temporary file, then renamed: a reader sees
  // the old or the new one). Also after a failure: what was written before it is worth keeping. Errors:
  // deadline (the copy goes on behind our back; later flushes wait for it first), environment (names path and
  // cause; the earlier copy stays).
  Result<void> flush_to_out(Nanos deadline);
  // Set once and for good when samples were lost: disk full, or a disk too slow for the queue. The run should
  // stop.
  std::optional<Error> failure() const;
  std::filesystem::path scratch_file() const;

 private:
  struct State;
  explicit Journal(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive us when the disk hangs
};

}  // namespace railgauge
