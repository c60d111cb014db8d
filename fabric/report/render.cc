#include "fabric/report/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "fabric/report/text.h"

namespace railgauge {

namespace {

constexpr std::array<Format, 6> kFormats = {{
    {"terminal", "report.txt", render_terminal},
    {"json", "report.json", render_json},
    {"html", "report.html", render_html},
    {"md", "report.md", render_markdown},
    {"junit", "report.xml", render_junit},
    {"prom", "report.prom", render_prometheus},
}};

std::string names_but(std::string_view left_out) {
  std::string names;
  for (const Format& f : kFormats) {
    if (f.name != left_out) names += fmt::format("{}{}", names.empty() ? "" : ",", f.name);
  }
  return names;
}

struct CloseFile {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

Result<void> write_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  const auto broken = [&](const char* what) {
    const int code = errno;
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    return fail(ErrorKind::environment, fmt::format("{}: {}: {}", path.string(), what, std::strerror(code)));
  };
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(temporary.c_str(), "wbe"));
  if (!file) return broken("cannot be written");
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) return broken("cannot be written");
  if (std::fclose(file.release()) != 0) return broken("cannot be written");
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return broken("cannot be put in place");
  return {};
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

std::string all_format_names() { return names_but(""); }
std::string files_of_a_run() { return names_but("terminal"); }

Result<Format> find_format(std::string_view name) {
  const auto* found =
      std::find_if(kFormats.begin(), kFormats.end(), [name](const Format& f) { return f.name == name; });
  if (found != kFormats.end()) return *found;
  return fail(ErrorKind::input, fmt::format("format '{}' is not known; known are {}", fit(visible(name), 40),
                                            all_format_names()));
}

Result<std::vector<Format>> parse_formats(std::string_view list) {
  std::vector<Format> chosen;
  while (true) {
    const std::size_t comma = list.find(',');
    const Result<Format> format = find_format(list.substr(0, comma));
    if (!format) return tl::make_unexpected(format.error());
    const bool again =
        std::any_of(chosen.begin(), chosen.end(), [&](const Format& f) { return f.name == format->name; });
    if (!again) chosen.push_back(*format);
    if (comma == std::string_view::npos) return chosen;
    list.remove_prefix(comma + 1);
  }
}

Result<void> write_reports(const Report& report, const std::filesystem::path& dir,
                           std::span<const Format> chosen) {
  const RenderOptions options{false, (dir / "report.html").string()};
  for (const Format& format : chosen) {
    const Result<void> written = write_file(dir / format.file, format.render(report, options));
    if (!written) return written;
  }
  return {};
}

}  // namespace railgauge
