// The formats of a report behind one registry. A renderer is pure: same report, same bytes.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/report/report.h"
#include "proto/result.h"

namespace railgauge {

struct RenderOptions {
  bool colour = false;    // ANSI colours in `terminal`; the caller knows about ttys and NO_COLOR
  std::string page_path;  // where report.html was written, for `terminal`; "" = not mentioned
};

std::string render_terminal(const Report& report, const RenderOptions& options);  // at most 80 columns
std::string render_json(const Report& report, const RenderOptions& options);      // share/report.schema.json
std::string render_html(const Report& report, const RenderOptions& options);      // one self-contained page
std::string render_markdown(const Report& report, const RenderOptions& options);  // below 64 KB
std::string render_junit(const Report& report, const RenderOptions& options);     // a test case a criterion
std::string render_prometheus(const Report& report, const RenderOptions& options);  // textfile collector

struct Format {
  std::string_view name;  // "html"
  std::string_view file;  // "report.html"
  std::string (*render)(const Report&, const RenderOptions&);
};

// In a fixed order; names and files are unique.
std::span<const Format> formats();

// "terminal,json,html,md,junit,prom".
std::string all_format_names();
// What a run writes: all but `terminal`, which it prints.
std::string files_of_a_run();

// Errors (input): unknown name, with the known ones.
Result<Format> find_format(std::string_view name);

// "html,json" -> formats, each once, in the order given. Errors (input): unknown or empty name.
Result<std::vector<Format>> parse_formats(std::string_view list);

// Renders each format into `dir` (must exist): temporary file, then rename, so that a reader sees the old or
// the new file, never a part. Errors (environment) name the file; files written before the error stay.
Result<void> write_reports(const Report& report, const std::filesystem::path& dir,
                           std::span<const Format> chosen);

}  // namespace railgauge
