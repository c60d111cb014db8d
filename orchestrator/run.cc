#include "orchestrator/run.h"
#include "orchestrator/launch/program_path.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>

#include "fabric/diagnose/diagnose.h"
#include "fabric/expect/expect.h"
#include "fabric/inventory/build_inventory.h"
#include "fabric/report/progress.h"
#include "fabric/report/render.h"
#include "fabric/report/text.h"
#include "orchestrator/control_address.h"
#include "orchestrator/journal.h"
#include "orchestrator/lab/lab.h"
#include "orchestrator/lab/user_namespace.h"
#include "orchestrator/launch/launchers.h"
#include "orchestrator/measure.h"
#include "orchestrator/plan.h"
#include "orchestrator/probe_stage.h"
#include "orchestrator/report_stage.h"
#include "orchestrator/target.h"
#include "proto/sample_file.h"
#include "proto/version.h"

namespace railgauge {
namespace {

constexpr Nanos kCopyEvery = Nanos::s(5);  // of samples.rg to the run directory: what kill -9 may cost
constexpr Nanos kReportReserve =
    Nanos::s(8);  // of the time box, for the end of the launch, diagnosis and report

std::atomic<bool> signalled{false};
void on_signal(int) { signalled.store(true); }

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one ends at once
  for (const int s : {SIGINT, SIGTERM, SIGUSR1}) sigaction(s, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Nanos monotonic() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return Nanos::ns(std::chrono::duration_cast<std::chrono::nanoseconds>(t).count());
}

std::int64_t unix_seconds() { return static_cast<std::int64_t>(std::time(nullptr)); }

std::string utc_text(std::int64_t seconds, const char* format) {
  const auto t = static_cast<std::time_t>(seconds);
  std::tm utc{};
  gmtime_r(&t, &utc);
  char text[32];
  std::strftime(text, sizeof text, format, &utc);
  return text;
}

// Errors (environment): the kernel has no random bytes.
Result<std::string> random_hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  if (getrandom(raw.data(), raw.size(), 0) != static_cast<ssize_t>(bytes)) {
    return fail(ErrorKind::environment, "getrandom: no random bytes for the token of this run");
  }
  std::string hex;
  for (const char c : raw) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

std::string rank_path_of(const Site& site) {
  if (!site.rank_path.empty()) return site.rank_path;
  return (program_path().parent_path() / "railgauge-rank").string();
}

// Where samples.rg is written first: TMPDIR, else /tmp; in a lab its own /run, which goes with it. Errors
// (environment): no such folder.
Result<std::filesystem::path> scratch_base(const std::string& launcher) {
  const char* set = std::getenv("TMPDIR");
  const bool given = set != nullptr && *set != '\0';
  const std::filesystem::path base = given ? set : launcher == "lab" ? "/run" : "/tmp";
  if (access(base.c_str(), W_OK | X_OK) == 0 && std::filesystem::is_directory(base)) return base;
  return fail(ErrorKind::environment,
              fmt::format("{}{}: no folder that can be written; samples go there first",
                          given ? "TMPDIR=" : "", base.string()));
}

void say(const std::string& text) {
  if (text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// One run, from probe to report; everything that stands still is an argument of the constructor.
class Pipeline {
 public:
  Pipeline(const RunOptions& options, Plan plan, Target target, RunDirectory dir)
      : options_(options),
        plan_(std::move(plan)),
        target_(std::move(target)),
        dir_(std::move(dir)),
        progress_(isatty(STDERR_FILENO) == 1 ? ProgressStyle::rewrite : ProgressStyle::lines),
        begin_(monotonic()),
        started_(unix_seconds()) {}

  Result<int> run();

 private:
  bool stop() const {
    return signalled.load() || (journal_ && journal_->failure()) ||
           monotonic() - begin_ > Nanos::ns(plan_.time_box_ns) - kReportReserve;
  }
  void note(const std::string& text) { say(progress_.note(text, monotonic())); }
  void end_stage(const std::string& name) {
    stages_.push_back({name, (monotonic() - stage_begin_).count()});
    stage_begin_ = monotonic();
  }
  void copy_samples(Nanos deadline) {
    copied_ = monotonic();
    if (const auto ok = journal_->flush_to_out(deadline); !ok && deadline > Nanos()) note(ok.error().message);
  }
  Result<void> prepare();
  Result<Inventory> probe();
  Result<Schedule> schedule(const Inventory& inventory);
  Result<void> measure(const Inventory& inventory, Schedule& schedule);
  std::string stopped_because(const Result<void>& result, std::size_t rounds_left) const;
  RunRecord record(const Schedule& schedule) const;

  const RunOptions& options_;
  Plan plan_;
  Target target_;
  RunDirectory dir_;
  Progress progress_;
  Nanos begin_, stage_begin_, payload_;
  std::int64_t started_;
  std::string token_, run_id_, rank_path_, stopped_;
  ControlOptions control_;
  std::unique_ptr<Launcher> launcher_;
  std::vector<StageTime> stages_;
  SampleSet samples_;  // of earlier starts, then of all
  std::vector<Round> to_run_;
  std::unique_ptr<Journal> journal_;
  Nanos copied_;  // when samples.rg was last copied to the run directory
};

Result<void> Pipeline::prepare() {
  stage_begin_ = monotonic();
  LauncherOptions launcher;
  launcher.extra_arguments = target_.site.mpirun_arguments;
  launcher.interface = target_.launcher == "lab" ? "" : target_.site.control_interface;
  auto made = make_launcher(target_.launcher, launcher);
  if (!made) return tl::make_unexpected(made.error());
  launcher_ = std::move(*made);
  auto token = random_hex(32), tail = random_hex(4);
  if (!token) return tl::make_unexpected(token.error());
  if (!tail) return tl::make_unexpected(tail.error());
  token_ = *token;
  run_id_ = utc_text(started_, "%Y%m%dT%H%M%SZ") + "-" + *tail;
  rank_path_ = rank_path_of(target_.site);
  auto address = control_address(target_.site.control_interface);
  if (!address) return tl::make_unexpected(address.error());
  control_.bind_address = *address;
  control_.port_first = target_.site.control_port_first;
  control_.port_last = target_.site.control_port_last;
  control_.token = token_;
  control_.build_id = build_id();
  if (auto ok = make_run_directory(dir_); !ok) return ok;
  return dir_.begun ? Result<void>{} : write_record(dir_.path / "plan.json", plan_);
}

Result<Inventory> Pipeline::probe() {
  say(progress_.begin_stage("probe", static_cast<int>(target_.hosts.size()), monotonic(), "hosts"));
  ControlOptions control = control_;
  control.nodes = target_.hosts;
  auto server = ControlServer::listen(control);
  if (!server) return tl::make_unexpected(server.error());
  ProbeRequest request;
  request.nodes = target_.hosts;
  request.rank_path = rank_path_;
  request.token = token_;
  request.control_address = fmt::format("{}:{}", control_.bind_address, (*server)->port());
  if (target_.launcher == "lab") request.machine_id_file = lab_machine_id_file;
  auto answers = probe_nodes(
      request, *launcher_, **server, [this] { return stop(); },
      [this](int done, int) { say(progress_.update(done, std::nullopt, monotonic())); });
  if (!answers) return tl::make_unexpected(answers.error());
  for (const std::string& text : answers->notes) note(text);
  for (const Unanswered& u : answers->silent) note(fmt::format("{}: {}, left out", u.node, u.reason));
  std::vector<SwitchPort> ports;
  if (target_.launcher == "lab") {
    auto found = lab_switch_ports();
    if (!found) return tl::make_unexpected(found.error());
    ports = std::move(*found);
  }
  auto inventory =
      build_inventory(target_.hosts, std::move(answers->facts), answers->silent, target_.site, ports);
  if (!inventory) return inventory;
  for (const std::string& text : inventory->warnings) note(text);
  if (!inventory->compute_choice.empty()) note(inventory->compute_choice);
  if (auto ok = write_record(dir_.path / "inventory.json", *inventory); !ok)
    return tl::make_unexpected(ok.error());
  end_stage("probe");
  return inventory;
}

bool same_endpoints(const std::vector<Endpoint>& a, const std::vector<Endpoint>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Endpoint& x, const Endpoint& y) {
    return x.node == y.node && x.device == y.device && x.port == y.port && x.rail == y.rail &&
           x.subnet == y.subnet;
  });
}

Result<Schedule> Pipeline::schedule(const Inventory& inventory) {
  Schedule made = schedule_of(plan_, endpoints_of(inventory, target_.site));
  const auto path = dir_.path / "schedule.json";
  if (!dir_.resumed) {
    made.run_id = run_id_;
    to_run_ = made.rounds;
    if (auto ok = write_record(path, made); !ok) return tl::make_unexpected(ok.error());
    return made;
  }
  auto file = read_sample_file(dir_.path / "samples.rg");
  if (!file) return tl::make_unexpected(file.error());
  auto before = read_schedule(path, file->run_id);
  if (!before) return before;
  if (!same_endpoints(before->endpoints, made.endpoints)) {
    return fail(ErrorKind::input,
                fmt::format("{}: the NICs that can be measured now are others than then: start a new run",
                            path.string()));
  }
  samples_ = std::move(file->samples);
  run_id_ = file->run_id;
  const auto complete = complete_rounds(*before, samples_);
  for (const Round& r : before->rounds) {
    if (r.purpose == RoundPurpose::screen && !complete.contains(r.id)) to_run_.push_back(r);
  }
  note(fmt::format("going on: {} of {} rounds are measured already", complete.size(), before->rounds.size()));
  return before;
}

void append(SampleSet& to, const SampleSet& more) {
  to.flows.insert(to.flows.end(), more.flows.begin(), more.flows.end());
  to.counters.insert(to.counters.end(), more.counters.begin(), more.counters.end());
  to.events.insert(to.events.end(), more.events.begin(), more.events.end());
  keep_later_rows(to);
}

// Why the measurement ended before its plan did; "" = it did not.
std::string Pipeline::stopped_because(const Result<void>& result, std::size_t rounds_left) const {
  if (const auto full = journal_->failure()) return full->message;
  if (!result) return result.error().message;
  if (signalled.load()) return "by a signal";
  if (rounds_left == 0 || !stop()) return "";
  return fmt::format("at the limit of {}", to_text(Nanos::ns(plan_.time_box_ns)));
}

Result<void> Pipeline::measure(const Inventory& inventory, Schedule& schedule) {
  JournalOptions journal;
  const auto scratch = scratch_base(target_.launcher);
  if (!scratch) return tl::make_unexpected(scratch.error());
  journal.scratch_dir = *scratch / fmt::format("railgauge-{}", outside_id());
  journal.out_dir = dir_.path;
  journal.run_id = run_id_;
  journal.resume = dir_.resumed;
  auto opened = Journal::open(journal);
  if (!opened) return tl::make_unexpected(opened.error());
  journal_ = std::move(*opened);
  copy_samples(Nanos::s(5));  // from here on the folder is a run that can go on
  MeasureSetup setup;
  setup.endpoints = schedule.endpoints;
  setup.run_id = run_id_;
  setup.token = token_;
  setup.rank_path = rank_path_;
  setup.control = control_;
  setup.logs = dir_.path / "logs";
  setup.record = [this](std::string_view frames) {
    journal_->append(std::string(frames));
    if (monotonic() - copied_ > kCopyEvery) copy_samples(Nanos());  // begins a copy, does not wait for it
  };
  // Shared memory on the nodes is named after run and launch; an earlier start may have left some.
  if (dir_.resumed) setup.first_launch = static_cast<int>(started_ % 1'000'000'000);
  setup.say = say;
  Measurement measurement(std::move(setup), *launcher_, progress_, [this] { return stop(); });
  Result<void> result = measurement.run("screening", to_run_);
  end_stage("screening");
  copy_samples(Nanos::s(5));
  if (result && !stop()) {
    SampleSet all = samples_;
    append(all, measurement.measured());
    std::int32_t next = 0;
    for (const Round& r : schedule.rounds) next = std::max(next, r.id + 1);
    const Nanos box =
        schedule.rounds.empty() ? Nanos::ms(800) : Nanos::ns(schedule.rounds.front().duration_ns);
    const std::vector<Round> more =
        confirmation({inventory, target_.site, schedule, all}, plan_.gates, measurement.living(), box, next);
    if (!more.empty()) {
      schedule.rounds.insert(schedule.rounds.end(), more.begin(), more.end());
      if (auto ok = write_record(dir_.path / "schedule.json", schedule); !ok) return ok;
      result = measurement.run("confirmation", more);
      end_stage("confirmation");
    }
  }
  measurement.finish();
  copy_samples(Nanos::s(10));
  append(samples_, measurement.measured());
  payload_ = measurement.payload_time();
  if (!result && measurement.measured().flows.empty()) return result;
  stopped_ = stopped_because(result, measurement.rounds_left());
  if (!stopped_.empty()) note(fmt::format("stopped: {}: what was measured is judged", stopped_));
  return {};
}

RunRecord Pipeline::record(const Schedule& schedule) const {
  RunRecord r;
  r.site = target_.site;
  r.meta.run_id = run_id_;
  r.meta.plan = plan_.name;
  r.meta.cluster = target_.site.name;
  r.meta.hosts = target_.hosts;
  r.meta.started_utc = utc_text(started_, "%Y-%m-%dT%H:%M:%SZ");
  r.meta.wall_ns = (monotonic() - begin_).count();
  r.meta.payload_ns = payload_.count();
  r.meta.command = options_.command_line;
  r.meta.version = version();
  r.meta.build_id = build_id();
  r.meta.launcher = target_.launcher;
  r.meta.stopped = stopped_;
  r.meta.stages = stages_;
  r.meta.method = method_of(schedule, samples_);
  return r;
}

Result<int> Pipeline::run() {
  watch_signals();
  if (auto ok = prepare(); !ok) return tl::make_unexpected(ok.error());
  auto inventory = probe();
  if (!inventory) return tl::make_unexpected(inventory.error());
  auto schedule = this->schedule(*inventory);
  if (!schedule) return tl::make_unexpected(schedule.error());
  if (auto ok = measure(*inventory, *schedule); !ok) return tl::make_unexpected(ok.error());
  say(progress_.finish());
  end_stage("diagnose");
  return judge_and_report(dir_.path, record(*schedule),
                          {*inventory, target_.site, *schedule, samples_, stopped_}, plan_.gates,
                          options_.formats, options_.strict);
}

Result<Plan> plan_for(const RunOptions& options, const RunDirectory* resumed) {
  Result<Plan> plan = resumed != nullptr && resumed->begun ? read_record<Plan>(resumed->path / "plan.json")
                                                           : find_plan(options.plan_or_default());
  if (plan && options.time_box) plan->time_box_ns = options.time_box->count();
  return plan;
}

}  // namespace

Result<int> run_command(const RunOptions& options) {
  if (const auto formats = parse_formats(options.formats); !formats)
    return tl::make_unexpected(formats.error());
  const auto asked = plan_for(options, nullptr);  // also where it is not used: a bad one is told
  if (!asked) return tl::make_unexpected(asked.error());
  const auto dir = choose_run_directory(options.out.empty() ? default_run_name(unix_seconds()) : options.out,
                                        options.out_mode);
  if (!dir) return tl::make_unexpected(dir.error());
  const auto target = target_of(options);
  if (!target) return tl::make_unexpected(target.error());
  const auto plan = plan_for(options, &*dir);
  if (!plan) return tl::make_unexpected(plan.error());
  if (dir->begun && !options.plan.empty() && plan->name != asked->name) {
    return fail(ErrorKind::input, fmt::format("{}: was begun with plan {}, not {}: leave the plan out",
                                              dir->path.string(), plan->name, asked->name));
  }
  if (const auto scratch = scratch_base(target->launcher); !scratch)
    return tl::make_unexpected(scratch.error());

  // Before a lab is built: a folder that cannot be made starts nothing.
  if (auto made = make_run_directory(*dir); !made) return tl::make_unexpected(made.error());
  const auto pipeline = [&](const Target& aimed) { return Pipeline(options, *plan, aimed, *dir).run(); };
  const LabMain in_lab = [&](const LabSpec& spec) {
    Target aimed = *target;
    enter_lab(aimed, spec);
    const Result<int> code = pipeline(aimed);
    if (code) return *code;
    fmt::print(stderr, "railgauge: {}\n", code.error().message);
    return 2;
  };
  if (target->lab) return run_in_lab(*target->lab, in_lab);
  if (!target->named_lab.empty()) return run_in_named_lab(target->named_lab, in_lab);
  return pipeline(*target);
}

}  // namespace railgauge
