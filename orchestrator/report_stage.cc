#include "orchestrator/report_stage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "fabric/report/render.h"
#include "orchestrator/run.h"
#include "orchestrator/run_directory.h"
#include "proto/sample_file.h"

namespace railgauge {
namespace {

bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || no_colour[0] == '\0');
}

Result<int> render(const std::filesystem::path& dir, const Report& report, const std::string& formats,
                   bool strict) {
  const auto chosen = parse_formats(formats);
  if (!chosen) return tl::make_unexpected(chosen.error());
  if (auto ok = write_reports(report, dir, *chosen); !ok) return tl::make_unexpected(ok.error());
  RenderOptions options;
  options.colour = colour_wanted();
  for (const Format& f : *chosen) {
    if (f.name == "html") options.page_path = (dir / f.file).string();
  }
  fmt::print("{}", render_terminal(report, options));
  std::fflush(stdout);
  return exit_code_of(report.analysis.verdict, strict);
}

}  // namespace

int exit_code_of(Verdict verdict, bool strict) {
  switch (verdict) {
    case Verdict::pass:
    case Verdict::waived:
      return 0;
    case Verdict::warn:
      return strict ? 1 : 0;
    case Verdict::fail:
      return 1;
    case Verdict::inconclusive:
      return 3;
  }
  return 3;
}

std::vector<std::string> method_of(const Schedule& schedule, const SampleSet& samples) {
  std::map<std::string, std::set<std::string>> facts;
  for (const Event& e : samples.events) {
    if (e.kind != "engine_fact") continue;
    const std::size_t equals = e.text.find('=');
    // Its own on each endpoint: the tables have the devices, the clocks are a matter of nanoseconds.
    if (equals == std::string::npos || e.text.starts_with("clock_") || e.text.starts_with("device")) continue;
    facts[e.text.substr(0, equals)].insert(e.text.substr(equals + 1));
  }
  std::vector<std::string> method;
  std::string engine;
  for (const auto& [name, values] : facts) {
    std::string text;
    for (const std::string& v : values) text += (text.empty() ? "" : " or ") + v;
    engine += fmt::format("{}{} {}", engine.empty() ? "" : ", ", name, values.size() > 3 ? "differs" : text);
  }
  if (!engine.empty()) method.push_back("engine: " + engine);
  std::map<std::string, std::int32_t> repeats;
  for (const Round& r : schedule.rounds) {
    if (r.purpose == RoundPurpose::screen) repeats[r.case_id] = std::max(repeats[r.case_id], r.repeat + 1);
  }
  for (const auto& [name, n] : repeats) {
    method.push_back(fmt::format("{}: {} {} of each round", name, n, n == 1 ? "repeat" : "repeats"));
  }
  return method;
}

Result<Schedule> read_schedule(const std::filesystem::path& path, const std::string& run_id) {
  auto schedule = read_record<Schedule>(path);
  if (!schedule) return schedule;
  if (schedule->run_id != run_id) {
    return fail(ErrorKind::input, fmt::format("{}: run_id: is of run '{}' and not of '{}'", path.string(),
                                              schedule->run_id, run_id));
  }
  if (auto ok = check_schedule(*schedule); !ok)
    return fail(ErrorKind::input, path.string() + ": " + ok.error().message);
  return schedule;
}

// inventory.json that has every node of the schedule. Errors (input): "FILE: KEY: reason".
Result<Inventory> read_inventory(const std::filesystem::path& path, const Schedule& schedule) {
  auto inventory = read_record<Inventory>(path);
  if (!inventory) return inventory;
  std::set<std::string> nodes;
  for (const NodeEntry& n : inventory->nodes) nodes.insert(n.id);
  for (const Endpoint& e : schedule.endpoints) {
    if (nodes.contains(e.node)) continue;
    return fail(
        ErrorKind::input,
        fmt::format("{}: nodes: '{}' of schedule.json is not there: of another run?", path.string(), e.node));
  }
  return inventory;
}

Result<int> judge_and_report(const std::filesystem::path& dir, const RunRecord& record,
                             const Evidence& evidence, const Gates& gates, const std::string& formats,
                             bool strict) {
  const Analysis analysis = diagnose(evidence, gates);
  if (auto ok = write_record(dir / "analysis.json", analysis); !ok) return tl::make_unexpected(ok.error());
  if (auto ok = write_record(dir / "run.json", record); !ok) return tl::make_unexpected(ok.error());
  return render(dir, {record.meta, evidence.inventory, evidence.schedule, analysis}, formats, strict);
}

// From the samples, not from the old analysis: a newer railgauge judges an old run by its own rules.
Result<int> report_command(const std::string& run_directory, const std::string& formats, bool strict) {
  const std::filesystem::path dir = run_directory;
  std::error_code ec;
  if (!std::filesystem::is_directory(dir, ec)) {
    return fail(ErrorKind::input, fmt::format("{}: no run directory", run_directory));
  }
  const auto chosen = parse_formats(formats);
  if (!chosen) return tl::make_unexpected(chosen.error());
  const auto plan = read_record<Plan>(dir / "plan.json");
  if (!plan) return tl::make_unexpected(plan.error());
  const auto record = read_record<RunRecord>(dir / "run.json");
  if (!record) return tl::make_unexpected(record.error());
  const auto schedule = read_schedule(dir / "schedule.json", record->meta.run_id);
  if (!schedule) return tl::make_unexpected(schedule.error());
  const auto inventory = read_inventory(dir / "inventory.json", *schedule);
  if (!inventory) return tl::make_unexpected(inventory.error());
  const auto file = read_sample_file(dir / "samples.rg");
  if (!file) return tl::make_unexpected(file.error());
  const std::string name = (dir / "samples.rg").string();
  if (file->run_id != record->meta.run_id) {
    return fail(ErrorKind::input,
                fmt::format("{}: is of run '{}', run.json is of run '{}': nothing was written", name,
                            file->run_id, record->meta.run_id));
  }
  if (!file->damaged.empty() && file->samples.flows.empty()) {
    return fail(ErrorKind::input,
                fmt::format("{}: damaged at byte {}: {}; no sample can be read: nothing was written", name,
                            file->damaged[0].offset, file->damaged[0].reason));
  }
  SampleSet samples = file->samples;
  keep_later_rows(samples);
  for (const DamagedFrame& d : file->damaged) {
    Event damage;
    damage.kind = "record_damaged";
    damage.text = fmt::format("samples.rg is damaged at byte {}: {}; skipped", d.offset, d.reason);
    fmt::print(stderr, "railgauge: {}: damaged at byte {}: {}; skipped\n", name, d.offset, d.reason);
    samples.events.push_back(std::move(damage));
  }
  return judge_and_report(dir, *record, {*inventory, record->site, *schedule, samples, record->meta.stopped},
                          plan->gates, formats, strict);
}

}  // namespace railgauge
