#include "workers/main/arguments.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <charconv>
#include <cstdlib>
#include <map>

#include "proto/step.h"

namespace railgauge {
namespace {

constexpr std::size_t kMaxStdinBytes = 4096;

std::map<std::string, std::string> read_lines(std::istream& in) {
  std::string text(kMaxStdinBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  std::map<std::string, std::string> said;
  const char* const positions[] = {kControlVariable, kTokenVariable};
  std::size_t position = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) {
      said[line.substr(0, equals)] = line.substr(equals + 1);
    } else if (position < 2) {
      said[positions[position++]] = line;
    }
  }
  return said;
}

}  // namespace

Result<RankArguments> parse_arguments(const std::vector<std::string>& words) {
  RankArguments a;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    std::string* value = word == "--node"              ? &a.node
                         : word == "--sysfs-root"      ? &a.sysfs_root
                         : word == "--machine-id-file" ? &a.machine_id_file
                         : word == "--sweep"           ? &a.sweep_run_id
                                                       : nullptr;
    if (value != nullptr) {
      if (i + 1 == words.size()) return fail(ErrorKind::input, "railgauge-rank: " + word + ": needs a value");
      *value = words[++i];
      if (word == "--sweep") a.mode = RankMode::sweep;
    } else if (word == "--probe") {
      a.mode = RankMode::probe;
    } else if (word == "--leader") {
      a.mode = RankMode::leader;
    } else if (word == "--version") {
      a.mode = RankMode::version;
    } else if (word == "--stdin") {
      a.from_stdin = true;
    } else {
      return fail(
          ErrorKind::input,
          fmt::format("railgauge-rank: unknown option '{}'; it is started by railgauge, not by hand", word));
    }
  }
  if (a.mode != RankMode::version && (a.node.empty() || a.node.size() > 255)) {
    return fail(ErrorKind::input, "railgauge-rank: --node: the node's id is needed, at most 255 characters");
  }
  return a;
}

std::optional<std::string> read_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

Result<ControlTarget> control_target(const ReadVariable& environment, std::istream* in) {
  const std::map<std::string, std::string> said =
      in != nullptr ? read_lines(*in) : std::map<std::string, std::string>{};
  const auto get = [&](const char* name) {
    const auto found = said.find(name);
    return found != said.end() ? found->second : environment(name).value_or("");
  };
  ControlTarget t;
  t.address = get(kControlVariable);
  t.token = get(kTokenVariable);
  t.run_id = get(kRunIdVariable);
  if (t.address.empty() || t.token.empty()) {
    return fail(ErrorKind::input, fmt::format("railgauge-rank: {} and {} are not set; it is started by "
                                              "railgauge run, whose launcher passes them",
                                              kControlVariable, kTokenVariable));
  }
  if (t.run_id.empty()) t.run_id = fmt::format("t{:016x}", XXH3_64bits(t.token.data(), t.token.size()));
  const std::string launch = get(kLaunchVariable);
  if (!launch.empty()) {
    const auto [end, error] = std::from_chars(launch.data(), launch.data() + launch.size(), t.launch);
    if (error != std::errc() || end != launch.data() + launch.size() || t.launch < 0) {
      return fail(ErrorKind::input, fmt::format("railgauge-rank: {}='{}': not a launch number",
                                                kLaunchVariable, launch.substr(0, 32)));
    }
  }
  return t;
}

}  // namespace railgauge
