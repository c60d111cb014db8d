// "criteria" of a plan file: gates in a person's own numbers.
#pragma once

#include <string>

#include "orchestrator/plan.h"
#include "orchestrator/strict_yaml.h"

namespace railgauge {

// One element of the list, appended to plan.gates.stated. Keys: id, case, size (may be left out where the
// case has one), statistic: goodput|median|p99, flow: worst|median, at_least (a rate) or at_most (a time),
// missed: fail|warn. Call it when plan.cases is complete. Errors go to `yaml`: a case or size that the plan
// does not measure, an id that is taken, a limit the wrong way round.
void read_criterion(StrictYaml& yaml, const YAML::Node& node, const std::string& key, Plan& plan);

}  // namespace railgauge
