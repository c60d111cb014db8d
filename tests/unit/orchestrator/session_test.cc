// A session against real sockets on loopback: scripted leaders on one side, a fake of mpirun on the other.
#include "orchestrator/session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "proto/control.pb.h"
#include "proto/control_client.h"
#include "proto/json.h"
#include "proto/sample_file.h"

namespace railgauge {
namespace {

constexpr const char* kBuild = "build-1";
constexpr const char* kToken = "token-of-32-bytes";

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
  void beat(bool alive, std::int32_t round) {
    wire::ToOrchestrator m;
    wire::RankState& r = *m.mutable_heartbeat()->add_ranks();
    r.set_endpoint(node_ == "h1" ? 0 : 1);
    r.set_round(round);
    r.set_alive(alive);
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

class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    for (const char* node : {"h1", "h2"}) {
      Endpoint e;
      e.node = node;
      e.device = "rail0";
      e.rail = 0;
      setup_.endpoints.push_back(e);
    }
    setup_.spec.launch = 1;
    setup_.spec.living = {0, 1};
    setup_.build_id = kBuild;
    ControlOptions options;
    options.token = kToken;
    options.build_id = kBuild;
    options.bind_address = "127.0.0.1";
    options.nodes = {"h1", "h2"};
    server_ = std::move(*ControlServer::listen(options));
  }
  Session& session() {
    if (!session_) {
      session_ = std::make_unique<Session>(*server_, launch_, setup_, sink_, [this] { return stop_.load(); });
    }
    return *session_;
  }
  std::string address() const { return server_->address(); }
  // Both leaders answer as they should; then `act` plays the batch.
  void with_leaders(const std::function<void(Leader&, Leader&)>& act, const std::function<void()>& ours) {
    std::thread nodes([&] {
      Leader a(address(), "h1"), b(address(), "h2");
      a.hear();
      b.hear();
      a.ready(0, 2);
      b.ready(1, 2);
      act(a, b);
    });
    const Assembly assembly = session().assemble();
    EXPECT_TRUE(assembly.ok()) << assembly.error->message;
    ours();
    nodes.join();
  }
  // What the world is refused with when `act` plays the nodes.
  Assembly refused(const std::function<void(Leader&, Leader&)>& act, const std::string& build = kBuild) {
    std::thread nodes([&] {
      Leader a(address(), "h1"), b(address(), "h2", build);
      a.hear();
      b.hear();
      act(a, b);
      a.hear(Nanos::ms(500));  // holds the connections until it is judged
    });
    const Assembly assembly = session().assemble();
    nodes.join();
    EXPECT_FALSE(assembly.ok());
    return assembly;
  }
  static std::vector<Round> rounds(int count) {
    std::vector<Round> out(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) out[static_cast<std::size_t>(i)].id = i;
    return out;
  }

  SessionSetup setup_;
  FakeLaunch launch_;
  Recorder sink_;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<ControlServer> server_;
  std::unique_ptr<Session> session_;
};

TEST_F(SessionTest, a_whole_batch_is_handed_out_and_its_samples_come_back) {
  with_leaders(
      [](Leader& a, Leader& b) {
        const auto batch = a.hear();
        ASSERT_TRUE(batch && batch->has_batch());
        const auto rounds = from_json<std::vector<Round>>(batch->batch().rounds_json());
        ASSERT_TRUE(rounds);
        EXPECT_EQ(rounds->size(), 3U);
        for (int r = 0; r < 3; ++r) b.sample(r);
        a.done(1, false);
        b.done(1, false);
        EXPECT_TRUE(a.hear().value_or(wire::ToNode()).has_finish());
      },
      [this] {
        const BatchOutcome outcome = session().run_batch(rounds(3), Nanos::s(20));
        EXPECT_TRUE(outcome.usable);
        EXPECT_TRUE(outcome.dead.empty());
        launch_.over = true;
        session().end(true);
      });
  EXPECT_EQ(sink_.flows.size(), 3U);
  EXPECT_TRUE(launch_.signals.empty());
}

TEST_F(SessionTest, a_dead_rank_is_named_and_the_others_samples_of_its_round_are_kept) {
  launch_.blamed = 1;
  with_leaders(
      [](Leader& a, Leader& b) {
        a.hear();
        // mpirun ended the other rank too, and its leader speaks first.
        a.beat(false, 4);
        b.beat(false, 4);
        a.sample(4);
        a.done(1, true);
        b.done(1, true);
      },
      [this] {
        launch_.over = true;
        const BatchOutcome outcome = session().run_batch(rounds(6), Nanos::s(20));
        EXPECT_FALSE(outcome.usable);
        EXPECT_EQ(outcome.dead, (std::vector<std::int32_t>{1}));
      });
  EXPECT_TRUE(sink_.has("rank_died", "h2"));
  EXPECT_FALSE(sink_.has("rank_died", "h1"));
  ASSERT_EQ(sink_.flows.size(), 1U);
  EXPECT_EQ(sink_.flows[0].second, 4);
}

TEST_F(SessionTest, a_leader_that_hangs_up_in_a_batch_is_a_lost_node_and_no_hang) {
  with_leaders(
      [](Leader& a, Leader& b) {
        a.hear();
        b.hang_up();
        a.done(1, true);
      },
      [this] {
        const BatchOutcome outcome = session().run_batch(rounds(2), Nanos::s(20));
        EXPECT_FALSE(outcome.usable);
        EXPECT_EQ(outcome.dead, (std::vector<std::int32_t>{1}));
      });
  EXPECT_TRUE(sink_.has("node_lost", "h2"));
}

TEST_F(SessionTest, a_silent_leader_is_a_lost_node) {
  setup_.silence = Nanos::ms(300);
  with_leaders(
      [](Leader& a, Leader& b) {
        a.hear();
        a.done(1, false);
        b.hear();
        b.hear(Nanos::s(2));  // says nothing until it is told to die
      },
      [this] {
        EXPECT_FALSE(session().run_batch(rounds(2), Nanos::s(20)).usable);
        session().end(false);
      });
  EXPECT_TRUE(sink_.has("node_lost", "h2"));
  EXPECT_FALSE(sink_.has("node_lost", "h1"));
}

TEST_F(SessionTest, stop_is_passed_on_once_and_ends_the_batch_without_breaking_it) {
  with_leaders(
      [](Leader& a, Leader& b) {
        a.hear();
        b.hear();
        EXPECT_TRUE(a.hear().value_or(wire::ToNode()).has_stop());
        a.done(1, false);
        b.done(1, false);
      },
      [this] {
        stop_ = true;
        const BatchOutcome outcome = session().run_batch(rounds(100), Nanos::s(60));
        EXPECT_TRUE(outcome.stopped);
        EXPECT_TRUE(outcome.usable);
      });
}

TEST_F(SessionTest, a_batch_that_is_never_done_ends_at_its_deadline) {
  with_leaders(
      [](Leader& a, Leader& b) {
        a.hear();
        b.hear(Nanos::s(1));
        a.hear(Nanos::s(1));
      },
      [this] { EXPECT_FALSE(session().run_batch(rounds(1), Nanos::ms(200)).usable); });
  EXPECT_TRUE(sink_.has("rank_hung", "h1"));
}

TEST_F(SessionTest, another_build_on_one_host_stops_the_step_and_is_named) {
  const Assembly a = refused([](Leader& x, Leader&) { x.ready(0, 2); }, "build-2");
  EXPECT_NE(a.error->message.find("h2 runs railgauge-rank of build build-2"), std::string::npos)
      << a.error->message;
  EXPECT_EQ(a.error->kind, ErrorKind::peer);
}

TEST_F(SessionTest, singletons_stop_the_step_and_are_named) {
  const Assembly a = refused([](Leader& x, Leader& y) {
    x.ready(0, 1);
    y.ready(0, 1);
  });
  EXPECT_NE(a.error->message.find("a world of 1 instead of one world of 2"), std::string::npos)
      << a.error->message;
}

TEST_F(SessionTest, two_leaders_of_one_node_stop_the_step) {
  std::thread nodes([&] {
    Leader a(address(), "h1"), again(address(), "h1");
    a.hear();
    again.hear();
  });
  const Assembly a = session().assemble();
  nodes.join();
  ASSERT_FALSE(a.ok());
  EXPECT_NE(a.error->message.find("h1: two leaders connected"), std::string::npos) << a.error->message;
}

TEST_F(SessionTest, a_changed_environment_on_one_host_stops_the_step_with_the_difference) {
  const Assembly a = refused([](Leader& x, Leader& y) {
    x.ready(0, 2);
    y.ready(1, 2, "UCX_TLS=all");
  });
  EXPECT_NE(a.error->message.find("UCX_TLS=tcp on h1, UCX_TLS=all on h2"), std::string::npos)
      << a.error->message;
}

TEST_F(SessionTest, an_engine_that_does_not_open_names_the_endpoint_to_leave_out) {
  const Assembly a = refused([](Leader& x, Leader& y) {
    x.ready(0, 2);
    y.ready(1, 2, "UCX_TLS=tcp", "rail0 is down");
  });
  EXPECT_EQ(a.endpoints_unable, (std::vector<std::int32_t>{1}));
  EXPECT_TRUE(sink_.has("engine_failed", "h2"));
}

TEST_F(SessionTest, nobody_connects_is_an_error_with_the_address_and_what_to_check) {
  setup_.connect_deadline = Nanos::ms(200);
  launch_.words = "ssh: no route";
  const Assembly a = session().assemble();
  ASSERT_FALSE(a.ok());
  EXPECT_EQ(a.error->kind, ErrorKind::environment);
  for (const std::string& part : {address(), std::string("firewall"), std::string("ssh: no route")}) {
    EXPECT_NE(a.error->message.find(part), std::string::npos) << a.error->message;
  }
  EXPECT_TRUE(a.nodes_missing.empty());
}

TEST_F(SessionTest, a_node_that_does_not_come_is_named_as_missing) {
  setup_.connect_deadline = Nanos::ms(300);
  std::thread nodes([&] {
    Leader a(address(), "h1");
    a.hear();
    a.hear(Nanos::s(2));
  });
  const Assembly a = session().assemble();
  server_.reset();
  nodes.join();
  EXPECT_EQ(a.nodes_missing, (std::vector<std::string>{"h2"}));
}

TEST_F(SessionTest, a_launch_that_ends_before_its_first_round_says_why) {
  launch_.over = true;
  launch_.words = "mpirun: no such host";
  const Assembly a = session().assemble();
  ASSERT_FALSE(a.ok());
  EXPECT_NE(a.error->message.find("mpirun: no such host"), std::string::npos);
}

TEST_F(SessionTest, the_kill_ladder_ends_with_sigkill_for_a_launch_that_ignores_sigterm) {
  launch_.dies_of = SIGKILL;
  session().end(false);
  EXPECT_EQ(launch_.signals, (std::vector<int>{SIGTERM, SIGKILL}));
}

}  // namespace
}  // namespace railgauge
