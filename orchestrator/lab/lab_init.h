// The lab's first process and its namespaces: what makes everything go away together.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>

#include "orchestrator/lab/lab.h"

namespace railgauge {

// Blocks the signals that a waiting parent passes on; gives the old mask back when it goes.
class RelayedSignals {
 public:
  RelayedSignals();
  ~RelayedSignals();
  RelayedSignals(const RelayedSignals&) = delete;
  RelayedSignals& operator=(const RelayedSignals&) = delete;
  // Waits for the child; every signal that comes meanwhile goes to it. Exit status, 128 + signal where
  // killed.
  int wait_for(pid_t child) const;
  void restore() const;  // in a forked child that goes its own way

 private:
  sigset_t old_;
};

// Forks process 1 of new namespaces and builds the lab there; that process runs `main` in a child, reaps
// orphans, ends with its status, and dies with the calling thread. An ordinary user gets a user namespace,
// too, and is root in it. Returns its process id here, when the lab is ready. Errors: no namespaces, with the
// command that permits them; what building said.
Result<pid_t> start_lab(const LabSpec& spec, const LabMain& main, const RelayedSignals& signals);

// The same for a lab that stays; root only. ready: called with the process id when the lab is there; only
// after it has written the state does the lab stop depending on us, so that no kill -9 at any point leaves a
// lab that nobody knows.
Result<void> start_holder(const LabSpec& spec, const std::function<Result<void>(pid_t)>& ready);

// Forks a child that joins the namespaces and the root of `holder` (holder_pidfd: the same process) and runs
// `main` there; it dies with the calling thread.
Result<pid_t> start_in_lab(pid_t holder, int holder_pidfd, const LabSpec& spec, const LabMain& main,
                           const RelayedSignals& signals);

}  // namespace railgauge
