// Length-bounded frames of the control channel: 4 bytes magic "RGC1", 4 bytes little-endian length, the
// protobuf message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proto/result.h"

namespace railgauge {

inline constexpr std::size_t kControlHeaderBytes = 8;
inline constexpr std::size_t kControlMaxBytes = std::size_t{64}
                                                << 20U;     // a schedule of 16 384 endpoints fits
inline constexpr std::size_t kControlMaxHelloBytes = 4096;  // before the token is proven

std::string encode_control(std::string_view message);  // longer than kControlMaxBytes is a bug

// Cuts frames out of a byte stream. limit may grow after HELLO. A caller that takes every message after each
// feed never makes it hold more than limit + header + the bytes of one feed.
class ControlDecoder {
 public:
  explicit ControlDecoder(std::size_t limit) : limit_(limit) {}
  void set_limit(std::size_t limit) { limit_ = limit; }
  void feed(std::string_view bytes);
  // Next whole message; nullopt: more bytes are needed. Errors (peer): bad magic, length over the limit;
  // final.
  Result<std::optional<std::string>> next();

 private:
  Result<std::optional<std::string>> more();
  Result<std::optional<std::string>> broken(std::string reason);
  std::size_t limit_;
  std::string buffer_;
  std::size_t start_ = 0;  // bytes of buffer_ already given out
  std::optional<Error> failed_;
};

}  // namespace railgauge
