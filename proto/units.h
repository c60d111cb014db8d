// Units are types: a bare number never crosses a function boundary.
// Sizes are powers of two (MiB), rates powers of ten (Gbit/s, MB/s = 1e6 bytes per second).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "proto/result.h"

namespace railgauge {

class Nanos {
 public:
  constexpr Nanos() = default;
  static constexpr Nanos ns(std::int64_t v) { return Nanos(v); }
  static constexpr Nanos us(std::int64_t v) { return Nanos(v * 1000); }
  static constexpr Nanos ms(std::int64_t v) { return Nanos(v * 1000000); }
  static constexpr Nanos s(double v) { return Nanos(static_cast<std::int64_t>(v * 1e9)); }
  constexpr std::int64_t count() const { return value_; }
  constexpr double seconds() const { return static_cast<double>(value_) * 1e-9; }
  constexpr double micros() const { return static_cast<double>(value_) * 1e-3; }
  constexpr auto operator<=>(const Nanos&) const = default;
  friend constexpr Nanos operator+(Nanos a, Nanos b) { return Nanos(a.value_ + b.value_); }
  friend constexpr Nanos operator-(Nanos a, Nanos b) { return Nanos(a.value_ - b.value_); }
  friend constexpr Nanos operator*(Nanos a, std::int64_t k) { return Nanos(a.value_ * k); }
  friend constexpr Nanos operator/(Nanos a, std::int64_t k) { return Nanos(a.value_ / k); }

 private:
  constexpr explicit Nanos(std::int64_t v) : value_(v) {}
  std::int64_t value_ = 0;
};

class Bytes {
 public:
  constexpr Bytes() = default;
  static constexpr Bytes b(std::uint64_t v) { return Bytes(v); }
  static constexpr Bytes kib(std::uint64_t v) { return Bytes(v << 10U); }
  static constexpr Bytes mib(std::uint64_t v) { return Bytes(v << 20U); }
  constexpr std::uint64_t count() const { return value_; }
  constexpr auto operator<=>(const Bytes&) const = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.value_ + b.value_); }

 private:
  constexpr explicit Bytes(std::uint64_t v) : value_(v) {}
  std::uint64_t value_ = 0;
};

class BitRate {
 public:
  constexpr BitRate() = default;
  static constexpr BitRate bits_per_second(double v) { return BitRate(v); }
  static constexpr BitRate mbit(double v) { return BitRate(v * 1e6); }
  static constexpr BitRate gbit(double v) { return BitRate(v * 1e9); }
  constexpr double bps() const { return value_; }
  constexpr double mbit() const { return value_ * 1e-6; }
  constexpr double gbit() const { return value_ * 1e-9; }
  // MB/s, 1e6 bytes per second.
  constexpr double megabytes() const { return value_ / 8e6; }
  constexpr auto operator<=>(const BitRate&) const = default;
  friend constexpr BitRate operator*(BitRate r, double k) { return BitRate(r.value_ * k); }
  friend constexpr double operator/(BitRate a, BitRate b) { return a.value_ / b.value_; }

 private:
  constexpr explicit BitRate(double v) : value_(v) {}
  double value_ = 0;
};

// Zero time gives rate 0.
constexpr BitRate operator/(Bytes size, Nanos time) {
  return time.count() <= 0
             ? BitRate()
             : BitRate::bits_per_second(static_cast<double>(size.count()) * 8e9 / static_cast<double>(time.count()));
}

// Text with unit, at most four significant digits: "388 Gbit/s", "23.9 MB/s" is never printed: rates are bits.
std::string to_text(BitRate rate);
std::string to_text(Bytes size);   // "64 KiB", "1 MiB", "8 B"
std::string to_text(Nanos time);   // "1.20 s", "350 ms", "12.3 us"

// Parsers of what people write. Errors (input) name the text. Accept "400mbit", "1gbit", "2.5gbit", "400 Gbit/s";
// "64KiB", "1MiB", "8B", "4096"; "15m", "90s", "250ms", "1h30m".
Result<BitRate> parse_rate(std::string_view text);
Result<Bytes> parse_size(std::string_view text);
Result<Nanos> parse_duration(std::string_view text);

}  // namespace railgauge
