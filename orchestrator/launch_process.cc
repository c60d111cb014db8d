#include "orchestrator/launch_process.h"

#include <cctype>
#include <charconv>
#include <csignal>

#include "orchestrator/run_directory.h"

namespace railgauge {

std::optional<std::int32_t> blamed_rank_in(const std::string& text) {
  const std::string mark = "process rank ";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.substr(at, end - at).find("exited on") == std::string::npos) continue;
    std::int32_t rank = -1;
    const char* first = text.data() + at + mark.size();
    if (std::from_chars(first, text.data() + end, rank).ec == std::errc() && rank >= 0) return rank;
  }
  return std::nullopt;
}

std::string last_line_of(const std::string& text) {
  std::string best;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line;
    bool says = false;
    for (const char c : text.substr(at, std::min<std::size_t>(end - at, 200))) {
      const auto u = static_cast<unsigned char>(c);
      line += u >= 0x20 && u < 0x7f ? c : '?';
      says = says || std::isalnum(u) != 0;
    }
    if (says) best = line;
    at = end + 1;
  }
  return best;
}

Result<std::unique_ptr<LaunchProcess>> LaunchProcess::start(const Command& command,
                                                            std::filesystem::path error_log) {
  auto process = Process::start(command);
  if (!process) return tl::make_unexpected(process.error());
  return std::unique_ptr<LaunchProcess>(new LaunchProcess(std::move(*process), std::move(error_log)));
}

LaunchProcess::~LaunchProcess() {
  if (!process_.poll()) {
    const auto ignored = process_.stop(Nanos::s(1));
    static_cast<void>(ignored);  // a process in D state stays; the session has said so
  }
  const std::string all = process_.output() + process_.error_output();
  if (all.empty()) return;
  const auto ignored = write_whole(error_log_, all);
  static_cast<void>(ignored);  // the log explains a run, it is no part of it
}

std::optional<std::string> LaunchProcess::ended() {
  const auto exit = process_.poll();
  if (!exit) return std::nullopt;
  return to_text(*exit);
}

void LaunchProcess::signal(int number) {
  if (number == SIGKILL) {
    // The session, not only the group: mpirun's daemons leave its group.
    const auto ignored = process_.stop(Nanos());
    static_cast<void>(ignored);
    return;
  }
  process_.signal(number);
}

std::optional<std::int32_t> LaunchProcess::blamed_rank() {
  process_.pump();
  return blamed_rank_in(process_.error_output());
}

std::string LaunchProcess::last_words() {
  process_.pump();
  return last_line_of(process_.error_output());
}

}  // namespace railgauge
