#include "fabric/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "proto/units.h"

namespace railgauge {

namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: the byte here starts no valid UTF-8 sequence
};

CodePoint decode(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(s[k]));
  };
  const std::uint32_t first = byte(i);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || i + length > s.size()) return {};
  std::uint32_t value = first & (0x7fU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i + k) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < least[length] || value > 0x10ffff || surrogate) return {};
  return {value, length};
}

using Span = std::pair<std::uint32_t, std::uint32_t>;

template <std::size_t N>
bool within(const std::array<Span, N>& spans, std::uint32_t c) {
  return std::any_of(spans.begin(), spans.end(),
                     [c](const Span& s) { return c >= s.first && c <= s.second; });
}

// Could hide, reorder or break what is shown.
constexpr std::array<Span, 8> kHidden = {{{0x80, 0x9f},
                                          {0xad, 0xad},
                                          {0x61c, 0x61c},
                                          {0x200b, 0x200f},
                                          {0x2028, 0x202e},
                                          {0x2060, 0x206f},
                                          {0xfe00, 0xfe0f},
                                          {0xfeff, 0xfeff}}};
// U+FFFE and U+FFFF are no characters, and no part of any XML.
constexpr std::array<Span, 3> kHiddenHigh = {{{0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff}}};
constexpr std::array<Span, 4> kCombining = {
    {{0x300, 0x36f}, {0x483, 0x489}, {0x1ab0, 0x1aff}, {0x20d0, 0x20ff}}};
constexpr std::array<Span, 8> kWide = {{{0x1100, 0x115f},
                                        {0x2e80, 0xa4cf},
                                        {0xac00, 0xd7a3},
                                        {0xf900, 0xfaff},
                                        {0xfe30, 0xfe6f},
                                        {0xff00, 0xff60},
                                        {0x1f300, 0x1faff},
                                        {0x20000, 0x3fffd}}};

std::size_t columns_of(std::uint32_t c) {
  if (within(kCombining, c)) return 0;
  return within(kWide, c) ? 2 : 1;
}

// Bytes of the longest start of `text` that fits into `width` columns.
std::size_t prefix_bytes(std::string_view text, std::size_t width) {
  std::size_t used = 0, i = 0;
  while (i < text.size()) {
    const CodePoint c = decode(text, i);
    used += c.bytes == 0 ? 1 : columns_of(c.value);
    if (used > width) break;
    i += std::max<std::size_t>(c.bytes, 1);
  }
  return i;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode(text, i);
    if (c.bytes == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (c.value < 0x20 || c.value == 0x7f) {
      out += fmt::format("\\x{:02x}", c.value);
    } else if (within(kHidden, c.value) || within(kHiddenHigh, c.value)) {
      out += fmt::format("\\u{:04x}", c.value);
    } else {
      out += text.substr(i, c.bytes);
    }
    i += std::max<std::size_t>(c.bytes, 1);
  }
  return out;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::size_t columns(std::string_view text) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode(text, i);
    used += c.bytes == 0 ? 1 : columns_of(c.value);
    i += std::max<std::size_t>(c.bytes, 1);
  }
  return used;
}

std::string fit(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  return std::string(text.substr(0, prefix_bytes(text, width - 3))) + "...";
}

std::string pad(std::string_view text, std::size_t width) {
  std::string out = fit(text, width);
  out.append(width - columns(out), ' ');
  return out;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) lines.push_back(std::exchange(line, {}));
  };
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (word.empty()) continue;
    if (!line.empty() && columns(line) + 1 + columns(word) > width) flush();
    if (!line.empty()) line += ' ';
    while (columns(word) > width) {
      const std::size_t cut = prefix_bytes(word, width);
      lines.emplace_back(word.substr(0, cut));
      word.remove_prefix(cut);
    }
    line += word;
  }
  flush();
  return lines;
}

std::string rate_text(double bits_per_second) {
  if (!std::isfinite(bits_per_second) || bits_per_second < 0) return "not measured";
  return to_text(BitRate::bits_per_second(bits_per_second));
}

std::string time_text(double ns) {
  if (!std::isfinite(ns) || ns < 0 || ns > 9e18) return "not measured";
  return to_text(Nanos::ns(static_cast<std::int64_t>(ns + 0.5)));
}

std::string rate_text(const std::optional<double>& bits_per_second) {
  return rate_text(bits_per_second.value_or(-1));
}
std::string time_text(const std::optional<double>& ns) { return time_text(ns.value_or(-1)); }

std::string quantity_text(double value, std::string_view unit) {
  if (unit == "bit/s") return rate_text(value);
  if (unit == "ns") return time_text(value);
  if (!std::isfinite(value)) return "not measured";
  return unit.empty() ? fmt::format("{:.4g}", value) : fmt::format("{:.4g} {}", value, visible(unit));
}

std::string percent_text(double share) {
  if (!std::isfinite(share) || share < 0) return "not measured";
  const double percent = share * 100 + 1e-9;  // 0.95 / 1.0 must read as 95.0
  if (percent < 79.5) return fmt::format("{:.0f} %", percent);
  return fmt::format("{:.1f} %", std::floor(percent * 10) / 10);
}

std::string ratio_text(double measured, double expected, std::string_view unit) {
  if (!std::isfinite(measured) || measured < 0 || !(expected > 0)) return "";
  if (unit == "bit/s") return percent_text(measured / expected);
  if (unit == "ns") return fmt::format("{:.1f} x", measured / expected);
  return "";
}

std::string count_text(std::size_t n) {
  std::string out = std::to_string(n);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
  return out;
}

std::string plural(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", count_text(n), noun, n == 1 ? "" : "s");
}

namespace {

struct NumberedName {
  std::string_view prefix, digits;
  std::uint64_t number = 0;
};

// digits empty: no number at the end, or one too long to count with.
NumberedName numbered(std::string_view name) {
  std::size_t at = name.size();
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
  NumberedName n{name.substr(0, at), name.substr(at), 0};
  if (n.digits.size() > 9) return {name, {}, 0};
  for (const char c : n.digits) n.number = n.number * 10 + static_cast<std::uint64_t>(c - '0');
  return n;
}

bool follows(const NumberedName& a, const NumberedName& b) {
  return !a.digits.empty() && a.prefix == b.prefix && b.number == a.number + 1 &&
         (a.digits.size() == b.digits.size() || (a.digits.front() != '0' && b.digits.front() != '0'));
}

}  // namespace

std::string host_list(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size();) {
    const NumberedName first = numbered(names[i]);
    std::size_t last = i;
    while (last + 1 < names.size() && follows(numbered(names[last]), numbered(names[last + 1]))) ++last;
    if (!out.empty()) out += ',';
    if (last == i) {
      out += names[i];
    } else {
      out += fmt::format("{}[{}-{}]", first.prefix, first.digits, numbered(names[last]).digits);
    }
    i = last + 1;
  }
  return out;
}

}  // namespace railgauge
