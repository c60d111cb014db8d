// What must never hang: peers that are absent, silent or killed, devices that are not there.
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/workers/engines/ucx/engine_rig.h"

namespace railgauge {
namespace {

using rig::task;

bool never() { return false; }

TEST(UcxFailure, missing_device_is_an_error_that_names_it) {
  const auto engine = load_engine("ucx", OpenRequest{"rail77", 1, -1}, rig::raw_clock());
  ASSERT_FALSE(engine.has_value());
  EXPECT_NE(engine.error().message.find("rail77"), std::string::npos);
}

TEST(UcxFailure, unknown_peer_fails_at_once_without_connection) {
  const auto engine = rig::open();
  const auto outcome =
      engine->run({task(true, Operation::write_stream, 4096)}, rig::box(Nanos::ms(10)), never)[0];
  EXPECT_FALSE(outcome.ok);
  EXPECT_FALSE(outcome.connected);
  EXPECT_NE(outcome.error.find("h1 lo"), std::string::npos) << outcome.error;
}

TEST(UcxFailure, too_small_a_message_is_refused) {
  const auto engine = rig::open();
  EXPECT_FALSE(engine->run({task(true, Operation::write_stream, 4)}, rig::box(Nanos::ms(10)), never)[0].ok);
}

// The peer exists but never runs its side: both ends must give up at the deadline.
TEST(UcxFailure, silent_peer_fails_by_the_deadline_on_both_sides_and_for_all_operations) {
  const auto silent = rig::open();
  const auto silent_address = *silent->address();
  for (const Operation operation : all_values(Operation{}))
    for (const bool is_source : {true, false}) {
      const auto engine = rig::open();
      ASSERT_TRUE(engine->connect(is_source ? 1 : 0, silent_address).has_value());
      const TimeBox box = rig::box(Nanos::ms(20), Nanos::ms(60));
      const auto outcome = engine->run({task(is_source, operation, 4096)}, box, never)[0];
      EXPECT_LE(rig::raw_clock().now().count(), (box.deadline + Nanos::ms(1000)).count());
      EXPECT_FALSE(outcome.ok);
      EXPECT_FALSE(outcome.connected);
      EXPECT_NE(outcome.error.find("lo: no "), std::string::npos) << outcome.error;
    }
}

class KilledPeer : public testing::TestWithParam<std::tuple<Operation, bool>> {};

// Canary and silent healthy case in one: endpoint 1 runs a flow with a child that is killed and a flow with a
// thread that is not.
TEST_P(KilledPeer, is_a_failed_outcome_and_the_other_flow_is_unharmed) {
  const auto [operation, child_is_source] = GetParam();
  rig::Child child(0, 1);
  const auto middle = rig::open(), other = rig::open();
  ASSERT_TRUE(middle->connect(0, child.address()).has_value());
  ASSERT_TRUE(middle->connect(2, *other->address()).has_value());
  ASSERT_TRUE(other->connect(1, *middle->address()).has_value());
  const TimeBox box = rig::box(Nanos::ms(400), Nanos::ms(1000));
  const FlowTask childs =
      child_is_source ? task(true, operation, 65536, 1, 0, 1) : task(false, operation, 65536, 1, 1, 0);
  const FlowTask ours =
      child_is_source ? task(false, operation, 65536, 1, 0, 1) : task(true, operation, 65536, 1, 1, 0);
  child.start(*middle->address(), childs, box);
  FlowOutcome far;
  std::thread thread([&] { far = other->run({task(false, operation, 4096, 1, 1, 2)}, box, never)[0]; });
  bool killed = false;
  const auto kill_in_the_middle = [&] {
    if (!killed && rig::raw_clock().now() > box.start + Nanos::ms(150)) {
      child.kill();
      killed = true;
    }
    return false;
  };
  const auto outcomes = middle->run({ours, task(true, operation, 4096, 1, 1, 2)}, box, kill_in_the_middle);
  thread.join();
  EXPECT_TRUE(killed);
  EXPECT_FALSE(outcomes[0].ok);
  EXPECT_NE(outcomes[0].error.find("h0 lo"), std::string::npos) << outcomes[0].error;
  EXPECT_NE(outcomes[0].error_code, 0);
  EXPECT_GT(outcomes[0].messages, 0U);
  EXPECT_TRUE(outcomes[1].ok) << outcomes[1].error;
  EXPECT_TRUE(far.ok) << far.error;
  EXPECT_EQ(far.wrong_bytes, 0U);
  // The engine is still good for its other peers, at once and after it was renewed.
  for (std::int32_t round = 2; round < 4; ++round) {
    const TimeBox next = rig::box(Nanos::ms(300));
    std::thread again([&] { far = other->run({task(false, operation, 4096, round, 1, 2)}, next, never)[0]; });
    const auto after = middle->run({task(true, operation, 4096, round, 1, 2)}, next, never)[0];
    again.join();
    EXPECT_TRUE(after.ok && far.ok) << round << " " << after.error << far.error;
    ASSERT_TRUE(middle->renew().has_value());
    ASSERT_TRUE(middle->connect(2, *other->address()).has_value());
    ASSERT_TRUE(other->connect(1, *middle->address()).has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(Ucx, KilledPeer,
                         testing::Combine(testing::Values(Operation::write_stream, Operation::send_stream,
                                                          Operation::write_ping_pong,
                                                          Operation::send_ping_pong),
                                          testing::Bool()),
                         [](const auto& p) {
                           return std::string(to_text(std::get<0>(p.param))) +
                                  (std::get<1>(p.param) ? "_source" : "_target");
                         });

TEST(UcxFailure, child_that_lives_is_a_good_flow) {
  rig::Child child(0, 1);
  const auto engine = rig::open();
  ASSERT_TRUE(engine->connect(0, child.address()).has_value());
  const TimeBox box = rig::box(Nanos::ms(50));
  child.start(*engine->address(), task(true, Operation::write_stream, 65536), box);
  const auto outcome = engine->run({task(false, Operation::write_stream, 65536)}, box, never)[0];
  EXPECT_TRUE(outcome.ok) << outcome.error;
  EXPECT_EQ(outcome.wrong_bytes, 0U);
  EXPECT_EQ(child.join(), 0);
}

}  // namespace
}  // namespace railgauge
