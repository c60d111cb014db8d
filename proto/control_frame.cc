#include "proto/control_frame.h"

#include <fmt/format.h>
#include <algorithm>

#include "proto/little_endian.h"

namespace railgauge {
namespace {

constexpr std::string_view kMagic = "RGC1";

}  // namespace

std::string encode_control(std::string_view message) {
  RG_CHECK(message.size() <= kControlMaxBytes);
  std::string out(kMagic);
  out.reserve(kControlHeaderBytes + message.size());
  put_u32(out, static_cast<std::uint32_t>(message.size()));
  out += message;
  return out;
}

void ControlDecoder::feed(std::string_view bytes) {
  if (!failed_) buffer_ += bytes;
}

Result<std::optional<std::string>> ControlDecoder::next() {
  if (failed_) return tl::make_unexpected(*failed_);
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  // A wrong first byte is enough: a foreign client must not hold the connection until it has sent eight.
  const std::size_t known = std::min(rest.size(), kMagic.size());
  if (rest.substr(0, known) != kMagic.substr(0, known)) return broken("not a railgauge control frame");
  if (rest.size() < kControlHeaderBytes) return more();
  const std::size_t length = get_u32(rest.substr(4));
  if (length > limit_) return broken(fmt::format("control frame of {} bytes, at most {}", length, limit_));
  if (rest.size() < kControlHeaderBytes + length) return more();
  std::string message(rest.substr(kControlHeaderBytes, length));
  start_ += kControlHeaderBytes + length;
  return std::optional<std::string>(std::move(message));
}

// Moves the unread tail to the front once per feed and not once per message: a burst of small messages stays
// linear.
Result<std::optional<std::string>> ControlDecoder::more() {
  buffer_.erase(0, start_);
  start_ = 0;
  return std::optional<std::string>();
}

Result<std::optional<std::string>> ControlDecoder::broken(std::string reason) {
  failed_ = Error{ErrorKind::peer, std::move(reason)};
  buffer_.clear();
  buffer_.shrink_to_fit();
  start_ = 0;
  return tl::make_unexpected(*failed_);
}

}  // namespace railgauge
