// Both ends of a session as scripts: a fake of mpirun, the sink that records, and a leader of one node.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/session.h"
#include "proto/control.pb.h"
#include "proto/control_client.h"
#include "proto/sample_file.h"

namespace railgauge {

inline constexpr const char* kBuild = "build-1";
inline constexpr const char* kToken = "token-of-32-bytes";

class FakeLaunch : public StartedLaunch {
 public:
  std::optional<std::string> ended() override {
    return over ? std::optional<std::string>("exit code 1") : std::nullopt;
  }
  void signal(int number) override {
    signals.push_back(number);
    if (number == dies_of) over = true;
  }
  std::optional<std::int32_t> blamed_rank() override { return blamed; }
  std::string last_words() override { return words; }

  std::atomic<bool> over = false;
  int dies_of = SIGTERM;
  std::vector<int> signals;
  std::optional<std::int32_t> blamed;
  std::string words;
};

class Recorder : public SessionSink {
 public:
  void samples(const std::string& node, const std::string&, const SampleSet& set) override {
    for (const FlowSample& f : set.flows) flows.emplace_back(node, f.round);
  }
  void event(Event e) override { events.push_back(std::move(e)); }
  void artifact(const std::string&, const std::string&, const std::string&) override {}
  void tick() override {}
  bool has(const std::string& kind, const std::string& node) const {
    for (const Event& e : events) {
      if (e.kind == kind && e.node == node) return true;
    }
    return false;
  }
  std::vector<std::pair<std::string, std::int32_t>> flows;
  std::vector<Event> events;
};

// One node's leader as a script. Everything it does is in the order of the calls.
class Leader {
 public:
  Leader(const std::string& address, std::string node, std::string build = kBuild) : node_(std::move(node)) {
    client_ = std::move(*ControlClient::connect(address, Nanos::s(5)));
    wire::ToOrchestrator m;
    m.mutable_hello()->set_token(kToken);
    m.mutable_hello()->set_build_id(build);
    m.mutable_hello()->set_role(wire::ROLE_LEADER);
    m.mutable_hello()->set_node(node_);
    m.mutable_hello()->set_launch(1);
    static_cast<void>(client_->send(m));
  }
  std::optional<wire::ToNode> hear(Nanos limit = Nanos::s(5)) {
    auto m = client_->receive(limit);
    return m && *m ? std::move(*m) : std::nullopt;
  }
  void ready(int rank, int world, const std::string& environment = "UCX_TLS=tcp",
             const std::string& error = "") {
    wire::ToOrchestrator m;
    wire::RankSelf& r = *m.mutable_ranks_ready()->add_ranks();
    r.set_rank(rank);
    r.set_world_size(world);
    r.set_endpoint(node_ == "h1" ? 0 : 1);
    r.set_build_id(kBuild);
    r.set_environment(environment);
    r.set_environment_hash(std::hash<std::string>()(environment));
    if (!error.empty()) r.set_error(error);
    static_cast<void>(client_->send(m));
  }
  void sample(std::int32_t round) {
    SampleSet set;
    FlowSample f;
    f.round = round;
    f.source = 0;
    f.target = 1;
    set.flows.push_back(f);
    wire::ToOrchestrator m;
    m.mutable_sample_frame()->set_frame(encode_frames(node_, set));
    static_cast<void>(client_->send(m));
  }
  void beat(bool alive, std::int32_t round, const std::string& state = "S", bool overdue = false) {
    wire::ToOrchestrator m;
    wire::RankState& r = *m.mutable_heartbeat()->add_ranks();
    r.set_endpoint(node_ == "h1" ? 0 : 1);
    r.set_round(round);
    r.set_alive(alive);
    r.set_process_state(state);
    r.set_overdue(overdue);
    static_cast<void>(client_->send(m));
  }
  void done(int number, bool broken) {
    wire::ToOrchestrator m;
    m.mutable_batch_done()->set_number(number);
    m.mutable_batch_done()->set_broken(broken);
    static_cast<void>(client_->send(m));
  }
  void hang_up() { client_.reset(); }

 private:
  std::string node_;
  std::unique_ptr<ControlClient> client_;
};

}  // namespace railgauge
