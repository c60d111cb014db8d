// Ends what an earlier launch of a run left on this node: ranks, leaders, launcher daemons, shared memory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "proto/units.h"
#include "workers/rounds/processes.h"

namespace railgauge {

struct SweepRoots {
  std::filesystem::path proc = "/proc", shared = "/dev/shm";
};

struct Swept {
  int ended = 0, objects = 0;      // processes, shared memory objects
  std::vector<std::string> stuck;  // "pid 77 rg:rail0 (state D)": survived SIGKILL
};

// A process belongs to the run when its environment says so; this process and its parents never do. Others'
// processes cannot be read and are left alone. patience: for the killed to disappear.
Swept sweep(std::string_view run_id, Processes& processes, Nanos patience, const SweepRoots& roots = {});

// True for what railgauge calls a run: letters, digits and '-', at most 96.
bool is_run_id(std::string_view text);

}  // namespace railgauge
