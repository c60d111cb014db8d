#include "workers/rounds/environment.h"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>

namespace railgauge {

std::vector<std::string> select_environment(const std::vector<std::string>& lines,
                                            const std::vector<std::string>& names) {
  std::vector<std::string> selected;
  for (const std::string& line : lines) {
    const std::string_view name = std::string_view(line).substr(0, line.find('='));
    const bool wanted = std::any_of(names.begin(), names.end(), [&](const std::string& n) {
      return n.ends_with('_') ? name.starts_with(n) : name == n;
    });
    if (wanted) selected.push_back(line);
  }
  std::sort(selected.begin(), selected.end());
  return selected;
}

std::vector<std::string> process_environment() {
  std::vector<std::string> lines;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) lines.emplace_back(*line);
  return lines;
}

std::uint64_t environment_hash(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return XXH3_64bits(text.data(), text.size());
}

}  // namespace railgauge
