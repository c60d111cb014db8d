// Made-up reports for the renderers' tests: what a judgement of such a fabric looks like, not a measurement.
#pragma once

#include <memory>
#include <string>

#include "fabric/report/report.h"

namespace railgauge {

// Owns what a Report borrows.
struct SampleReport {
  RunMeta meta;
  Inventory inventory;
  Schedule schedule;
  Analysis analysis;
  Report report() const { return {meta, inventory, schedule, analysis}; }
};

// Everything near expected, PASS.
SampleReport healthy_report(int nodes, int rails);

// 4 x 4: h3 rail 2 sends at half rate, h2 rail 1 is down, h4 lacks the NIC of rail 3, FAIL; one latency
// finding; two skips.
SampleReport faulty_report();

// The faulty one, with every text that others write set to markup, quotes, escapes and control characters.
SampleReport hostile_report();

}  // namespace railgauge
