// Bounded reads of small kernel files. Anything that cannot be read is absent, never an error: a probe
// reports what it sees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::sysfs {

// First 64 KiB of a regular or kernel file, without white space at its end. Empty text for anything else.
std::string text(const std::string& path);

// The first number of the text: "16", "400 Gb/sec (4X NDR)", "32.0 GT/s PCIe". Empty: none, or "Unknown".
std::optional<double> number(std::string_view text);
std::optional<int> integer(std::string_view text);

// Names in a folder, in natural order, at most 4096. Empty: no such folder.
std::vector<std::string> names(const std::string& folder);

bool exists(const std::string& path);

// The path with all links followed. Empty: does not exist.
std::string real(const std::string& path);

// Last part of where a link points: "mlx5_core" of .../driver. Empty: no link.
std::string link_name(const std::string& path);

}  // namespace railgauge::sysfs
