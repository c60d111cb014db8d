#include "orchestrator/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <sstream>

namespace railgauge {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20U;

bool holds(const fs::path& path, std::initializer_list<const char*> names) {
  return std::all_of(names.begin(), names.end(), [&](const char* name) {
    std::error_code ec;
    return fs::is_regular_file(path / name, ec);
  });
}

}  // namespace

Result<RunDirectory> choose_run_directory(const fs::path& given, OutMode mode) {
  const fs::path path =
      given.has_filename() ? given : given.parent_path();  // "run/", as a shell completes it
  std::error_code ec;
  const auto status = fs::status(path, ec);
  const bool exists = fs::exists(status);
  const std::string name = path.string();
  if (exists && !fs::is_directory(status)) {
    return fail(ErrorKind::input,
                fmt::format("{}: is a file: give --out a folder that does not exist yet", name));
  }
  const bool empty = exists && fs::is_empty(path, ec);
  if (exists && ec) return fail(ErrorKind::input, fmt::format("{}: cannot be read: {}", name, ec.message()));
  if (mode != OutMode::fresh && exists && !empty) {
    if (holds(path, {"plan.json"}))
      return RunDirectory{path, true, holds(path, {"schedule.json", "samples.rg"})};
    return fail(ErrorKind::input,
                fmt::format("{}: holds no run that can go on: there is no plan.json in it", name));
  }
  if (mode == OutMode::resume) {
    return fail(ErrorKind::input, fmt::format("{}: no run here to go on with: leave --resume out", name));
  }
  if (exists && !empty) {
    return fail(
        ErrorKind::input,
        fmt::format("{}: exists and is not empty: nothing was touched; give another --out, or --resume it",
                    name));
  }
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!exists && !fs::is_directory(parent, ec)) {
    return fail(ErrorKind::input, fmt::format("{}: its folder {} does not exist", name, parent.string()));
  }
  return RunDirectory{path};
}

Result<void> make_run_directory(const RunDirectory& directory) {
  std::error_code ec;
  fs::create_directories(directory.path / "logs", ec);
  if (ec) {
    return fail(ErrorKind::environment,
                fmt::format("{}: cannot be created: {}", directory.path.string(), ec.message()));
  }
  return {};
}

std::string default_run_name(std::int64_t unix_seconds) {
  const auto seconds = static_cast<std::time_t>(unix_seconds);
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[64];
  std::strftime(text, sizeof text, "railgauge-run-%Y%m%d-%H%M%S", &local);
  return text;
}

Result<void> write_whole(const fs::path& path, std::string_view text) {
  const fs::path part = path.string() + ".part";
  errno = 0;
  {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.flush();
    if (!out) {
      const int cause = errno;
      std::error_code ignored;
      fs::remove(part, ignored);
      return fail(ErrorKind::environment,
                  fmt::format("{}: cannot be written: {}", path.string(), std::strerror(cause)));
    }
  }
  std::error_code ec;
  fs::rename(part, path, ec);
  if (ec)
    return fail(ErrorKind::environment,
                fmt::format("{}: cannot be written: {}", path.string(), ec.message()));
  return {};
}

Result<std::string> read_whole(const fs::path& path) {
  std::error_code ec;
  if (!fs::is_regular_file(path, ec))
    return fail(ErrorKind::input, fmt::format("{}: no such file", path.string()));
  if (fs::file_size(path, ec) > kMostBytes || ec) {
    return fail(ErrorKind::input, fmt::format("{}: larger than 256 MiB", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return fail(ErrorKind::input, fmt::format("{}: cannot be read", path.string()));
  return text.str();
}

}  // namespace railgauge
