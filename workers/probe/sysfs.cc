#include "workers/probe/sysfs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "fabric/inventory/natural_order.h"

namespace railgauge::sysfs {
namespace fs = std::filesystem;

std::string text(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{64} << 10U;
  // Not blocking: a pipe or device in a foreign tree must not hold the probe.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return "";
  std::string out;
  struct stat st {};
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
    std::array<char, 4096> buffer;
    while (out.size() < kMost) {
      const ssize_t n = read(fd, buffer.data(), std::min(buffer.size(), kMost - out.size()));
      if (n <= 0) break;
      out.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }
  close(fd);
  const std::size_t end = out.find_last_not_of(std::string_view(" \t\r\n\0", 5));
  out.resize(end == std::string::npos ? 0 : end + 1);
  return out;
}

std::optional<double> number(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data() + start, text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int> integer(std::string_view text) {
  const std::optional<double> d = number(text);
  if (!d || std::abs(*d) > 2e9) return std::nullopt;
  return static_cast<int>(*d);
}

std::vector<std::string> names(const std::string& folder) {
  constexpr std::size_t kMost = 4096;
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end && out.size() < kMost;
       i.increment(error)) {
    out.push_back(i->path().filename().string());
  }
  std::sort(out.begin(), out.end(), natural_less);
  return out;
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string real(const std::string& path) {
  std::error_code error;
  const fs::path p = fs::canonical(path, error);
  return error ? "" : p.string();
}

std::string link_name(const std::string& path) {
  std::error_code error;
  const fs::path p = fs::read_symlink(path, error);
  return error ? "" : p.filename().string();
}

}  // namespace railgauge::sysfs
