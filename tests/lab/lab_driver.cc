// What the lab's script tests start: lab, lab-exec, and `run SPEC|NAME [FAULT...] -- ports|mpi
// PROGRAM|PROGRAM...` inside a lab.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "orchestrator/lab/lab.h"
#include "orchestrator/lab/lab_command.h"
#include "orchestrator/lab/lab_exec.h"
#include "orchestrator/launch/launchers.h"
#include "orchestrator/launch/process.h"
#include "orchestrator/launch/program_path.h"

using namespace railgauge;

namespace {

int show(const Result<Finished>& done) {
  if (!done) {
    fmt::print(stderr, "lab_driver: {}\n", done.error().message);
    return 2;
  }
  fmt::print("{}", done->output);
  fmt::print(stderr, "{}", done->error_output);
  return done->exit.code;
}

int inside(const LabSpec& spec, const std::vector<std::string>& words) {
  if (words[0] == "ports") {
    const Result<std::vector<SwitchPort>> ports = lab_switch_ports();
    if (!ports) {
      fmt::print(stderr, "lab_driver: {}\n", ports.error().message);
      return 2;
    }
    for (const SwitchPort& p : *ports) fmt::print("{} {}\n", p.leaf, p.mac);
    return 0;
  }
  if (words[0] != "mpi") {
    Command c;
    c.argv = words;
    return show(run_process(c, Nanos::s(60)));
  }
  LauncherOptions options;
  const Result<std::unique_ptr<Launcher>> launcher = make_launcher("lab", options);
  if (!launcher) return 2;
  std::vector<NodeRanks> nodes;
  for (const LabHost& h : hosts_of(spec)) nodes.push_back({h.name, h.rails});
  return show(run_process(
      (*launcher)->mpi(nodes, {words.begin() + 1, words.end()}, {{"RAILGAUGE_TEST", "seen"}}), Nanos::s(60)));
}

}  // namespace

int main(int argc, char** argv) {
  program_path();  // before any namespace is entered
  const std::vector<std::string> all(argv + 1, argv + argc);
  const auto dashes = std::find(all.begin(), all.end(), "--");
  if (!all.empty() && all[0] == "lab") return lab_command({all.begin() + 1, all.end()});
  if (!all.empty() && all[0] == "lab-exec") return lab_exec({all.begin() + 1, all.end()});
  if (all.size() < 4 || all[0] != "run" || all.end() - dashes < 2) return 2;
  const std::vector<std::string> words(dashes + 1, all.end());
  const LabMain main = [&](const LabSpec& spec) { return inside(spec, words); };
  Result<int> status = fail(ErrorKind::input, "");
  if (is_lab_name(all[1])) {
    status = run_in_named_lab(all[1], main);
  } else {
    Result<LabSpec> spec = parse_lab_spec(all[1]);
    for (auto i = all.begin() + 2; spec && i != dashes; ++i) {
      const Result<LabFault> fault = parse_lab_fault(*i);
      if (!fault) spec = tl::make_unexpected(fault.error());
      if (fault) spec->faults.push_back(*fault);
    }
    status = spec ? run_in_lab(*spec, main) : Result<int>(tl::make_unexpected(spec.error()));
  }
  if (status) return *status;
  fmt::print(stderr, "lab_driver: {}\n", status.error().message);
  return 2;
}
