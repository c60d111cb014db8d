// Is this host able to run the suite, and what is wrong with it: the local checks behind `railgauge doctor`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/inventory/node_facts.h"

namespace railgauge {

enum class DoctorLevel { ok, warn, bad };
std::string_view to_text(DoctorLevel level);  // "ok", "warn", "bad"

struct DoctorLine {
  DoctorLevel level = DoctorLevel::ok;
  std::string what;     // "locked memory"
  std::string text;     // what was found and what it means
  std::string command;  // one line to copy that helps; "" none
};

// What doctor() judges beyond the facts; a test gives it what it wants.
struct HostState {
  bool root = false;
  bool namespaces = false;                 // network namespaces can be made
  std::string mpirun, ip, tc;              // full paths; "" not on PATH
  std::string ucx_plugin;                  // full path of the plug-in; "" absent
  std::optional<std::uint64_t> shm_bytes;  // size of /dev/shm
  std::string clock_source;                // "tsc", "kvm-clock", "hpet"
  std::optional<bool> control_port;        // a TCP port can be opened for listening
};

// Looks at this machine. Opens and closes one listening port (0 = any free one); starts no program.
// folder: where railgauge and its plug-ins lie.
HostState look_at_host(const std::string& folder, int control_port);

// bad: the suite cannot run here. warn: it runs, and a number or a part is lost. Pure; always the same order.
std::vector<DoctorLine> doctor(const NodeFacts& facts, const HostState& host);

}  // namespace railgauge
