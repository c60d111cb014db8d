// Diagnose and report: from the records of a run to its judgement, again and again if one likes.
#pragma once

#include <filesystem>
#include <string>

#include "fabric/cases/schedule.h"
#include "fabric/diagnose/diagnose.h"
#include "fabric/inventory/inventory.h"
#include "fabric/inventory/site.h"
#include "fabric/report/report.h"
#include "orchestrator/plan.h"
#include "proto/result.h"
#include "proto/samples.h"

namespace railgauge {

// What a run directory says. Written by the stages, read by `report` and `--resume`.
struct RunRecord {
  RunMeta meta;
  Site site;
};
template <class V>
void describe(V& v, RunRecord& r) {
  v("meta", r.meta);
  v("site", r.site);
}

// schedule.json of the run `run_id`. Errors (input): "FILE: KEY: reason", also where it is another run's.
Result<Schedule> read_schedule(const std::filesystem::path& path, const std::string& run_id);

// Judges, writes analysis.json, run.json and the report files, prints the summary. Returns the exit code.
// Errors (input): unknown format; (environment): a file cannot be written.
Result<int> judge_and_report(const std::filesystem::path& dir, const RunRecord& record,
                             const Evidence& evidence, const Gates& gates, const std::string& formats,
                             bool strict);

// 0 PASS, WARN, WAIVED (strict: WARN 1); 1 FAIL; 3 INCONCLUSIVE.
int exit_code_of(Verdict verdict, bool strict);

// Sentences for RunMeta::method: what the engines said they used, and how it was repeated.
std::vector<std::string> method_of(const Schedule& schedule, const SampleSet& samples);

}  // namespace railgauge
