#include "workers/rounds/processes.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <charconv>
#include <fstream>

namespace railgauge {
namespace {

// Fields of proc(5), counted from the state, which is field 3.
constexpr int kState = 3, kStartTime = 22, kExitCode = 52;

std::uint64_t number(std::string_view text) {
  std::uint64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

}  // namespace

ProcessLook parse_stat(std::string_view text) {
  ProcessLook look;
  // The name in brackets may hold blanks and brackets: the last one ends it.
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string_view::npos || bracket + 2 >= text.size()) return look;
  std::string_view rest = text.substr(bracket + 2);
  std::uint64_t exit_code = 0;
  for (int field = kState; !rest.empty(); ++field) {
    const std::size_t end = rest.find_first_of(" \n");
    const std::string_view word = rest.substr(0, end);
    if (field == kState && !word.empty()) look.letter = word[0];
    if (field == kStartTime) look.start_ticks = number(word);
    if (field == kExitCode) exit_code = number(word);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  const bool zombie = look.letter == 'Z' || look.letter == 'X' || look.letter == 'x';
  look.alive = !zombie && look.letter != '?';
  const int status = static_cast<int>(exit_code);
  if (zombie && WIFSIGNALED(status)) look.exit_signal = WTERMSIG(status);
  return look;
}

ProcessLook SystemProcesses::look(std::int64_t pid, std::uint64_t start_ticks) const {
  if (pid <= 0) return {};
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return {};
  const ProcessLook look = parse_stat(line);
  if (start_ticks != 0 && look.start_ticks != start_ticks) return {};
  return look;
}

bool SystemProcesses::signal(std::int64_t pid, std::uint64_t start_ticks, int number) {
  if (!look(pid, start_ticks).alive) return false;
  return kill(static_cast<pid_t>(pid), number) == 0;
}

}  // namespace railgauge
