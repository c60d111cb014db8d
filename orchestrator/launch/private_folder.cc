#include "orchestrator/launch/private_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace railgauge {
namespace {

constexpr std::string_view kMark = "@DIR@";
constexpr const char* kName = "railgauge-";
constexpr const char* kOwner = ".owner";
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

Result<void> write_file(const std::string& file, std::string_view content) {
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.close();
  if (out) return {};
  return fail(ErrorKind::environment, fmt::format("{}: cannot write: {}", file, std::strerror(errno)));
}

// "PID START_TICKS": who made a folder, told from a later process with the same number. "" = no such process.
std::string mark_of(const std::string& pid) {
  std::ifstream in("/proc/" + pid + "/stat");
  std::string line;
  std::getline(in, line);
  const std::size_t bracket = line.rfind(')');
  if (bracket == std::string::npos) return "";
  std::istringstream rest(line.substr(bracket + 1));
  std::string word;
  for (int field = 3; field <= 22; ++field) rest >> word;
  return pid + " " + word;
}

// Folders of ours whose maker was killed.
void remove_abandoned(const std::string& base) {
  std::error_code ec;
  for (std::filesystem::directory_iterator at(base, ec), end; !ec && at != end; at.increment(ec)) {
    const std::filesystem::path& path = at->path();
    struct stat info {};
    if (!path.filename().string().starts_with(kName) || ::lstat(path.c_str(), &info) != 0) continue;
    if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid()) continue;
    std::ifstream in(path / kOwner);
    std::string mark;
    if (!std::getline(in, mark)) continue;  // not made by this, or just being made
    if (mark != mark_of(mark.substr(0, mark.find(' ')))) remove_private_folder(path);
  }
}

}  // namespace

Result<std::string> make_private_folder(Command& command) {
  if (!wants_folder(command)) return std::string();
  const std::string base = base_folder(command.scratch);
  remove_abandoned(base);
  std::string path = fmt::format("{}/{}XXXXXX", base, kName);
  if (::mkdtemp(path.data()) == nullptr) {
    return fail(ErrorKind::environment,
                fmt::format("{}: cannot make a folder: {}", path, std::strerror(errno)));
  }
  Result<void> written = write_file(path + "/" + kOwner, mark_of(std::to_string(::getpid())) + "\n");
  for (const auto& [name, content] : command.files) {
    if (written) written = write_file(path + "/" + name, content);
  }
  if (!written) {
    remove_private_folder(path);
    return tl::make_unexpected(written.error());
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
