// The order people expect of names with numbers: h2 before h10, n017 before n018.
#pragma once

#include <string_view>

namespace railgauge {

// Runs of digits compare as numbers of any length (leading zeros do not count), all else byte by byte. Equal
// by that rule: the shorter text first, then plain byte order, so that it is a strict order.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace railgauge
