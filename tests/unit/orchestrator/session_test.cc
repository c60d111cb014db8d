// A session against real sockets on loopback: scripted leaders on one side, a fake of mpirun on the other.
#include "orchestrator/session.h"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <thread>

#include "proto/json.h"
#include "tests/unit/orchestrator/scripted_session.h"

namespace railgauge {
namespace {

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

class SessionHang : public SessionTest, public testing::WithParamInterface<bool> {};

TEST_P(SessionHang, a_rank_that_hangs_or_is_stopped_is_named_once_and_counts_as_dead) {
  const bool stopped = GetParam();
  with_leaders(
      [stopped](Leader& a, Leader& b) {
        a.hear();
        for (int i = 0; i < 3; ++i) b.beat(true, 4, stopped ? "T" : "R", !stopped);
        b.done(1, true);
        a.done(1, true);
      },
      [this] {
        EXPECT_EQ(session().run_batch(rounds(6), Nanos::s(20)).dead, (std::vector<std::int32_t>{1}));
      });
  ASSERT_EQ(sink_.events.size(), 1U);
  EXPECT_EQ(sink_.events[0].kind, "rank_hung");
  EXPECT_EQ(sink_.events[0].text, stopped ? "h2 rail 0: its rank is stopped in round 4 (state T)"
                                          : "h2 rail 0: its rank does not answer in round 4 (state R)");
}
INSTANTIATE_TEST_SUITE_P(Stopped, SessionHang, testing::Bool());

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
