// What a run is aimed at: hosts, the site, the launcher; and the lab around them, where there is one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fabric/inventory/site.h"
#include "orchestrator/lab/lab_spec.h"
#include "orchestrator/run.h"
#include "proto/result.h"

namespace railgauge {

struct Target {
  std::vector<std::string> hosts;  // empty for a named lab: known only inside it
  Site site;
  std::string launcher;        // "lab", "local", "mpirun"
  std::optional<LabSpec> lab;  // to be built for this run
  std::string named_lab;       // "" none
};

// Reads host file and site file, checks the lab and its faults. Errors (input): "FILE:LINE: KEY: reason";
// neither hosts nor a lab; a host that no name service knows (launcher mpirun), by file and line; faults
// without a lab.
Result<Target> target_of(const RunOptions& options);

// What is known once the lab is there: its hosts, and of its site whatever the site file does not say.
void enter_lab(Target& target, const LabSpec& spec);

}  // namespace railgauge
