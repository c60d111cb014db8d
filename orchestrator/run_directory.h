// The folder of one run: every stage is a file in it (DESIGN section 2).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "proto/json.h"
#include "proto/result.h"

namespace railgauge {

enum class OutMode {
  fresh,          // must not exist, or be an empty folder
  resume,         // must hold a run
  resume_or_new,  // a run is continued, nothing there is begun
};

struct RunDirectory {
  std::filesystem::path path;
  bool begun = false;    // holds plan.json of an earlier start: this start goes on with that plan
  bool resumed = false;  // and schedule.json and samples.rg: rounds are measured already
};

// Where a run may write. Creates nothing: make_run_directory() does, once all input is known to be good.
// Errors (input): exists and may not be touched; is no run directory; parent missing.
Result<RunDirectory> choose_run_directory(const std::filesystem::path& path, OutMode mode);
// Errors (environment): cannot be created or written.
Result<void> make_run_directory(const RunDirectory& directory);

// "railgauge-run-20261201-025108", local time.
std::string default_run_name(std::int64_t unix_seconds);

// Whole file by temporary file and rename: a reader sees the old or the new one. Errors (environment) name
// the file.
Result<void> write_whole(const std::filesystem::path& path, std::string_view text);
// Errors (input): "FILE: reason". At most 256 MiB.
Result<std::string> read_whole(const std::filesystem::path& path);

template <class T>
Result<void> write_record(const std::filesystem::path& path, const T& record) {
  return write_whole(path, to_json(record) + "\n");
}

// Errors (input): "FILE: KEY: reason".
template <class T>
Result<T> read_record(const std::filesystem::path& path) {
  const auto text = read_whole(path);
  if (!text) return tl::make_unexpected(text.error());
  auto record = from_json<T>(*text);
  if (!record) return fail(ErrorKind::input, path.string() + ": " + record.error().message);
  return record;
}

}  // namespace railgauge
