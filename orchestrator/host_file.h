// The list of nodes: one name a line, `#` starts a comment.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "proto/result.h"

namespace railgauge {

struct HostLine {
  std::string name;
  int line = 0;  // counts from 1
};

// In file order, never empty. Errors (input): "FILE:LINE: HOST: reason" - a second word on the line, a
// character that no host name has, a name given twice; "FILE: no hosts". file: for messages only.
Result<std::vector<HostLine>> parse_hosts(std::string_view text, const std::string& file);
Result<std::vector<HostLine>> read_host_file(const std::filesystem::path& path);

}  // namespace railgauge
