// From samples to findings: pure. Called twice in a run: suspects() after the screening, diagnose() at the
// end.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fabric/cases/schedule.h"
#include "fabric/diagnose/analysis.h"
#include "fabric/diagnose/stated.h"
#include "fabric/inventory/inventory.h"
#include "fabric/inventory/site.h"
#include "proto/samples.h"

namespace railgauge {

struct Gates {
  double model_warn = 0.95, model_fail = 0.90;  // of expected
  double peer_floor = 0.03;  // finding below max(floor, sigmas x pooled sigma) under the class median
  double peer_sigmas = 6;
  double peer_fail = 0.95;  // of the class median
  int peer_members = 5;     // fewer: no peer verdict
  double coverage = 0.98;
  int confirm_repeats = 6;
  std::vector<StatedCriterion> stated;  // by the plan; ids are unique
};

struct Evidence {  // all that the judgement may look at
  const Inventory& inventory;
  const Site& site;
  const Schedule& schedule;  // rounds that ran, confirmation included
  const SampleSet& samples;
  std::string stopped{};  // why the run ended before its plan did, "" = it did not
};

// Rounds that settle the suspects of the screening, ids from `first_round` on; empty: nothing to confirm.
// Each suspect direction is measured under the same load (its screening round's other flows, with other
// partners: one on its leaf, one behind another where known) and alone, `confirm_repeats` times, fresh. Only
// endpoints in `living` may be used. duration: of each round. Several suspects share rounds where they don't
// share a NIC. Rounds of the screening in which flows between working ends failed run again, twice, with
// their own case, size and duration.
std::vector<Round> confirmation(const Evidence& evidence, const Gates& gates, const std::vector<bool>& living,
                                Nanos duration, int first_round);

Analysis diagnose(const Evidence& evidence, const Gates& gates);

}  // namespace railgauge
