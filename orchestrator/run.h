// The pipeline: plan -> probe -> schedule -> run -> diagnose -> report. Each stage leaves its file in the run
// directory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fabric/inventory/site.h"
#include "fabric/report/render.h"
#include "orchestrator/run_directory.h"
#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

// What `run` was told on the command line.
struct RunOptions {
  std::string plan;                 // built-in name or path; "" = that of the run that goes on, else quick
  std::string hosts_file;           // --hosts
  std::string lab;                  // --lab: "4x4", "4x4@400mbit", or the name of a lab that is up
  std::string kinds;                // --kinds, handed to the lab
  std::vector<std::string> faults;  // --fault, planted in the lab before the start
  std::string out;                  // "" = railgauge-run-DATE-TIME here
  OutMode out_mode = OutMode::fresh;
  std::string site_file;  // "" = railgauge.yaml here if it exists
  std::string launcher;   // "" = by site file, else lab with --lab, mpirun with --hosts, local without both
  std::optional<Nanos> time_box;           // over the plan's
  bool strict = false;                     // WARN exits 1
  std::string formats = files_of_a_run();  // to write; the summary goes to stdout in any case
  std::string command_line;                // as typed, for the report
  std::string plan_or_default() const { return plan.empty() ? "quick" : plan; }
};

// Exit code of DESIGN section 6. Errors: as their kind says (exit_code_of); nothing was measured.
Result<int> run_command(const RunOptions& options);

// What would run; starts nothing. Without hosts the shape of the lab, or this host alone.
Result<int> plan_command(const RunOptions& options);

// Renders an existing run again. Errors (input): no run directory, or a damaged file, by name.
Result<int> report_command(const std::string& run_directory, const std::string& formats, bool strict);

}  // namespace railgauge
