#include "proto/units.h"

#include <fmt/format.h>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

namespace railgauge {
namespace {

struct Unit {
  std::string_view name;  // lower case
  double factor;
};

// Three significant digits, as an operator reads them: "388", "23.9", "1.20".
std::string three_digits(double v) {
  const double a = std::fabs(v);
  if (a >= 99.95) return fmt::format("{:.0f}", v);
  return a >= 9.995 ? fmt::format("{:.1f}", v) : fmt::format("{:.2f}", v);
}

std::string without_trailing_zeros(std::string s) {
  if (s.find('.') == std::string::npos) return s;
  s.erase(s.find_last_not_of('0') + 1);
  if (s.back() == '.') s.pop_back();
  return s;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Takes digits and at most one point off the front; empty if there is none.
std::string_view take_number(std::string_view& text) {
  std::size_t n = 0;
  bool point = false;
  while (n < text.size() && (is_digit(text[n]) || (text[n] == '.' && !point && n > 0))) {
    point = point || text[n] == '.';
    ++n;
  }
  if (n > 0 && text[n - 1] == '.') return {};
  const std::string_view number = text.substr(0, n);
  text.remove_prefix(n);
  return number;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

double to_double(std::string_view number) {
  double v = 0;
  const auto r = std::from_chars(number.data(), number.data() + number.size(), v);
  return r.ec == std::errc() ? v : std::numeric_limits<double>::infinity();
}

tl::unexpected<Error> bad(std::string_view text, std::string_view what) {
  return fail(ErrorKind::input, fmt::format("\"{}\": {}", text.substr(0, 60), what));
}

constexpr double kNoFactor = 0;

double factor_of(std::span<const Unit> units, std::string_view name) {
  for (const Unit& u : units) {
    if (u.name == name) return u.factor;
  }
  return kNoFactor;
}

}  // namespace

std::string to_text(BitRate rate) {
  constexpr std::array<Unit, 4> kUnits{{{"Gbit/s", 1e9}, {"Mbit/s", 1e6}, {"kbit/s", 1e3}, {"bit/s", 1}}};
  for (const Unit& u : kUnits) {
    const double v = rate.bps() / u.factor;
    // 0.9995 would be printed as 1000 of the smaller unit.
    if (std::fabs(v) >= 0.9995 || u.factor <= 1) {
      return without_trailing_zeros(three_digits(v)) + ' ' + std::string(u.name);
    }
  }
  return "0 bit/s";
}

std::string to_text(Bytes size) {
  constexpr std::array<std::string_view, 4> kNames{"KiB", "MiB", "GiB", "TiB"};
  const std::uint64_t n = size.count();
  if (n < 1024) return fmt::format("{} B", n);
  std::size_t i = 0;
  auto v = static_cast<double>(n) / 1024;
  while (v >= 1024 && i + 1 < kNames.size()) {
    v /= 1024;
    ++i;
  }
  return fmt::format("{} {}", without_trailing_zeros(three_digits(v)), kNames.at(i));
}

std::string to_text(Nanos time) {
  const auto ns = static_cast<double>(time.count());
  const double a = std::fabs(ns);
  if (a < 1000) return time.count() == 0 ? "0 s" : fmt::format("{} ns", time.count());
  if (a < 999.5e3) return three_digits(ns / 1e3) + " us";
  if (a < 999.5e6) return three_digits(ns / 1e6) + " ms";
  return three_digits(ns / 1e9) + " s";
}

Result<BitRate> parse_rate(std::string_view text) {
  constexpr std::array<Unit, 10> kUnits{{{"bit", 1},
                                         {"bit/s", 1},
                                         {"kbit", 1e3},
                                         {"kbit/s", 1e3},
                                         {"mbit", 1e6},
                                         {"mbit/s", 1e6},
                                         {"gbit", 1e9},
                                         {"gbit/s", 1e9},
                                         {"tbit", 1e12},
                                         {"tbit/s", 1e12}}};
  constexpr double kMax = 1e15;  // a petabit per second: beyond any port; catches slipped zeros
  std::string_view rest = trimmed(text);
  const std::string_view number = take_number(rest);
  if (number.empty()) return bad(text, "a rate such as 400mbit or 2.5gbit expected");
  const double factor = factor_of(kUnits, lower(trimmed(rest)));
  if (factor == kNoFactor) return bad(text, "unit of the rate must be kbit, mbit, gbit or tbit");
  const double v = to_double(number) * factor;
  if (!(v <= kMax)) return bad(text, "rate is over 1000 Tbit/s");
  return BitRate::bits_per_second(v);
}

Result<Bytes> parse_size(std::string_view text) {
  constexpr std::array<Unit, 6> kUnits{
      {{"", 1}, {"b", 1}, {"kib", 1024}, {"mib", 0x1p20}, {"gib", 0x1p30}, {"tib", 0x1p40}}};
  std::string_view rest = trimmed(text);
  const std::string_view number = take_number(rest);
  if (number.empty()) return bad(text, "a size such as 64KiB or 4096 expected");
  const double factor = factor_of(kUnits, lower(trimmed(rest)));
  if (factor == kNoFactor)
    return bad(text, "unit of the size must be B, KiB, MiB, GiB or TiB (powers of two)");
  const auto whole_factor = static_cast<std::uint64_t>(factor);
  if (number.find('.') == std::string_view::npos) {
    std::uint64_t n = 0;
    const auto r = std::from_chars(number.data(), number.data() + number.size(), n);
    if (r.ec != std::errc() || n > std::numeric_limits<std::uint64_t>::max() / whole_factor) {
      return bad(text, "size does not fit into 64 bits");
    }
    return Bytes::b(n * whole_factor);
  }
  const double v = to_double(number) * factor;
  if (!(v < 0x1p53)) return bad(text, "size is too large for a fraction");
  if (v != std::floor(v)) return bad(text, "size is not a whole number of bytes");
  return Bytes::b(static_cast<std::uint64_t>(v));
}

Result<Nanos> parse_duration(std::string_view text) {
  constexpr std::array<Unit, 7> kUnits{
      {{"h", 3600e9}, {"m", 60e9}, {"min", 60e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
  constexpr double kMax = 9e18;
  std::string_view rest = trimmed(text);
  if (rest.empty()) return bad(text, "a duration such as 90s or 1h30m expected");
  double total = 0;
  double last = std::numeric_limits<double>::infinity();
  while (!rest.empty()) {
    const std::string_view number = take_number(rest);
    if (number.empty()) return bad(text, "a duration such as 90s or 1h30m expected");
    rest = trimmed(rest);
    std::size_t n = 0;
    while (n < rest.size() && !is_digit(rest[n])) ++n;
    const double factor = factor_of(kUnits, lower(trimmed(rest.substr(0, n))));
    if (factor == kNoFactor) return bad(text, "unit of the duration must be h, m, s, ms, us or ns");
    if (factor >= last) return bad(text, "units of the duration must go from large to small");
    last = factor;
    rest.remove_prefix(n);
    total += to_double(number) * factor;
  }
  if (!(total <= kMax)) return bad(text, "duration is over 285 years");
  return Nanos::ns(std::llround(total));
}

}  // namespace railgauge
