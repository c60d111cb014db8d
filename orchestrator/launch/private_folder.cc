#include "orchestrator/launch/private_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace railgauge {
namespace {

constexpr std::string_view kMark = "@DIR@";
constexpr std::size_t kLongestBase = 40;  // orted adds up to 50 characters, sun_path ends at 108

bool wants_folder(const Command& c) {
  if (!c.files.empty()) return true;
  for (const std::string& a : c.argv) {
    if (a.find(kMark) != std::string::npos) return true;
  }
  for (const auto& [name, value] : c.environment) {
    if (value.find(kMark) != std::string::npos) return true;
  }
  return false;
}

void put_path(std::string& text, const std::string& path) {
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + path.size())) {
    text.replace(at, kMark.size(), path);
  }
}

std::string base_folder(const std::string& scratch) {
  if (!scratch.empty()) return scratch;
  const char* set = std::getenv("TMPDIR");
  const std::string base = set == nullptr ? "" : set;
  return base.empty() || base.size() > kLongestBase ? "/tmp" : base;
}

}  // namespace

Result<std::string> make_private_folder(Command& command) {
  if (!wants_folder(command)) return std::string();
  std::string path = base_folder(command.scratch) + "/railgauge-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return fail(ErrorKind::environment,
                fmt::format("{}: cannot make a folder: {}", path, std::strerror(errno)));
  }
  for (const auto& [name, content] : command.files) {
    const std::string file = path + "/" + name;
    std::ofstream out(file, std::ios::binary);
    out << content;
    out.close();
    if (!out) {
      const int error = errno;
      remove_private_folder(path);
      return fail(ErrorKind::environment, fmt::format("{}: cannot write: {}", file, std::strerror(error)));
    }
  }
  for (std::string& a : command.argv) put_path(a, path);
  for (auto& [name, value] : command.environment) put_path(value, path);
  return path;
}

void remove_private_folder(const std::string& path) {
  if (path.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace railgauge
