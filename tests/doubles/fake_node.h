// What a leader sees of the world: a scripted control channel, and processes that die when told.
#pragma once

#include <signal.h>

#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "workers/rounds/leader.h"
#include "workers/rounds/processes.h"

namespace railgauge {

class FakeLink : public LeaderLink {
 public:
  Result<void> send(const wire::ToOrchestrator& message) override {
    if (closed) return fail(ErrorKind::peer, "closed");
    sent.push_back(message);
    return {};
  }
  Result<std::optional<wire::ToNode>> receive(Nanos) override {
    if (!incoming.empty()) {
      std::optional<wire::ToNode> m = incoming.front();
      incoming.pop_front();
      return m;
    }
    if (closed) return fail(ErrorKind::peer, "closed");
    return std::optional<wire::ToNode>();
  }
  std::deque<wire::ToNode> incoming;
  std::vector<wire::ToOrchestrator> sent;
  bool closed = false;
};

class FakeProcesses : public Processes {
 public:
  ProcessLook look(std::int64_t pid, std::uint64_t) const override {
    ProcessLook l;
    l.alive = !dead.contains(pid);
    l.letter = dead.contains(pid) ? 'Z' : stopped.contains(pid) ? 'T' : 'S';
    if (dead.contains(pid)) l.exit_signal = SIGKILL;
    return l;
  }
  bool signal(std::int64_t pid, std::uint64_t, int number) override {
    signals.push_back({pid, number});
    if (number == SIGKILL) dead.insert(pid);
    return true;
  }
  std::set<std::int64_t> dead, stopped;
  std::vector<std::pair<std::int64_t, int>> signals;
};

}  // namespace railgauge
