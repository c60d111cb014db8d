#include "orchestrator/lab/lab_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "orchestrator/lab/lab.h"
#include "orchestrator/lab/lab_init.h"
#include "orchestrator/lab/lab_network.h"
#include "orchestrator/lab/lab_state.h"

namespace railgauge {
namespace {

struct Options {
  int nodes = 4, rails = 4;
  std::string rate, kinds, name = "lab";
  std::vector<std::string> faults;
  bool undo = false;
};

Result<std::vector<LabFault>> faults_of(const std::vector<std::string>& texts) {
  std::vector<LabFault> faults;
  for (const std::string& text : texts) {
    const Result<LabFault> fault = parse_lab_fault(text);
    if (!fault) return tl::make_unexpected(fault.error());
    faults.push_back(*fault);
  }
  return faults;
}

Result<LabSpec> spec_of(const Options& o) {
  const std::string text =
      !o.kinds.empty() ? o.kinds
                       : fmt::format("{}x{}{}{}", o.nodes, o.rails, o.rate.empty() ? "" : "@", o.rate);
  Result<LabSpec> spec = parse_lab_spec(text);
  if (!spec) return spec;
  const Result<std::vector<LabFault>> faults = faults_of(o.faults);
  if (!faults) return tl::make_unexpected(faults.error());
  spec->faults = *faults;
  spec->name = o.name;
  if (const Result<void> ok = check_lab_spec(*spec); !ok) return tl::make_unexpected(ok.error());
  return spec;
}

std::string summary(const LabSpec& spec) {
  std::vector<std::string> parts;
  for (const LabKind& k : spec.kinds) {
    parts.push_back(fmt::format("{} hosts x {} rails at {}", k.count, k.rails,
                                to_text(BitRate::bits_per_second(k.rate_bits_per_second))));
  }
  std::string text = fmt::format("lab {}: {}", spec.name, fmt::join(parts, ", "));
  for (const LabFault& f : spec.faults) text += "\n  fault " + to_text(f);
  return text;
}

// Kills process 1 of the lab; the kernel ends all others and the namespaces with it.
Result<void> end(const LabState& state) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(state.pid), 0));
  if (fd < 0 || !is_alive(state)) {
    if (fd >= 0) ::close(fd);
    return {};
  }
  ::syscall(SYS_pidfd_send_signal, fd, SIGKILL, nullptr, 0);
  pollfd wait{fd, POLLIN, 0};
  const int ended = ::poll(&wait, 1, 10000);
  ::close(fd);
  if (ended == 1) return {};
  return fail(ErrorKind::deadline,
              fmt::format("lab {}: process {} is alive 10 s after SIGKILL", state.spec.name, state.pid));
}

Result<int> up(const Options& o) {
  const Result<LabSpec> spec = spec_of(o);
  if (!spec) return tl::make_unexpected(spec.error());
  const Result<LabStates> states = LabStates::lock();
  if (!states) return tl::make_unexpected(states.error());
  states->remove_dead();
  if (states->find(spec->name)) {
    return fail(ErrorKind::input,
                fmt::format("lab {}: is up already; `railgauge lab down {}` or another --name", spec->name,
                            spec->name));
  }
  const Result<void> built = start_holder(*spec, [&](pid_t holder) {
    return states->write({holder, start_ticks_of(holder).value_or(0), *spec});
  });
  if (!built) {
    states->remove(spec->name);
    return tl::make_unexpected(built.error());
  }
  fmt::print("{}\n", summary(*spec));
  return 0;
}

// "no lab is up", "up are lab, other".
std::string living_names(const LabStates& states) {
  std::vector<std::string> names;
  for (const LabState& s : states.living()) names.push_back(s.spec.name);
  return names.empty() ? "no lab is up" : fmt::format("up: {}", fmt::join(names, ", "));
}

Result<int> down(const Options& o) {
  const Result<LabStates> states = LabStates::lock();
  if (!states) return tl::make_unexpected(states.error());
  const std::optional<LabState> state = states->find(o.name);
  const std::vector<std::string> dead = states->remove_dead();
  if (!state && std::find(dead.begin(), dead.end(), o.name) == dead.end()) {
    return fail(ErrorKind::input, fmt::format("lab {}: is not up ({})", o.name, living_names(*states)));
  }
  if (state) {
    if (const Result<void> ok = end(*state); !ok) return tl::make_unexpected(ok.error());
    states->remove(o.name);
  }
  fmt::print("lab {}: {}\n", o.name, state ? "down" : "had died; cleaned up");
  return 0;
}

Result<int> status() {
  const Result<LabStates> states = LabStates::lock();
  if (!states) return tl::make_unexpected(states.error());
  const std::vector<LabState> living = states->living();
  if (living.empty()) fmt::print("no lab is up\n");
  for (const LabState& s : living) fmt::print("{}\n", summary(s.spec));
  return 0;
}

// The spec as it is after the fault, or after taking it away.
Result<LabSpec> changed(LabSpec spec, const LabFault& fault, bool undo) {
  const auto found = std::find(spec.faults.begin(), spec.faults.end(), fault);
  if (undo && found == spec.faults.end()) {
    return fail(ErrorKind::input, fmt::format("fault {}: not planted in lab {}", to_text(fault), spec.name));
  }
  if (undo) {
    spec.faults.erase(found);
  } else {
    spec.faults.push_back(fault);
  }
  if (const Result<void> ok = check_lab_spec(spec); !ok) return tl::make_unexpected(ok.error());
  return spec;
}

// All faults or none: 0, or 2 with the reason said by the process that entered the lab.
Result<int> change(const std::string& name, const LabFault& fault, bool undo) {
  return run_in_named_lab(name, [&](const LabSpec& spec) {
    const Result<void> ok = change_network(spec, fault, undo);
    if (!ok) fmt::print(stderr, "railgauge: fault {}: {}\n", to_text(fault), ok.error().message);
    return ok ? 0 : 2;
  });
}

Result<int> fault(const Options& o) {
  const Result<std::vector<LabFault>> faults = faults_of(o.faults);
  if (!faults) return tl::make_unexpected(faults.error());
  const auto state_of = [&](const LabStates& states) -> Result<LabState> {
    std::optional<LabState> state = states.find(o.name);
    if (state) return *state;
    return fail(ErrorKind::input, fmt::format("lab {}: is not up ({})", o.name, living_names(states)));
  };
  {
    // Before the first is planted, all are known to be good.
    const Result<LabStates> states = LabStates::lock();
    if (!states) return tl::make_unexpected(states.error());
    const Result<LabState> state = state_of(*states);
    if (!state) return tl::make_unexpected(state.error());
    Result<LabSpec> spec = state->spec;
    for (const LabFault& f : *faults) {
      spec = changed(*spec, f, o.undo);
      if (!spec) return tl::make_unexpected(spec.error());
    }
  }
  for (const LabFault& f : *faults) {
    if (const Result<int> done = change(o.name, f, o.undo); !done || *done != 0) return done;
    const Result<LabStates> states = LabStates::lock();
    if (!states) return tl::make_unexpected(states.error());
    Result<LabState> state = state_of(*states);
    if (!state) return tl::make_unexpected(state.error());
    const Result<LabSpec> after = changed(state->spec, f, o.undo);
    if (!after) return tl::make_unexpected(after.error());
    state->spec = *after;
    if (const Result<void> ok = states->write(*state); !ok) return tl::make_unexpected(ok.error());
    fmt::print("lab {}: {} {}\n", o.name, o.undo ? "undone" : "planted", to_text(f));
  }
  return 0;
}

}  // namespace

int lab_command(std::vector<std::string> arguments) {
  Options o;
  Result<int> result = 0;
  CLI::App app("a cluster of network namespaces on this machine (root)", "railgauge lab");
  app.require_subcommand(1);
  CLI::App* up_app = app.add_subcommand("up", "build a lab that stays");
  up_app->add_option("--nodes", o.nodes, "hosts h1, h2, ...")->capture_default_str();
  up_app->add_option("--rails", o.rails, "rails of each host")->capture_default_str();
  up_app->add_option("--rate", o.rate, "of each rail, default 200mbit");
  up_app->add_option("--kinds", o.kinds, "instead: 2x4@200mbit,2x2@100mbit");
  up_app->add_option("--fault", o.faults, "planted from the start, may be repeated");
  CLI::App* fault_app = app.add_subcommand("fault", "plant a fault, or take it away");
  fault_app
      ->add_option("faults", o.faults,
                   "one of\n"
                   "slow:h3:rail2:0.5:send\n"
                   "down:h2:rail1\n"
                   "swap:h2:rail2:rail3\n"
                   "missing:h4:rail0\n"
                   "cpu-hog:h1:2")
      ->required();
  fault_app->add_flag("--undo", o.undo, "take it away");
  for (CLI::App* a : {up_app, fault_app})
    a->add_option("--name", o.name, "of the lab")->capture_default_str();
  CLI::App* status_app = app.add_subcommand("status", "which labs are up, and their faults");
  CLI::App* down_app = app.add_subcommand("down", "end a lab; clean up after one that died");
  down_app->add_option("name", o.name, "of the lab")->capture_default_str();
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (up_app->parsed()) result = up(o);
  if (fault_app->parsed()) result = fault(o);
  if (status_app->parsed()) result = status();
  if (down_app->parsed()) result = down(o);
  if (result) return *result;
  fmt::print(stderr, "railgauge: {}\n", result.error().message);
  return 2;
}

}  // namespace railgauge
