#include "orchestrator/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "proto/sample_file.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "samples.rg";
constexpr std::chrono::hours kKeepScratch{24 * 7};

// Gives errno, 0 for all written.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

class File {
 public:
  File(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0644)) {}
  ~File() { close(); }
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&&) = delete;
  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  int close() {
    const int error = fd_ >= 0 && ::close(fd_) != 0 ? errno : 0;
    fd_ = -1;
    return error;
  }

 private:
  int fd_;
};

tl::unexpected<Error> broken(const fs::path& path, std::string_view doing, int error) {
  return fail(ErrorKind::environment, fmt::format("{}: {}: {}", path.string(), doing, std::strerror(error)));
}

// Copies the first `size` bytes of the open scratch file to `to`, by way of a temporary file beside it.
Result<void> copy_to(const fs::path& to, int scratch, std::uint64_t size, const JournalOptions& options) {
  const fs::path temporary = to.string() + ".tmp";
  std::error_code ignored;
  fs::remove(temporary, ignored);  // of a run that was killed in here
  File file(temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) return broken(temporary, "cannot be made", errno);
  std::array<char, 65536> chunk;
  int error = 0;
  for (std::uint64_t at = 0; at < size && error == 0;) {
    const std::size_t part = static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), size - at));
    const ssize_t n = ::pread(scratch, chunk.data(), part, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error = n < 0 ? errno : EIO;
      break;
    }
    error = options.write(file.fd(), std::string_view(chunk.data(), static_cast<std::size_t>(n)));
    at += static_cast<std::uint64_t>(n);
  }
  if (error == 0 && ::fsync(file.fd()) != 0) error = errno;
  const int closing = file.close();
  if (error == 0) error = closing;
  if (error == 0 && ::rename(temporary.c_str(), to.c_str()) != 0) error = errno;
  if (error == 0) return {};
  fs::remove(temporary, ignored);
  return broken(to, "samples cannot be copied there", error);
}

// The whole part of an earlier samples.rg. nullopt: no such file.
Result<std::optional<std::string>> whole_part(const fs::path& path, const std::string& run_id) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::optional<std::string>();
  const Result<SampleFile> file = read_sample_file(path);
  if (!file) return tl::make_unexpected(file.error());
  if (file->run_id != run_id) {
    return fail(ErrorKind::input,
                fmt::format("{}: is of run \"{}\" and not of \"{}\"", path.string(), file->run_id, run_id));
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes(static_cast<std::size_t>(file->whole_bytes), '\0');
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    return fail(ErrorKind::environment, path.string() + ": cannot be read");
  }
  return std::optional<std::string>(std::move(bytes));
}

// What runs that were killed and never resumed have left.
void remove_old(const fs::path& scratch_dir) {
  std::error_code ec;
  for (fs::directory_iterator at(scratch_dir, ec), end; !ec && at != end; at.increment(ec)) {
    std::error_code ignored;
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(at->path(), ignored);
    if (!ignored && age > kKeepScratch && at->path().filename().string().ends_with(kName))
      fs::remove(at->path(), ignored);
  }
}

bool fit_for_file_name(const std::string& id) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !id.empty() && id.size() <= 128 && id[0] != '.' && std::all_of(id.begin(), id.end(), good);
}

}  // namespace

// The mutex guards everything below it. Files are touched by the two threads only, and never under the mutex.
// Two, because the copier may hang in a shared file system: the writer must go on meanwhile.
struct Journal::State {
  State(JournalOptions o, fs::path path, File f, std::uint64_t size)
      : options(std::move(o)), scratch_path(std::move(path)), scratch(std::move(f)), written(size) {}

  const JournalOptions options;
  const fs::path scratch_path;
  const File scratch;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> queue;
  std::size_t queued_bytes = 0;               // of queue, and of what is being written
  std::uint64_t appended = 0, processed = 0;  // calls of append, and how many the writer has dealt with
  std::uint64_t written;                      // bytes of whole frames in scratch
  std::uint64_t copied = 0;                   // bytes of them in out_dir
  std::uint64_t flushes_asked = 0, flushes_done = 0;
  Result<void> last_flush;
  std::optional<Error> failure;
  bool closing = false, writer_ended = false;

  void write_loop() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return closing || !queue.empty(); });
      if (queue.empty()) break;
      write_front(lock);
      changed.notify_all();
    }
    // All of it is in the run directory: scratch has done its work.
    if (!failure && copied == written) {
      lock.unlock();
      std::error_code ignored;
      fs::remove(scratch_path, ignored);
      lock.lock();
    }
    writer_ended = true;
    changed.notify_all();
  }

  void write_front(std::unique_lock<std::mutex>& lock) {
    const std::string frames = std::move(queue.front());
    queue.pop_front();
    const bool failed = failure.has_value();
    const std::uint64_t end = written;
    lock.unlock();
    // Nothing is written behind a hole: after a failure the file ends where it is whole.
    const int error = failed ? 0 : options.write(scratch.fd(), frames);
    if (error != 0) {
      // The readers would name a torn frame; none is better. If even this fails they still read the rest.
      [[maybe_unused]] const int cut = ::ftruncate(scratch.fd(), static_cast<off_t>(end));
    }
    lock.lock();
    ++processed;
    queued_bytes -= frames.size();
    if (error == 0 && !failed) written += frames.size();
    if (error != 0 && !failure) {
      failure = Error{ErrorKind::environment, fmt::format("{}: samples cannot be written: {}; free the disk "
                                                          "or name another scratch folder, then --resume",
                                                          scratch_path.string(), std::strerror(error))};
    }
  }

  void copy_loop() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return closing || flushes_asked > flushes_done; });
      if (flushes_asked == flushes_done) return;
      const std::uint64_t number = flushes_asked, goal = appended;
      changed.wait(lock, [&] { return processed >= goal || writer_ended; });
      const std::uint64_t size = written;
      lock.unlock();
      Result<void> done = copy_to(options.out_dir / kName, scratch.fd(), size, options);
      lock.lock();
      if (done) copied = size;
      flushes_done = number;
      last_flush = std::move(done);
      changed.notify_all();
    }
  }
};

Result<std::unique_ptr<Journal>> Journal::open(JournalOptions options) {
  if (!fit_for_file_name(options.run_id)) {
    return fail(ErrorKind::input, fmt::format("run id \"{}\": letters, digits, '-', '_' and '.' expected",
                                              options.run_id.substr(0, 128)));
  }
  if (!options.write) options.write = write_all;
  const fs::path out = options.out_dir / kName;
  std::error_code e;
  if (!fs::is_directory(options.out_dir, e))
    return fail(ErrorKind::input, options.out_dir.string() + ": is not a folder");
  fs::create_directories(options.scratch_dir, e);
  if (e) return broken(options.scratch_dir, "cannot be made", e.value());
  remove_old(options.scratch_dir);
  const fs::path scratch = options.scratch_dir / (options.run_id + "-" + kName);
  std::string begin = encode_header(options.run_id);
  if (options.resume) {
    // Scratch may know more than the last copy, if the run was killed between two steps on this very machine.
    for (const fs::path& path : {out, scratch}) {
      Result<std::optional<std::string>> earlier = whole_part(path, options.run_id);
      if (!earlier) {
        if (path == scratch) continue;  // out is the record; a damaged scratch file is replaced below
        return tl::make_unexpected(earlier.error());
      }
      if (!*earlier || (*earlier)->size() <= begin.size()) continue;
      // Not if the run went on elsewhere meanwhile: then scratch is another story.
      if (path == scratch && !(*earlier)->starts_with(begin)) continue;
      begin = std::move(**earlier);
    }
  } else if (fs::exists(out, e)) {
    return fail(ErrorKind::input,
                out.string() + ": is there already; --resume goes on with it, another --out leaves it alone");
  }
  // Never into a file of somebody else: what is there goes away by rename, and a link is not followed.
  const fs::path fresh = scratch.string() + ".new";
  fs::remove(fresh, e);
  File file(fresh, O_RDWR | O_CREAT | O_EXCL | O_APPEND);
  if (!file.is_open()) return broken(fresh, "cannot be made", errno);
  const int error = options.write(file.fd(), begin);
  if (error != 0) {
    fs::remove(fresh, e);
    return broken(fresh, "samples cannot be written", error);
  }
  if (::rename(fresh.c_str(), scratch.c_str()) != 0) return broken(scratch, "cannot be made", errno);
  auto state = std::make_shared<State>(std::move(options), scratch, std::move(file), begin.size());
  try {
    // Not joined: std::thread cannot do it with a deadline. The destructor waits for writer_ended.
    std::thread([state] { state->write_loop(); }).detach();
    std::thread([state] { state->copy_loop(); }).detach();
  } catch (const std::system_error& failed) {
    return fail(ErrorKind::environment, fmt::format("journal thread: {}", failed.what()));
  }
  return std::unique_ptr<Journal>(new Journal(std::move(state)));
}

Journal::~Journal() {
  std::unique_lock lock(state_->mutex);
  state_->closing = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, std::chrono::nanoseconds(state_->options.close_deadline.count()),
                           [this] { return state_->writer_ended; });
}

void Journal::append(std::string frames) {
  if (frames.empty()) return;
  State& s = *state_;
  const std::scoped_lock lock(s.mutex);
  if (s.failure) return;
  if (s.queued_bytes + frames.size() > s.options.queue_limit_bytes) {
    s.failure = Error{
        ErrorKind::environment,
        fmt::format("{}: the disk is too slow: {} of samples are waiting for it; name another scratch folder",
                    s.scratch_path.string(), to_text(Bytes::b(s.queued_bytes)))};
    return;
  }
  s.queued_bytes += frames.size();
  ++s.appended;
  s.queue.push_back(std::move(frames));
  s.changed.notify_all();
}

Result<void> Journal::flush_to_out(Nanos deadline) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  const std::uint64_t number = ++s.flushes_asked;
  s.changed.notify_all();
  if (!s.changed.wait_for(lock, std::chrono::nanoseconds(deadline.count()),
                          [&] { return s.flushes_done >= number; })) {
    return fail(ErrorKind::deadline,
                fmt::format("{}: samples were not copied there within {}; they are in {}",
                            s.options.out_dir.string(), to_text(deadline), s.scratch_path.string()));
  }
  return s.last_flush;
}

std::optional<Error> Journal::failure() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->failure;
}

std::filesystem::path Journal::scratch_file() const { return state_->scratch_path; }

}  // namespace railgauge
