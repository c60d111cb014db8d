// Judges what the plan states.
#pragma once

#include <vector>

#include "fabric/diagnose/rules.h"

namespace railgauge {

// One criterion for each of gates.stated, in their order, with figure, limit and provenance. Flows that were
// not measured, failed, have fewer than kQuotedRepeats repeats or ran on hosts too busy to judge could be
// anything: where that could turn the verdict it is INCONCLUSIVE. A case without a round on this fabric
// removes its criterion and is listed in `skipped` (not_applicable). drafts: numbered; those that touch the
// quoted flow are linked.
std::vector<Criterion> stated_criteria(const Picture& p, const std::vector<Draft>& drafts,
                                       std::vector<Skip>& skipped);

}  // namespace railgauge
