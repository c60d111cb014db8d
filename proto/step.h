// What a leader is told when it connects, and what a batch of work is. Sent as JSON inside control messages:
// launches are rare, readability wins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace railgauge {

// How a process on a node learns whom to call: by environment, or as NAME=VALUE lines on stdin (--stdin),
// never as arguments.
inline constexpr const char* kControlVariable =
    "RAILGAUGE_CONTROL";  // "10.9.0.254:41234", address and port of the orchestrator
inline constexpr const char* kTokenVariable =
    "RAILGAUGE_TOKEN";  // 64 hex digits of the run's 32 random bytes; Hello.token = these 64 characters
inline constexpr const char* kLaunchVariable = "RAILGAUGE_LAUNCH";  // number of the launch, leaders only
inline constexpr const char* kRunIdVariable = "RAILGAUGE_RUN_ID";   // of every process of a launch: names
                                                                    // shared memory, and what a sweep may end

struct EnvironmentVariable {
  std::string name, value;
};

// One MPI start as seen by the nodes. `schedule_json`: fabric/cases/schedule.h with all endpoints and no
// rounds; rounds come in batches.
struct LaunchSpec {
  std::string run_id;
  std::int32_t launch = 0;
  std::string engine;                  // "ucx"
  std::int64_t setup_deadline_ns = 0;  // MPI_Init, address exchange
  std::vector<std::int32_t> living;    // endpoints that take part, ascending; one rank each
  std::vector<std::string>
      environment_names;  // prefixes and names that must agree: "UCX_", "NCCL_", "OMPI_MCA_pml"
  std::string schedule_json;
};

template <class V>
void describe(V& v, LaunchSpec& s) {
  v("run_id", s.run_id);
  v("launch", s.launch);
  v("engine", s.engine);
  v("setup_deadline_ns", s.setup_deadline_ns);
  v("living", s.living);
  v("environment_names", s.environment_names);
  v("schedule_json", s.schedule_json);
}

}  // namespace railgauge
