#include "orchestrator/doctor_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "fabric/report/text.h"
#include "orchestrator/launch/program_path.h"
#include "workers/probe/doctor.h"
#include "workers/probe/probe.h"

namespace railgauge {

int doctor_command() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  ProbeOptions options;
  options.node = name;
  const auto facts = probe_node(options);
  if (!facts) {
    fmt::print(stderr, "railgauge: {}\n", facts.error().message);
    return 2;
  }
  const auto folder = program_path().parent_path();
  bool able = true;
  for (const DoctorLine& line : doctor(*facts, look_at_host(folder.string(), 0))) {
    able = able && line.level != DoctorLevel::bad;
    fmt::print("{:<5} {:<18} {}\n", to_text(line.level), line.what, visible(line.text));
    if (!line.command.empty()) fmt::print("{:<24} {}\n", "", line.command);
  }
  fmt::print("{}\n", able ? "This host can run the suite."
                          : "This host cannot run the suite: see the lines marked bad.");
  return able ? 0 : 1;
}

}  // namespace railgauge
