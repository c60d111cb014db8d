#include "orchestrator/lab/lab.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "orchestrator/lab/lab_init.h"
#include "orchestrator/lab/lab_state.h"

namespace railgauge {

Result<int> run_in_lab(const LabSpec& spec, const LabMain& main) {
  if (Result<void> ok = check_lab_spec(spec); !ok) return tl::make_unexpected(ok.error());
  const RelayedSignals signals;
  const Result<pid_t> first = start_lab(spec, main, signals);
  if (!first) return tl::make_unexpected(first.error());
  return signals.wait_for(*first);
}

Result<int> run_in_named_lab(const std::string& name, const LabMain& main) {
  std::optional<LabState> state;
  {
    const Result<LabStates> states = LabStates::lock();
    if (!states) return tl::make_unexpected(states.error());
    state = states->find(name);
  }
  if (!state) {
    return fail(ErrorKind::input,
                fmt::format("lab {}: not up; `railgauge lab up --name {}` or a size like 4x4", name, name));
  }
  const int holder = static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(state->pid), 0));
  // Looked at again with the pidfd in hand: from here on it cannot become another process.
  if (holder < 0 || !is_alive(*state)) {
    if (holder >= 0) ::close(holder);
    return fail(ErrorKind::environment, fmt::format("lab {}: has just gone down", name));
  }
  const RelayedSignals signals;
  const Result<pid_t> child =
      start_in_lab(static_cast<pid_t>(state->pid), holder, state->spec, main, signals);
  ::close(holder);
  if (!child) return tl::make_unexpected(child.error());
  return signals.wait_for(*child);
}

}  // namespace railgauge
