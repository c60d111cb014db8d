#include "orchestrator/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "proto/control.pb.h"
#include "proto/json.h"
#include "proto/sample_file.h"

namespace railgauge {
namespace {

constexpr Nanos kLook = Nanos::ms(100);
constexpr Nanos kAfterDeath = Nanos::s(4);  // for the survivors to finish their round and send its samples
constexpr Nanos kAfterLaunch = Nanos::ms(700);  // mpirun is gone: what its ranks sent is still in the sockets

}  // namespace

Session::Session(ControlServer& server, StartedLaunch& launch, SessionSetup setup, SessionSink& sink,
                 std::function<bool()> stop)
    : server_(server), launch_(launch), setup_(std::move(setup)), sink_(sink), stop_(std::move(stop)) {
  for (const std::int32_t e : setup_.spec.living) nodes_[setup_.endpoints[static_cast<std::size_t>(e)].node];
}

Nanos Session::now() const {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return Nanos::ns(std::chrono::duration_cast<std::chrono::nanoseconds>(t).count());
}

const Endpoint* Session::known(std::int32_t endpoint) const {
  const auto i = static_cast<std::size_t>(endpoint);
  return endpoint >= 0 && i < setup_.endpoints.size() ? &setup_.endpoints[i] : nullptr;
}

void Session::note(const std::string& kind, const std::string& node, std::int32_t endpoint,
                   std::int32_t round, const std::string& text) {
  Event e;
  e.kind = kind;
  e.node = node;
  e.endpoint = endpoint;
  e.round = round;
  e.text = text;
  sink_.event(std::move(e));
}

Error Session::nobody(Nanos waited) const {
  const std::string words = launch_.last_words();
  return Error{
      ErrorKind::environment,
      fmt::format(
          "no node connected to {} in {}: check that this address can be reached from the nodes "
          "(firewall, control: interface and ports in the site file), that railgauge-rank is installed "
          "there, and logs/launch-{}.err{}{}",
          server_.address(), to_text(waited), setup_.spec.launch,
          words.empty() ? "" : "; last line: ", words)};
}

void Session::take_connected(const ControlMessage& m) {
  const auto at = nodes_.find(m.node);
  if (at == nodes_.end() || m.role != NodeRole::leader || m.launch != setup_.spec.launch) {
    server_.refuse(m.connection, "not a leader of this launch");
    note("refused", m.node, -1, -1,
         fmt::format("{}: not a leader of launch {}", m.address, setup_.spec.launch));
    return;
  }
  if (at->second.connection >= 0) {
    server_.refuse(m.connection, "this node already has a leader");
    fault_ = Error{
        ErrorKind::peer,
        fmt::format(
            "{}: two leaders connected: several worlds of one rank instead of one world of {} (mpirun and "
            "the MPI library of railgauge-rank do not belong together), or two nodes with one name",
            m.node, setup_.spec.living.size())};
    return;
  }
  at->second.connection = m.connection;
  at->second.heard = now();
  wire::ToNode welcome;
  welcome.mutable_welcome()->set_launch_spec_json(to_json(setup_.spec, 0));
  server_.send(m.connection, welcome);
}

void Session::take_ready(const std::string& node, const wire::ToOrchestrator& message) {
  for (const wire::RankSelf& r : message.ranks_ready().ranks()) {
    RankReport report;
    report.node = node;
    report.rank = r.rank();
    report.world_size = r.world_size();
    report.endpoint = r.endpoint();
    report.environment_hash = r.environment_hash();
    report.environment = r.environment();
    report.build_id = r.build_id();
    report.error = r.error();
    report.engine_facts.assign(r.engine_facts().begin(), r.engine_facts().end());
    ranks_.push_back(std::move(report));
  }
  nodes_[node].ready = true;
}

// mpirun ends every rank after the first death, and the leaders' looks race: which rank died first is what
// the launcher says where it says so, else what came first.
void Session::settle_deaths() {
  if (ends_.empty()) return;
  if (ends_.size() > 1) wait_end(kAfterDeath);
  const Death* first = &ends_.front();
  if (const auto blamed = launch_.blamed_rank()) {
    for (const RankReport& r : ranks_) {
      for (const Death& d : ends_) {
        if (r.rank == *blamed && r.endpoint == d.endpoint) first = &d;
      }
    }
  }
  const Endpoint* e = known(first->endpoint);
  if (e == nullptr) return;
  dead_.insert(first->endpoint);
  note("rank_died", e->node, first->endpoint, first->round,
       fmt::format("{} rail {}: its rank {} in round {}", e->node, e->rail, first->how, first->round));
}

void Session::lose(const std::string& name, const std::string& why) {
  Node& node = nodes_[name];
  if (node.lost || ending_) return;
  node.lost = true;
  broken_ = true;
  // Closed by the end of a launch that another death began: that death is the event, this is its echo.
  const bool echo = !ends_.empty();
  if (!echo) note("node_lost", name, -1, current_round_, fmt::format("{}: {}", name, why));
  if (echo) return;
  for (const std::int32_t e : setup_.spec.living) {
    if (setup_.endpoints[static_cast<std::size_t>(e)].node == name) dead_.insert(e);
  }
}

// A rank that exists and does not run: its leader speaks for it.
void Session::hang(const std::string& node, const wire::RankState& r) {
  const Endpoint* e = known(r.endpoint());
  if (ending_ || e == nullptr || !hung_.insert(r.endpoint()).second) return;
  dead_.insert(r.endpoint());
  const std::string& letter = r.process_state();
  note("rank_hung", node, r.endpoint(), r.round(),
       fmt::format("{} rail {}: its rank {} in round {} (state {})", node, e->rail,
                   letter == "T"   ? "is stopped"
                   : letter == "D" ? "hangs in the kernel"
                                   : "does not answer",
                   r.round(), letter));
}

void Session::take_heartbeat(const std::string& node, const wire::ToOrchestrator& message) {
  for (const wire::RankState& r : message.heartbeat().ranks()) {
    current_round_ = std::max(current_round_, r.round());
    if (r.has_alive() && !r.alive()) {
      if (ending_) continue;
      const auto same = [&r](const Death& d) { return d.endpoint == r.endpoint(); };
      if (std::any_of(ends_.begin(), ends_.end(), same)) continue;
      ends_.push_back(
          {r.endpoint(), r.round(),
           r.has_exit_signal() ? fmt::format("was killed by signal {}", r.exit_signal()) : "ended"});
      broken_ = true;
    } else if (r.process_state() == "T" || r.overdue()) {
      hang(node, r);
    }
  }
}

void Session::take_frame(const std::string& node, const std::string& bytes) {
  const auto samples = parse_frames(bytes);
  if (!samples) {
    note("damaged", node, -1, current_round_,
         fmt::format("{}: a frame of samples is damaged: {}", node, samples.error().message));
    return;
  }
  for (const FlowSample& f : samples->flows) current_round_ = std::max(current_round_, f.round);
  sink_.samples(node, bytes, *samples);
}

void Session::take(const ControlMessage& m) {
  switch (m.kind) {
    case ControlMessage::Kind::refused:
      last_refusal_ = m.text;
      if (m.text.find(" of build ") != std::string::npos) fault_ = Error{ErrorKind::peer, m.text};
      note("refused", "", -1, -1, m.text);
      return;
    case ControlMessage::Kind::connected:
      return take_connected(m);
    case ControlMessage::Kind::closed:
      if (const auto at = nodes_.find(m.node); at != nodes_.end() && at->second.connection == m.connection) {
        at->second.connection = -1;
        // After its answer a leader owes nothing more; the next batch finds it gone.
        if (!at->second.done) lose(m.node, m.text.empty() ? "its leader closed the connection" : m.text);
      }
      return;
    case ControlMessage::Kind::message:
      break;
  }
  const auto at = nodes_.find(m.node);
  if (at == nodes_.end() || at->second.connection != m.connection || !m.message) return;
  at->second.heard = now();
  switch (m.message->kind_case()) {
    case wire::ToOrchestrator::kRanksReady:
      return take_ready(m.node, *m.message);
    case wire::ToOrchestrator::kHeartbeat:
      return take_heartbeat(m.node, *m.message);
    case wire::ToOrchestrator::kSampleFrame:
      return take_frame(m.node, m.message->sample_frame().frame());
    case wire::ToOrchestrator::kArtifact:
      return sink_.artifact(m.node, m.message->artifact().name(), m.message->artifact().content());
    case wire::ToOrchestrator::kBatchDone:
      if (m.message->batch_done().number() != batch_) return;
      at->second.done = true;
      broken_ = broken_ || m.message->batch_done().broken();
      return;
    case wire::ToOrchestrator::kHello:
    case wire::ToOrchestrator::kProbeFacts:
    case wire::ToOrchestrator::KIND_NOT_SET:
      return;
  }
}

Assembly Session::assemble() {
  Assembly result;
  const Nanos begin = now();
  Nanos limit = begin + setup_.connect_deadline;
  std::size_t connected = 0;
  while (true) {
    if (auto m = server_.wait(kLook)) take(*m);
    const auto here = static_cast<std::size_t>(
        std::count_if(nodes_.begin(), nodes_.end(), [](const auto& n) { return n.second.connection >= 0; }));
    const bool ready =
        std::all_of(nodes_.begin(), nodes_.end(), [](const auto& n) { return n.second.ready; });
    if (here > connected) {
      limit = now() + (here == nodes_.size() ? setup_.ready_deadline : setup_.connect_deadline);
      connected = here;
    }
    if (fault_) result.error = *fault_;
    if (result.error || ready) break;
    if (stop_()) {
      result.error = Error{ErrorKind::deadline, "stopped before the first round"};
    } else if (const auto said = launch_.ended()) {
      const std::string words = launch_.last_words();
      result.error = Error{ErrorKind::environment,
                           fmt::format("the launch ended before its first round ({}){}{}{}{}", *said,
                                       words.empty() ? "" : ": ", words,
                                       last_refusal_.empty() ? "" : "; refused ", last_refusal_)};
    } else if (now() > limit) {
      if (connected == 0) {
        result.error = nobody(now() - begin);
        break;
      }
      std::string names;
      for (const auto& [name, node] : nodes_) {
        // Those that connected wait in MPI_Init for those that did not.
        if (node.ready || (here < nodes_.size() && node.connection >= 0)) continue;
        result.nodes_missing.push_back(name);
        names += (names.empty() ? "" : ", ") + name;
      }
      result.error =
          Error{ErrorKind::deadline, fmt::format("{}: not ready in {}", names, to_text(now() - begin))};
    }
    if (result.error) break;
  }
  if (result.error) return result;
  if (auto ok = check_world(ranks_, setup_.spec.living, setup_.endpoints, setup_.build_id); !ok) {
    result.error = ok.error();
    return result;
  }
  for (const RankReport& r : ranks_) {
    const Endpoint& e = setup_.endpoints[static_cast<std::size_t>(r.endpoint)];
    if (!r.error.empty()) {
      result.endpoints_unable.push_back(r.endpoint);
      note("engine_failed", r.node, r.endpoint, -1, fmt::format("{} rail {}: {}", e.node, e.rail, r.error));
      result.error = Error{ErrorKind::environment, fmt::format("{} {}: {}", e.node, e.device, r.error)};
    }
    for (const std::string& fact : r.engine_facts) note("engine_fact", r.node, r.endpoint, -1, fact);
  }
  return result;
}

void Session::tell_all(const wire::ToNode& message) {
  for (const auto& [name, node] : nodes_) {
    if (node.connection >= 0) server_.send(node.connection, message);
  }
}

BatchOutcome Session::run_batch(const std::vector<Round>& rounds, Nanos deadline) {
  BatchOutcome outcome;
  wire::ToNode message;
  message.mutable_batch()->set_number(++batch_);
  message.mutable_batch()->set_rounds_json(to_json(rounds, 0));
  for (auto& [name, node] : nodes_) {
    node.done = false;
    node.heard = now();
    if (node.connection < 0) lose(name, "its leader closed the connection");
  }
  tell_all(message);
  Nanos limit = now() + deadline;
  bool shortened = false, launch_gone = false;
  while (true) {
    sink_.tick();
    // Everything that waits is taken before anyone is judged silent.
    for (auto m = server_.wait(kLook); m; m = server_.wait(Nanos())) take(*m);
    const bool all = std::all_of(nodes_.begin(), nodes_.end(),
                                 [](const auto& n) { return n.second.done || n.second.lost; });
    if (all) break;
    for (const auto& [name, node] : nodes_) {
      if (!node.done && !node.lost && now() - node.heard > setup_.silence) {
        lose(name, fmt::format("nothing heard from it for {}", to_text(setup_.silence)));
      }
    }
    if (broken_ && !shortened) {
      shortened = true;
      limit = std::min(limit, now() + kAfterDeath);
    }
    if (!launch_gone && launch_.ended()) {
      launch_gone = broken_ = true;
      limit = std::min(limit, now() + kAfterLaunch);
    }
    if (stop_() && !outcome.stopped) {
      outcome.stopped = true;
      wire::ToNode stop;
      stop.mutable_stop()->set_reason("asked to stop");
      tell_all(stop);
      const Nanos longest = rounds.empty() ? Nanos() : Nanos::ns(rounds.front().duration_ns);
      limit = std::min(limit, now() + longest * 2 + Nanos::s(5));
    }
    if (now() > limit) {
      if (!broken_) {
        for (const auto& [name, node] : nodes_) {
          if (!node.done)
            note("rank_hung", name, -1, current_round_,
                 fmt::format("{}: batch not done in its deadline", name));
        }
      }
      broken_ = true;
      break;
    }
  }
  settle_deaths();
  outcome.dead.assign(dead_.begin(), dead_.end());
  outcome.usable = !broken_;
  return outcome;
}

bool Session::wait_end(Nanos limit) {
  const Nanos until = now() + limit;
  while (!launch_.ended()) {
    if (now() > until) return false;
    // Keeps reading: a leader that cannot get rid of its last log would not end.
    if (auto m = server_.wait(Nanos::ms(20)); m && m->kind == ControlMessage::Kind::message) take(*m);
  }
  return true;
}

void Session::end(bool patient) {
  ending_ = broken_ = true;  // what is heard from now on is the end, not a death
  if (patient) {
    wire::ToNode finish;
    finish.mutable_finish();
    tell_all(finish);
    if (wait_end(Nanos::s(5))) return;
  }
  wire::ToNode kill;
  kill.mutable_kill()->set_signal(SIGKILL);
  tell_all(kill);
  if (wait_end(Nanos::ms(500))) return;
  launch_.signal(SIGTERM);
  if (wait_end(Nanos::s(2))) return;
  launch_.signal(SIGKILL);
  if (!wait_end(Nanos::s(2))) {
    note("launch_failed", "", -1, -1,
         fmt::format("launch {} is still there after SIGKILL", setup_.spec.launch));
  }
}

}  // namespace railgauge
