// railgauge: the command line. Exit codes: 0 PASS and WARN (--strict: 1), 1 FAIL, 3 INCONCLUSIVE, 2 wrong use
// or bad input.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "fabric/cases/case.h"
#include "fabric/report/text.h"
#include "orchestrator/about.h"
#include "orchestrator/doctor_command.h"
#include "orchestrator/lab/lab_command.h"
#include "orchestrator/lab/lab_exec.h"
#include "orchestrator/launch/program_path.h"
#include "orchestrator/plan.h"
#include "orchestrator/run.h"

namespace railgauge {
namespace {

int finish(const Result<int>& result) {
  if (result) return *result;
  std::fflush(stdout);
  // Input is quoted in it: one line, no control characters, bounded.
  std::string line = visible(result.error().message);
  if (line.size() > 600) line = line.substr(0, 400) + " ... " + line.substr(line.size() - 150);
  fmt::print(stderr, "railgauge: {}\n", line);
  return 2;
}

int list_cases() {
  for (const Case& c : all_cases())
    fmt::print("{:<20} {:<6} {}\n{:<27} needs {}\n", c.id, c.unit, c.title, "", c.needs);
  return 0;
}

const CLI::Validator kGiven(
    [](const std::string& value) { return value.empty() ? std::string("needs a value") : std::string(); },
    "");

// What `run` and `plan` share.
void add_target(CLI::App& command, RunOptions& options) {
  command
      .add_option("plan", options.plan,
                  fmt::format("{} or a file (YAML)", fmt::join(built_in_plan_names(), ", ")))
      ->check(kGiven);
  auto* hosts =
      command.add_option("--hosts", options.hosts_file, "file with one host name a line")->check(kGiven);
  auto* lab = command.add_option("--lab", options.lab, "4x4, 4x4@400mbit, or the name of a lab that is up")
                  ->check(kGiven);
  hosts->excludes(lab);
  command.add_option("--kinds", options.kinds, "hosts of several kinds: 2x4@200mbit,2x2@100mbit")
      ->check(kGiven)
      ->excludes(hosts);
  command.add_option("--site", options.site_file, "site file (default: railgauge.yaml here)")->check(kGiven);
  command.add_option("--launcher", options.launcher, "lab, local or mpirun")
      ->check(CLI::IsMember({"lab", "local", "mpirun"}));
}

std::optional<Error> unknown_command(CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return std::nullopt;
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    if (command->get_name() == words[0]) return std::nullopt;
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return Error{ErrorKind::input,
               fmt::format("{}: no such command; there are {}", words[0].substr(0, 100), names)};
}

std::string typed(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) line += (i > 0 ? " " : "") + std::string(argv[i]);
  return line.substr(0, 4096);
}

int run(int argc, char** argv) {
  program_path();  // before any namespace is entered
  // Words for others than CLI11 to read: options of `lab` and the command that lab-exec becomes.
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "lab") return lab_command({words.begin() + 1, words.end()});
  if (!words.empty() && words[0] == "lab-exec") return lab_exec({words.begin() + 1, words.end()});

  CLI::App app("Measures the fabric of a GPU cluster and names what is wrong with it.", "railgauge");
  app.set_version_flag("--version", about());
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& e) {
    return fmt::format("railgauge: {} (see railgauge --help)\n", visible(e.what()).substr(0, 600));
  });
  RunOptions options;
  options.command_line = typed(argc, argv);
  std::string resume, time_box, report_run;
  bool resume_or_new = false;

  CLI::App* run = app.add_subcommand("run", "probe, schedule, measure, diagnose, report");
  add_target(*run, options);
  run->add_option("--fault", options.faults, "planted in the lab: slow:h3:rail2:0.5:send")->take_all();
  auto* out =
      run->add_option("--out", options.out, "run folder (default: railgauge-run-DATE-TIME)")->check(kGiven);
  auto* go_on =
      run->add_option("--resume", resume, "folder of a run to go on with")->check(kGiven)->excludes(out);
  run->add_flag("--resume-or-new", resume_or_new, "go on with the run in --out if there is one")
      ->needs(out)
      ->excludes(go_on);
  run->add_option("--time-box", time_box, "limit of the whole run: 90s, 15m")->check(kGiven);
  run->add_flag("--strict", options.strict, "exit 1 on warnings too");
  run->add_option("--format", options.formats, "of " + all_format_names())
      ->check(kGiven)
      ->capture_default_str();

  CLI::App* plan = app.add_subcommand("plan", "what would run, and how long; starts nothing");
  add_target(*plan, options);
  plan->add_option("--time-box", time_box, "limit of the whole run: 90s, 15m")->check(kGiven);

  CLI::App* report = app.add_subcommand("report", "render a run again");
  report->add_option("run", report_run, "folder of the run")->required();
  report->add_option("--format", options.formats, "of " + all_format_names())
      ->check(kGiven)
      ->capture_default_str();
  report->add_flag("--strict", options.strict, "exit 1 on warnings too");

  CLI::App* list = app.add_subcommand("list", "cases, with units and needs");
  CLI::App* doctor = app.add_subcommand("doctor", "can this host run the suite, and if not, why");
  app.add_subcommand("lab", "a cluster of namespaces on this machine");

  if (const auto wrong = unknown_command(app, words)) return finish(tl::make_unexpected(*wrong));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (!time_box.empty()) {
    const auto limit = parse_duration(time_box);
    if (!limit) return finish(fail(ErrorKind::input, "--time-box: " + limit.error().message));
    if (*limit < Nanos::s(10))
      return finish(fail(ErrorKind::input, "--time-box: " + time_box + ": 10s at least"));
    options.time_box = *limit;
  }
  if (!resume.empty()) {
    options.out = resume;
    options.out_mode = OutMode::resume;
  } else if (resume_or_new) {
    options.out_mode = OutMode::resume_or_new;
  }
  if (run->parsed()) return finish(run_command(options));
  if (plan->parsed()) return finish(plan_command(options));
  if (report->parsed()) return finish(report_command(report_run, options.formats, options.strict));
  if (list->parsed()) return list_cases();
  if (doctor->parsed()) return doctor_command();
  return 2;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  try {
    const int code = railgauge::run(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    fmt::print(stderr, "railgauge: standard output: cannot be written\n");
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "railgauge: {}\n", e.what());
    return 2;
  }
}
