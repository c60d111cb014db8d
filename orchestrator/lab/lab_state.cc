#include "orchestrator/lab/lab_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "proto/json.h"

namespace railgauge {
namespace {

std::optional<LabState> read_state(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  const Result<LabState> state = from_json<LabState>(text.str());
  // A torn or foreign file belongs to no lab.
  if (!in || !state || !check_lab_spec(state->spec)) return {};
  return *state;
}

std::vector<std::filesystem::path> state_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& e : std::filesystem::directory_iterator(folder, error)) {
    if (e.path().extension() == ".json") files.push_back(e.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::optional<std::int64_t> start_ticks_of(const std::string& stat_text) {
  // Field 2 is the name in brackets and may itself hold brackets and spaces: count from the last one.
  const std::size_t bracket = stat_text.rfind(')');
  if (bracket == std::string::npos) return {};
  std::istringstream rest(stat_text.substr(bracket + 1));
  std::string word;
  rest >> word;
  if (word == "Z" || word == "X") return {};  // dead, nobody has asked how yet
  for (int field = 4; field <= 21; ++field) rest >> word;
  std::int64_t ticks = 0;
  if (!(rest >> ticks)) return {};
  return ticks;
}

std::optional<std::int64_t> start_ticks_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(in, line)) return {};
  return start_ticks_of(line);
}

bool is_alive(const LabState& state) {
  return start_ticks_of(static_cast<pid_t>(state.pid)) == state.start_ticks;
}

Result<LabStates> LabStates::lock(const std::string& folder) {
  ::mkdir(folder.c_str(), 0755);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || ::flock(fd, LOCK_EX) != 0) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    return fail(ErrorKind::environment,
                fmt::format("{}: {}: labs need root, use sudo", folder, std::strerror(error)));
  }
  return LabStates(folder, fd);
}

LabStates::LabStates(LabStates&& other) noexcept
    : folder_(std::move(other.folder_)), fd_(std::exchange(other.fd_, -1)) {}

LabStates::~LabStates() {
  if (fd_ < 0) return;
  ::rmdir(folder_.c_str());  // only when empty
  ::close(fd_);
}

std::vector<LabState> LabStates::living() const {
  std::vector<LabState> states;
  for (const auto& file : state_files(folder_)) {
    std::optional<LabState> state = read_state(file);
    if (state && is_alive(*state)) states.push_back(std::move(*state));
  }
  return states;
}

std::optional<LabState> LabStates::find(const std::string& name) const {
  for (LabState& s : living()) {
    if (s.spec.name == name) return s;
  }
  return {};
}

std::vector<std::string> LabStates::remove_dead() const {
  std::vector<std::string> names;
  for (const auto& file : state_files(folder_)) {
    const std::optional<LabState> state = read_state(file);
    if (!state || is_alive(*state)) continue;
    ::unlink(file.c_str());
    names.push_back(state->spec.name);
  }
  return names;
}

Result<void> LabStates::write(const LabState& state) const {
  ::mkdir(folder_.c_str(), 0755);  // whoever held the lock before us may have removed it
  const std::string path = fmt::format("{}/{}.json", folder_, state.spec.name);
  const std::string draft = path + ".new";
  std::ofstream out(draft);
  out << to_json(state) << "\n";
  out.close();
  if (!out || std::rename(draft.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(draft.c_str());
    return fail(ErrorKind::environment, fmt::format("{}: cannot write: {}", path, std::strerror(error)));
  }
  return {};
}

void LabStates::remove(const std::string& name) const {
  ::unlink(fmt::format("{}/{}.json", folder_, name).c_str());
}

}  // namespace railgauge
