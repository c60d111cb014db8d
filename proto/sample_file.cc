// Layout, all numbers little-endian:
//   file header  "RGSAMP\r\n"  u16 major  u16 minor  u32 length of run id  run id  u64 XXH3 of everything
//   before frame        "RGF1"  u32 kind  u32 length  u64 XXH3 of the payload, seeded with kind and length
//   payload (zstd, size known)
#include "proto/sample_file.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <system_error>

#include "proto/little_endian.h"
#include "proto/sample_columns.h"

namespace railgauge {
namespace {

constexpr std::string_view kFileMagic = "RGSAMP\r\n";
constexpr std::string_view kFrameMagic = "RGF1";
constexpr std::uint16_t kMajor = 1;
constexpr std::uint16_t kMinor = 0;
constexpr std::size_t kFileFixedBytes = 16;  // up to the run id
constexpr std::size_t kMaxRunId = 256;
constexpr std::size_t kFrameHeaderBytes = 20;
constexpr std::size_t kMaxUnpacked = std::size_t{64} << 20U;
constexpr int kZstdLevel =
    1;  // the journal must keep up with the run; columns of small numbers pack well anyway

std::uint64_t frame_hash(std::uint32_t kind, std::string_view payload) {
  const std::uint64_t seed = (std::uint64_t{kind} << 32U) | payload.size();
  return XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
}

void append_frame(std::string& out, FrameKind kind, const std::string& columns) {
  RG_CHECK(columns.size() <= kMaxUnpacked);
  std::string payload(ZSTD_compressBound(columns.size()), '\0');
  const std::size_t n =
      ZSTD_compress(payload.data(), payload.size(), columns.data(), columns.size(), kZstdLevel);
  RG_CHECK(!ZSTD_isError(n));
  payload.resize(n);
  out += kFrameMagic;
  put_u32(out, static_cast<std::uint32_t>(kind));
  put_u32(out, static_cast<std::uint32_t>(payload.size()));
  put_u64(out, frame_hash(static_cast<std::uint32_t>(kind), payload));
  out += payload;
}

template <class Row>
void append_rows(std::string& out, FrameKind kind, std::string_view node, std::span<const Row> rows,
                 std::size_t most) {
  while (!rows.empty()) {
    const auto part = rows.first(std::min(most, rows.size()));
    append_frame(out, kind, pack_columns(node, part));
    rows = rows.subspan(part.size());
  }
}

// One frame at the front of bytes.
struct Frame {
  std::size_t length = 0;  // whole frame; 0: not known
  std::string damage;      // empty: checked and whole
  FrameKind kind{};
  std::string_view payload;
};

Frame read_frame(std::string_view bytes) {
  Frame f;
  if (bytes.size() < kFrameHeaderBytes) {
    f.damage = fmt::format("cut off after {} of {} bytes", bytes.size(), kFrameHeaderBytes);
    return f;
  }
  const std::uint32_t kind = get_u32(bytes.substr(4));
  const std::size_t length = get_u32(bytes.substr(8));
  if (length > ZSTD_compressBound(kMaxUnpacked)) {
    f.damage = fmt::format("length {} is impossible", length);
    return f;
  }
  if (bytes.size() < kFrameHeaderBytes + length) {
    f.damage = fmt::format("cut off after {} of {} bytes", bytes.size(), kFrameHeaderBytes + length);
    return f;
  }
  f.length = kFrameHeaderBytes + length;
  f.payload = bytes.substr(kFrameHeaderBytes, length);
  f.kind = static_cast<FrameKind>(kind);
  if (frame_hash(kind, f.payload) != get_u64(bytes.substr(12))) f.damage = "checksum differs";
  return f;
}

// budget: how many bytes may still be unpacked; shrinks.
Result<void> unpack_frame(const Frame& f, std::size_t& budget, SampleSet& out) {
  const unsigned long long size = ZSTD_getFrameContentSize(f.payload.data(), f.payload.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return fail(ErrorKind::peer, "payload is not zstd of known size");
  }
  if (size > budget)
    return fail(ErrorKind::peer, fmt::format("unpacks to {} bytes, at most {}", size, budget));
  std::string columns(static_cast<std::size_t>(size), '\0');
  const std::size_t n = ZSTD_decompress(columns.data(), columns.size(), f.payload.data(), f.payload.size());
  if (ZSTD_isError(n) || n != columns.size()) return fail(ErrorKind::peer, "payload does not unpack");
  budget -= n;
  return unpack_columns(f.kind, columns, out);
}

bool known(FrameKind kind) {
  return kind == FrameKind::flows || kind == FrameKind::counters || kind == FrameKind::events;
}

// Reads the header into file. Gives where frames begin; a damaged header is named and costs the run id only.
Result<std::size_t> read_header(std::string_view bytes, SampleFile& file) {
  if (bytes.substr(0, kFileMagic.size()) != kFileMagic) {
    return fail(ErrorKind::input, "not a samples.rg: it does not begin with RGSAMP");
  }
  if (bytes.size() < kFileFixedBytes)
    return fail(ErrorKind::input, "not a samples.rg: cut off in its header");
  const std::uint16_t major = get_u16(bytes.substr(8));
  if (major > kMajor) {
    return fail(ErrorKind::input,
                fmt::format("samples.rg of format {}.{}, this build reads up to {}.x: use a newer railgauge",
                            major, get_u16(bytes.substr(10)), kMajor));
  }
  const std::size_t length = get_u32(bytes.substr(12));
  const std::size_t end = kFileFixedBytes + length;
  if (length <= kMaxRunId && bytes.size() >= end + 8 &&
      XXH3_64bits(bytes.data(), end) == get_u64(bytes.substr(end))) {
    file.run_id = std::string(bytes.substr(kFileFixedBytes, length));
    return end + 8;
  }
  file.damaged.push_back({0, "file header: checksum differs or cut off; the run id is lost"});
  return std::min(bytes.find(kFrameMagic, kFileFixedBytes), bytes.size());
}

// Where to go on behind a damaged frame at `at`: where its length leads if a frame or the end is there, else
// the next magic.
std::size_t behind_damage(std::string_view bytes, std::size_t at, std::size_t length) {
  const std::size_t next = at + length;
  if (length > 0 && (next == bytes.size() || bytes.substr(next, kFrameMagic.size()) == kFrameMagic))
    return next;
  return std::min(bytes.find(kFrameMagic, at + 1), bytes.size());
}

}  // namespace

std::string encode_header(std::string_view run_id) {
  RG_CHECK(run_id.size() <= kMaxRunId);
  std::string out(kFileMagic);
  put_u16(out, kMajor);
  put_u16(out, kMinor);
  put_u32(out, static_cast<std::uint32_t>(run_id.size()));
  out += run_id;
  put_u64(out, XXH3_64bits(out.data(), out.size()));
  return out;
}

std::string encode_frames(std::string_view node, const SampleSet& samples) {
  std::string out;
  append_rows(out, FrameKind::flows, node, std::span(samples.flows), kMaxRows);
  append_rows(out, FrameKind::counters, node, std::span(samples.counters), kMaxRows);
  append_rows(out, FrameKind::events, node, std::span(samples.events), kMaxEventRows);
  return out;
}

Result<SampleFile> parse_sample_file(std::string_view bytes) {
  SampleFile file;
  const Result<std::size_t> begin = read_header(bytes, file);
  if (!begin) return tl::make_unexpected(begin.error());
  std::size_t at = *begin;
  file.whole_bytes = at;
  while (at < bytes.size()) {
    const std::string_view rest = bytes.substr(at);
    if (!rest.starts_with(kFrameMagic)) {
      file.damaged.push_back({at, kFrameMagic.starts_with(rest)
                                      ? fmt::format("cut off after {} bytes", rest.size())
                                      : std::string("frame magic differs")});
      at = behind_damage(bytes, at, 0);
      continue;
    }
    const Frame f = read_frame(rest);
    if (!f.damage.empty()) {
      file.damaged.push_back({at, f.damage});
      at = behind_damage(bytes, at, f.length);
      continue;
    }
    // A kind of a newer minor format is whole and not ours to read.
    if (known(f.kind)) {
      std::size_t budget = kMaxUnpacked;
      const Result<void> unpacked = unpack_frame(f, budget, file.samples);
      if (!unpacked) file.damaged.push_back({at, unpacked.error().message});
    }
    at += f.length;
    file.whole_bytes = at;
  }
  return file;
}

Result<SampleFile> read_sample_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return fail(ErrorKind::input, path.string() + ": is a directory, a samples.rg expected");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return fail(ErrorKind::input, fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad())
    return fail(ErrorKind::input, fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  Result<SampleFile> file = parse_sample_file(bytes);
  if (!file) return fail(file.error().kind, path.string() + ": " + file.error().message);
  return file;
}

Result<SampleSet> parse_frames(std::string_view bytes) {
  SampleSet out;
  std::size_t budget = kMaxUnpacked;
  while (!bytes.empty()) {
    if (!bytes.starts_with(kFrameMagic)) return fail(ErrorKind::peer, "samples: no frame magic");
    const Frame f = read_frame(bytes);
    if (!f.damage.empty()) return fail(ErrorKind::peer, "samples: " + f.damage);
    const Result<void> unpacked = unpack_frame(f, budget, out);
    if (!unpacked) return fail(ErrorKind::peer, "samples: " + unpacked.error().message);
    bytes.remove_prefix(f.length);
  }
  return out;
}

}  // namespace railgauge
