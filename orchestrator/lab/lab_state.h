// Labs that stay up (`lab up`): one state file each in /run/railgauge. A file whose holder is dead counts for
// nothing and is removed by the next up or down.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/lab/lab_spec.h"
#include "proto/result.h"

namespace railgauge {

struct LabState {
  std::int64_t pid = 0;          // holder: process 1 of the lab, as seen outside
  std::int64_t start_ticks = 0;  // /proc/PID/stat field 22: with pid it names a process for ever
  LabSpec spec;
};

template <class V>
void describe(V& v, LabState& s) {
  v("pid", s.pid);
  v("start_ticks", s.start_ticks);
  v("spec", s.spec);
}

inline constexpr const char* kLabStates = "/run/railgauge";

// Ticks since boot at which the process started; empty: no such process, or a dead one
// that waits to be reaped. stat_text: of /proc/PID/stat.
std::optional<std::int64_t> start_ticks_of(const std::string& stat_text);
std::optional<std::int64_t> start_ticks_of(pid_t pid);
bool is_alive(const LabState& state);

// While it exists no other process changes the states. Errors (environment): no access.
class LabStates {
 public:
  static Result<LabStates> lock(const std::string& folder = kLabStates);
  LabStates(LabStates&& other) noexcept;
  LabStates& operator=(LabStates&&) = delete;
  ~LabStates();  // an empty folder goes

  std::vector<LabState> living() const;                         // by name
  std::optional<LabState> find(const std::string& name) const;  // living only
  // Names of the labs whose holder is gone; their files go. A file that is not ours stays.
  std::vector<std::string> remove_dead() const;
  Result<void> write(const LabState& state) const;  // whole or not at all
  void remove(const std::string& name) const;

 private:
  LabStates(std::string folder, int fd) : folder_(std::move(folder)), fd_(fd) {}
  std::string folder_;
  int fd_;
};

}  // namespace railgauge
