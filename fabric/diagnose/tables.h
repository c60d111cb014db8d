// Tables and coverage of the analysis.
#pragma once

#include "fabric/diagnose/rules.h"

namespace railgauge {

// Every compute NIC that should be there: measured ones in the order of the schedule, then those that are
// down, missing or silent. Fills endpoints, pairs, coverage and skipped of `a`.
void fill_tables(const Inquiry& q, Analysis& a);

}  // namespace railgauge
