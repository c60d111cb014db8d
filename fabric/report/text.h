// The one place that turns values into text: all formats print the same numbers, units and words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

// Text that anyone may have written, safe to show: control characters (C0, DEL, C1), bidirectional and
// invisible format characters become escapes ("\x1b", "\n", "\u202e"), bytes that are not UTF-8 become
// "\xNN". The result is valid UTF-8 on one line.
std::string visible(std::string_view text);

// visible() with & < > " ' as references: safe in element content and in quoted attributes, in HTML and in
// XML 1.0.
std::string html_text(std::string_view text);

// Columns on a terminal of text that went through visible(): 2 for East Asian wide characters and emoji, 0
// for combining marks.
std::size_t columns(std::string_view text);

// At most `width` columns (at least 4): cut text ends in "...".
std::string fit(std::string_view text, std::size_t width);

// fit() and spaces up to exactly `width` columns.
std::string pad(std::string_view text, std::size_t width);

// Lines of at most `width` columns (at least 4), broken at spaces; a word that is longer is cut into pieces.
// Empty text: no line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// "191 Mbit/s", "388 Gbit/s"; negative or not finite: "not measured".
std::string rate_text(double bits_per_second);
// "12.3 us", "1.20 ms"; negative or not finite: "not measured".
std::string time_text(double ns);
// The same for optionals; absent: "not measured".
std::string rate_text(const std::optional<double>& bits_per_second);
std::string time_text(const std::optional<double>& ns);

// By unit: "bit/s" as a rate, "ns" as a time, else the number and the unit ("15 endpoints").
std::string quantity_text(double value, std::string_view unit);

// Share of expected. Below 80 % whole ("50 %"), from there one decimal ("94.9 %"). Cut, never rounded
// up: 94.96 % must not read as a met 95 %.
std::string percent_text(double share);

// Measured against expected: "50 %" of a rate, "2.3 x" of a time; "" where expected is not positive or the
// unit has no ratio.
std::string ratio_text(double measured, double expected, std::string_view unit);

// "1,024"
std::string count_text(std::size_t n);

// "1 node", "2 nodes"
std::string plural(std::size_t n, std::string_view noun);

// Consecutive names with one prefix and number width fold: {"n000","n001","n002","x"} -> "n[000-002],x".
// Order is kept.
std::string host_list(const std::vector<std::string>& names);

}  // namespace railgauge
