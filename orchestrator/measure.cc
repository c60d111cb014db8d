#include "orchestrator/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "orchestrator/run_directory.h"
#include "orchestrator/sweep.h"
#include "proto/json.h"
#include "proto/sample_file.h"
#include "proto/version.h"

namespace railgauge {
namespace {

constexpr int kMostDeaths = 2;          // of one endpoint; then it is left out
constexpr int kMostBarrenLaunches = 3;  // in a row that gave no sample
constexpr int kMostArtifacts = 1000;
constexpr std::size_t kMostArtifactBytes = std::size_t{1} << 20U;
constexpr double kSlowShare = 0.90;  // shown while the run goes on; the judgement is made at the end

Nanos monotonic() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return Nanos::ns(std::chrono::duration_cast<std::chrono::nanoseconds>(t).count());
}

// A file name from another machine: no separators, bounded.
std::string safe_name(const std::string& name) {
  std::string out;
  for (const char c : name.substr(0, 64)) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    out += good || (c == '.' && !out.empty()) ? c : '_';
  }
  return out;
}

}  // namespace

Measurement::Measurement(MeasureSetup setup, const Launcher& launcher, Progress& progress,
                         std::function<bool()> stop)
    : setup_(std::move(setup)),
      launcher_(launcher),
      progress_(progress),
      stop_(std::move(stop)),
      living_(setup_.endpoints.size(), true),
      deaths_(setup_.endpoints.size(), 0),
      begin_(monotonic()),
      launch_(setup_.first_launch - 1),
      leftovers_(launch_ > 0) {}

Measurement::~Measurement() { close(false); }

Nanos Measurement::since_start() const { return monotonic() - begin_; }

void Measurement::samples(const std::string&, const std::string& bytes, const SampleSet& samples) {
  setup_.record(bytes);
  for (const FlowSample& f : samples.flows) {
    samples_.flows.push_back(f);
    if (f.side == Side::receive && f.status == FlowStatus::ok) {
      if (const auto at = open_rounds_.find(f.round); at != open_rounds_.end()) {
        payload_ = payload_ + Nanos::ns(at->second);
        open_rounds_.erase(at);
      }
      show_slow(f);
    }
    last_sampled_ = std::max(last_sampled_, f.round);
  }
  samples_.counters.insert(samples_.counters.end(), samples.counters.begin(), samples.counters.end());
  samples_.events.insert(samples_.events.end(), samples.events.begin(), samples.events.end());
}

void Measurement::show_slow(const FlowSample& f) {
  const auto known = [this](std::int32_t e) {
    return e >= 0 && static_cast<std::size_t>(e) < setup_.endpoints.size();
  };
  if (!known(f.source) || !known(f.target) || !rate_rounds_.contains(f.round)) return;
  const Endpoint& a = setup_.endpoints[static_cast<std::size_t>(f.source)];
  const Endpoint& b = setup_.endpoints[static_cast<std::size_t>(f.target)];
  const double expected = std::min(a.expected_bits_per_second, b.expected_bits_per_second);
  if (expected <= 0 || f.goodput_bits_per_second >= kSlowShare * expected) return;
  if (!slow_shown_.insert({f.source, f.target}).second) return;
  setup_.say(progress_.slow_pair(fmt::format("{} - {} rail {}", a.node, b.node, a.rail),
                                 f.goodput_bits_per_second / expected, monotonic()));
}

void Measurement::event(Event event) {
  event.time_ns = since_start().count();
  SampleSet set;
  set.events.push_back(event);
  setup_.record(encode_frames("orchestrator", set));
  if (event.kind == "rank_died" || event.kind == "node_lost" || event.kind == "rank_hung" ||
      event.kind == "engine_failed") {
    setup_.say(progress_.note(event.text, monotonic()));
  }
  samples_.events.push_back(std::move(event));
}

void Measurement::artifact(const std::string& node, const std::string& name, const std::string& content) {
  if (++artifacts_ > kMostArtifacts) return;
  const auto ignored = write_whole(setup_.logs / (safe_name(node) + "-" + safe_name(name)),
                                   content.substr(0, kMostArtifactBytes));
  static_cast<void>(ignored);  // logs explain a run, they are no part of it
}

void Measurement::tick() {
  std::int64_t left = 0;
  for (const auto& [round, duration] : open_rounds_) left += duration;
  const int done = rounds_all_ - static_cast<int>(open_rounds_.size());
  setup_.say(progress_.update(done, Nanos::ns(left), monotonic()));
}

void Measurement::leave_out(std::int32_t endpoint) { living_[static_cast<std::size_t>(endpoint)] = false; }

void Measurement::sweep_leftovers() {
  if (!std::exchange(leftovers_, false)) return;
  std::set<std::string> nodes;
  for (const Endpoint& e : setup_.endpoints) nodes.insert(e.node);
  for (const std::string& text :
       sweep_nodes({nodes.begin(), nodes.end()}, launcher_, setup_.rank_path, setup_.run_id, Nanos::s(5))) {
    Event e;
    e.kind = "swept";
    e.text = text;
    event(std::move(e));
    setup_.say(progress_.note(text, monotonic()));
  }
}

Result<void> Measurement::open_once(Assembly& assembly) {
  sweep_leftovers();
  SessionSetup s;
  s.spec.run_id = setup_.run_id;
  s.spec.launch = ++launch_;
  s.spec.engine = "ucx";
  s.spec.setup_deadline_ns = Nanos::s(20).count();
  s.spec.environment_names = {"UCX_", "NCCL_", "OMPI_MCA_pml", "OMPI_MCA_btl"};
  std::vector<NodeRanks> nodes;
  ControlOptions control = setup_.control;
  control.token = setup_.token;
  control.build_id = build_id();
  control.nodes.clear();
  Schedule shape;
  shape.endpoints = setup_.endpoints;
  for (std::size_t i = 0; i < living_.size(); ++i) {
    if (!living_[i]) continue;
    s.spec.living.push_back(static_cast<std::int32_t>(i));
    const std::string& node = setup_.endpoints[i].node;
    if (nodes.empty() || nodes.back().node != node) {
      nodes.push_back({node, 0});
      control.nodes.push_back(node);
    }
    ++nodes.back().ranks;
  }
  if (nodes.size() < 2)
    return fail(ErrorKind::environment, "fewer than two nodes are left to measure between");
  s.spec.schedule_json = to_json(shape, 0);
  s.endpoints = setup_.endpoints;
  s.build_id = build_id();
  auto server = ControlServer::listen(control);
  if (!server) return tl::make_unexpected(server.error());
  server_ = std::move(*server);
  const std::vector<std::pair<std::string, std::string>> environment = {
      {kControlVariable, fmt::format("{}:{}", control.bind_address, server_->port())},
      {kTokenVariable, setup_.token},
      {kLaunchVariable, std::to_string(launch_)},
      {kRunIdVariable, setup_.run_id},
      // The dying flow of a killed peer must not abort the others inside UCX's own signal handler.
      {"UCX_HANDLE_ERRORS", "none"}};
  auto process = LaunchProcess::start(launcher_.mpi(nodes, {setup_.rank_path}, environment),
                                      setup_.logs / fmt::format("launch-{}.err", launch_));
  if (!process) return tl::make_unexpected(process.error());
  process_ = std::move(*process);
  session_ = std::make_unique<Session>(*server_, *process_, std::move(s), *this, stop_);
  assembly = session_->assemble();
  if (assembly.ok()) return {};
  return tl::make_unexpected(*assembly.error);
}

// A world that cannot come together because of a node or an engine is tried again without them, a few times.
Result<void> Measurement::open() {
  Result<void> result;
  for (int attempt = 0; attempt < kMostBarrenLaunches; ++attempt) {
    Assembly assembly;
    result = open_once(assembly);
    if (result) return result;
    close(false);
    if (assembly.nodes_missing.empty() && assembly.endpoints_unable.empty()) return result;
    for (const std::int32_t e : assembly.endpoints_unable) leave_out(e);
    for (const std::string& node : assembly.nodes_missing) {
      Event e;
      e.kind = "node_lost";
      e.node = node;
      e.text = fmt::format("{}: left out: {}", node, result.error().message);
      event(e);
      for (std::size_t i = 0; i < living_.size(); ++i) {
        if (setup_.endpoints[i].node == node) leave_out(static_cast<std::int32_t>(i));
      }
    }
  }
  return result;
}

void Measurement::close(bool patient) {
  if (session_) session_->end(patient);
  leftovers_ = leftovers_ || (session_ && !patient);
  session_.reset();
  process_.reset();
  server_.reset();
}

void Measurement::finish() {
  close(true);
  sweep_leftovers();
}

Result<void> Measurement::run(const std::string& stage, std::vector<Round> rounds) {
  rounds_all_ = static_cast<int>(rounds.size());
  open_rounds_.clear();
  for (const Round& r : rounds) {
    open_rounds_[r.id] = r.duration_ns;
    if (r.operation == Operation::write_stream || r.operation == Operation::send_stream)
      rate_rounds_.insert(r.id);
  }
  setup_.say(progress_.begin_stage(stage, rounds_all_, monotonic()));
  int barren = 0;
  while (!rounds.empty() && !stop_()) {
    if (!session_) {
      if (auto ok = open(); !ok) {
        if (stop_()) return {};
        return ok;
      }
    }
    Nanos deadline = Nanos::s(10);
    for (const Round& r : rounds) deadline = deadline + Nanos::ns(r.duration_ns) * 2;
    last_sampled_ = -1;
    const BatchOutcome outcome = session_->run_batch(rounds, deadline);
    if (outcome.usable) break;
    close(false);
    for (const std::int32_t e : outcome.dead) {
      if (++deaths_[static_cast<std::size_t>(e)] >= kMostDeaths) leave_out(e);
    }
    barren = last_sampled_ < 0 ? barren + 1 : 0;
    if (barren >= kMostBarrenLaunches) {
      return fail(ErrorKind::peer,
                  fmt::format("{} launches in a row broke before a round was measured: see {}", barren,
                              setup_.logs.string()));
    }
    // The round it broke in is not repeated: what the survivors measured of it is kept.
    std::erase_if(rounds, [this](const Round& r) { return r.id <= last_sampled_; });
  }
  return {};
}

std::set<std::int32_t> complete_rounds(const Schedule& schedule, const SampleSet& samples) {
  std::map<std::int32_t, std::set<std::pair<std::int32_t, std::int32_t>>> received;
  for (const FlowSample& f : samples.flows) {
    if (f.side == Side::receive && f.status == FlowStatus::ok) received[f.round].insert({f.source, f.target});
  }
  const Groups groups = groups_of(schedule.endpoints);
  std::set<std::int32_t> complete;
  for (const Round& r : schedule.rounds) {
    const auto at = received.find(r.id);
    if (at == received.end()) continue;
    const auto flows = expand(r.rule, groups);
    const bool all = std::all_of(flows.begin(), flows.end(), [&at](const Flow& f) {
      return at->second.contains({f.source.value, f.target.value});
    });
    if (all) complete.insert(r.id);
  }
  return complete;
}

}  // namespace railgauge
