#include "workers/rounds/board.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace railgauge {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20U;

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_;
};

tl::unexpected<Error> shared_error(const std::string& what, const std::string& name) {
  return fail(ErrorKind::environment,
              fmt::format("shared memory {}: cannot {}: {}; check free space in /dev/shm", name, what,
                          std::strerror(errno)));
}

Result<std::size_t> size_of(const Descriptor& fd, const std::string& name) {
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) return shared_error("read its size", name);
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

namespace {
std::string shared_word(std::string_view text) {
  std::string word(text.substr(0, 96));
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  };
  std::replace_if(
      word.begin(), word.end(), [&](char c) { return !allowed(c); }, '_');
  return word;
}
}  // namespace

std::string board_prefix(std::string_view run_id) {
  return fmt::format("railgauge-{}-", shared_word(run_id));
}

std::string board_name(std::string_view run_id, std::int32_t launch, std::string_view node) {
  return fmt::format("/{}{}-{}", board_prefix(run_id), launch, shared_word(node));
}

std::string spec_name(const std::string& board) { return board + ".spec"; }
std::string batch_name(const std::string& board, std::int32_t batch) {
  return fmt::format("{}.batch{}", board, batch);
}

BoardMapping::BoardMapping(BoardMapping&& other) noexcept : board_(std::exchange(other.board_, nullptr)) {}
BoardMapping& BoardMapping::operator=(BoardMapping&& other) noexcept {
  std::swap(board_, other.board_);
  return *this;
}
BoardMapping::~BoardMapping() {
  if (board_ != nullptr) munmap(board_, sizeof(Board));
}

Result<BoardMapping::Made> BoardMapping::create(const std::string& name) {
  const Descriptor fd(shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (!fd.open()) {
    if (errno == EEXIST) return Made{false, BoardMapping(nullptr)};
    return shared_error("make it", name);
  }
  // posix_fallocate, so that a full /dev/shm is an error here and not a SIGBUS later.
  const int full = posix_fallocate(fd.get(), 0, static_cast<off_t>(sizeof(Board)));
  if (full != 0) {
    errno = full;
    auto error = shared_error(fmt::format("reserve {} MiB", sizeof(Board) >> 20U), name);
    shm_unlink(name.c_str());
    return error;
  }
  void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) {
    auto error = shared_error("map it", name);
    shm_unlink(name.c_str());
    return error;
  }
  auto* board = new (memory) Board();
  board->format.store(kBoardFormat, std::memory_order_release);
  return Made{true, BoardMapping(board)};
}

Result<BoardMapping> BoardMapping::attach(const std::string& name) {
  const Descriptor fd(shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0));
  if (!fd.open()) return shared_error("open it", name);
  const Result<std::size_t> size = size_of(fd, name);
  if (!size) return tl::make_unexpected(size.error());
  if (*size < sizeof(Board)) {
    return fail(ErrorKind::environment,
                fmt::format("shared memory {}: {} of {} bytes, not usable yet", name, *size, sizeof(Board)));
  }
  void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return shared_error("map it", name);
  BoardMapping mapping(static_cast<Board*>(memory));
  const std::uint32_t format = mapping->format.load(std::memory_order_acquire);
  if (format != kBoardFormat) {
    return fail(ErrorKind::environment, fmt::format("shared memory {}: format {}, {} expected, not usable",
                                                    name, format, kBoardFormat));
  }
  return mapping;
}

RankSlot* claim_slot(Board& board, std::size_t* number) {
  const std::uint32_t slot = board.claimed.fetch_add(1, std::memory_order_acq_rel);
  if (slot >= kMaxLocalRanks) return nullptr;
  *number = slot;
  return &board.slots[slot];
}

Result<void> publish_text(const std::string& name, std::string_view text) {
  RG_CHECK(text.size() <= kMaxTextBytes);
  const Descriptor fd(shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (!fd.open()) return shared_error("make it", name);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd.get(), text.data() + done, text.size() - done);
    if (n <= 0) {
      if (n < 0 && errno == EINTR) continue;
      auto error = shared_error("write it", name);
      shm_unlink(name.c_str());
      return error;
    }
    done += static_cast<std::size_t>(n);
  }
  return {};
}

Result<std::string> read_text(const std::string& name) {
  const Descriptor fd(shm_open(name.c_str(), O_RDONLY | O_CLOEXEC, 0));
  if (!fd.open()) return shared_error("open it", name);
  const Result<std::size_t> size = size_of(fd, name);
  if (!size) return tl::make_unexpected(size.error());
  if (*size > kMaxTextBytes)
    return fail(ErrorKind::environment, fmt::format("shared memory {}: {} bytes are too many", name, *size));
  std::string text(*size, '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = read(fd.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return shared_error("read it", name);
    done += static_cast<std::size_t>(n);
  }
  return text;
}

void remove_shared(const std::string& name) { shm_unlink(name.c_str()); }

void put_text(char* field, std::size_t size, std::string_view text) {
  const std::size_t n = std::min(text.size(), size - 1);
  std::memcpy(field, text.data(), n);
  field[n] = '\0';
}

}  // namespace railgauge
