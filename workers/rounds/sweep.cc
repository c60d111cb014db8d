#include "workers/rounds/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <system_error>
#include <thread>

#include "proto/step.h"
#include "workers/rounds/board.h"

namespace railgauge {
namespace {

constexpr std::size_t kMaxEnvironment = std::size_t{4} << 20U;  // the kernel's own limit is below it

struct Leftover {
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;
  std::string name;
};

std::string read_all(const std::filesystem::path& path, std::size_t most) {
  std::ifstream in(path, std::ios::binary);
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

bool has_variable(const std::string& environment, const std::string& variable) {
  for (std::size_t at = 0; at < environment.size();) {
    const std::size_t end = std::min(environment.find('\0', at), environment.size());
    if (std::string_view(environment).substr(at, end - at) == variable) return true;
    at = end + 1;
  }
  return false;
}

// This process and its parents, as far as they can be seen.
std::set<std::int64_t> own_line(const std::filesystem::path& proc) {
  std::set<std::int64_t> line;
  for (std::int64_t pid = getpid(); pid > 0 && line.insert(pid).second;) {
    const std::string stat = read_all(proc / std::to_string(pid) / "stat", 4096);
    const std::size_t bracket = stat.rfind(')');
    std::int64_t parent = 0;
    if (bracket != std::string::npos && bracket + 4 < stat.size())
      std::from_chars(stat.data() + bracket + 4, stat.data() + stat.size(), parent);
    pid = parent;
  }
  return line;
}

std::vector<Leftover> find_leftovers(const std::string& variable, const Processes& processes,
                                     const std::filesystem::path& proc) {
  const std::set<std::int64_t> own = own_line(proc);
  std::vector<Leftover> found;
  std::error_code ec;
  for (std::filesystem::directory_iterator at(proc, ec), end; !ec && at != end; at.increment(ec)) {
    const std::string name = at->path().filename().string();
    std::int64_t pid = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || stop != name.data() + name.size() || own.contains(pid)) continue;
    if (!has_variable(read_all(at->path() / "environ", kMaxEnvironment), variable)) continue;
    const ProcessLook look = processes.look(pid, 0);
    std::string comm = read_all(at->path() / "comm", 64);
    while (!comm.empty() && comm.back() == '\n') comm.pop_back();
    if (look.alive) found.push_back({pid, look.start_ticks, comm});
  }
  return found;
}

int remove_objects(const std::string& prefix, const std::filesystem::path& shared) {
  int removed = 0;
  std::error_code ec;
  std::vector<std::filesystem::path> doomed;
  for (std::filesystem::directory_iterator at(shared, ec), end; !ec && at != end; at.increment(ec))
    if (at->path().filename().string().starts_with(prefix)) doomed.push_back(at->path());
  for (const auto& path : doomed) removed += std::filesystem::remove(path, ec) ? 1 : 0;
  return removed;
}

}  // namespace

bool is_run_id(std::string_view text) {
  return !text.empty() && text.size() <= 96 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

Swept sweep(std::string_view run_id, Processes& processes, Nanos patience, const SweepRoots& roots) {
  Swept swept;
  if (!is_run_id(run_id)) return swept;
  std::vector<Leftover> left =
      find_leftovers(fmt::format("{}={}", kRunIdVariable, run_id), processes, roots.proc);
  swept.ended = static_cast<int>(left.size());
  for (const Leftover& l : left) processes.signal(l.pid, l.start_ticks, SIGKILL);
  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(patience.count());
  while (true) {
    std::erase_if(left, [&](const Leftover& l) { return !processes.look(l.pid, l.start_ticks).alive; });
    if (left.empty() || std::chrono::steady_clock::now() >= until) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (const Leftover& l : left) {
    swept.stuck.push_back(
        fmt::format("pid {} {} (state {})", l.pid, l.name, processes.look(l.pid, l.start_ticks).letter));
  }
  swept.ended -= static_cast<int>(left.size());
  swept.objects = remove_objects(board_prefix(run_id), roots.shared);
  return swept;
}

}  // namespace railgauge
