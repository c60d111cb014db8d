// The gates of a run with what was measured against them.
#pragma once

#include <string_view>

#include "fabric/diagnose/proof.h"
#include "fabric/diagnose/rules.h"

namespace railgauge {

// In the order they are printed. `a` has its tables and numbered findings; finding i belongs to drafts[i].
std::vector<Criterion> criteria_of(const Picture& p, const std::vector<Draft>& drafts, const Proof& proof,
                                   const Analysis& a);

// Could criteria_of() give it? A person's criterion may not have such an id.
bool is_built_in_criterion(std::string_view id);

// FAIL > INCONCLUSIVE > WARN > PASS. Nothing judged: INCONCLUSIVE.
Verdict worst(const std::vector<Criterion>& criteria);

}  // namespace railgauge
