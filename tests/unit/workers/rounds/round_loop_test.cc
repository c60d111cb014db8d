#include "workers/rounds/round_loop.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/doubles/fake_clock.h"
#include "tests/doubles/fake_engine.h"
#include "tests/doubles/fake_world.h"

namespace railgauge {
namespace {

class FakeMeters : public Meters {
 public:
  NicBytes nic_bytes() const override { return {known, sent += 1000, received += 10}; }
  std::int64_t run_delay_ns() const override { return delay += 5; }
  bool known = true;
  mutable std::uint64_t sent = 0, received = 0;
  mutable std::int64_t delay = 0;
};

class FakeReport : public RoundReport {
 public:
  void phase(Phase phase, std::int32_t, std::int64_t give_up_ns) override {
    phases.push_back(phase);
    EXPECT_GT(give_up_ns, clock.now().count()) << "a phase without a future deadline";
  }
  void hold(std::int64_t ordinal, const std::vector<FlowSample>& flows, const CounterSample&) override {
    held = flows;
    held_ordinal = ordinal;
  }
  void publish(std::int64_t ordinal, const std::vector<FlowSample>& flows,
               const CounterSample& counters) override {
    published = flows;
    counted = counters;
    ordinals.push_back(ordinal);
  }
  bool stop_wanted() const override { return stop; }
  bool stop_early() const override { return false; }
  explicit FakeReport(const FakeClock& c) : clock(c) {}
  const FakeClock& clock;
  std::vector<Phase> phases;
  std::vector<FlowSample> held, published;
  CounterSample counted;
  std::int64_t held_ordinal = -1;
  std::vector<std::int64_t> ordinals;
  bool stop = false;
};

// Four endpoints of one rail; this rank is endpoint 1. Others answer with addresses.
class RoundLoopTest : public testing::Test {
 protected:
  RoundLoopTest() {
    world_.blob_of = [this](int rank, const Blob& mine) {
      const std::int32_t head[2] = {rank, 0};
      Blob b(sizeof(head));
      std::memcpy(b.data(), head, sizeof(head));
      // Same clock as this rank: identity taken over, address only where that rank has an engine.
      std::int32_t length = 0;
      std::memcpy(&length, mine.data() + 4, 4);
      std::memcpy(b.data() + 4, &length, 4);
      b.insert(b.end(), mine.begin() + 8, mine.begin() + 8 + length);
      if (!without_engine_.contains(rank)) b.push_back(42);
      return b;
    };
  }
  RoundLoop make(Engine* engine, std::vector<std::int32_t> living = {0, 1, 2, 3}) {
    std::vector<Endpoint> endpoints;
    for (int i = 0; i < 4; ++i) {
      Endpoint e;
      e.node = "h" + std::to_string(i);
      e.device = "rail0";
      e.rail = 0;
      endpoints.push_back(e);
    }
    auto seat = take_seat(1, endpoints, living);
    EXPECT_TRUE(seat);
    RoundLoop loop(std::move(*seat), world_, engine, engine != nullptr ? "" : "no library", clock_, meters_,
                   report_);
    EXPECT_TRUE(loop.exchange(Nanos::s(5)));
    return loop;
  }
  // Endpoint 0 sends to 1, and 1 to 2.
  static Round round(std::vector<PairRef> pairs = {{0, 1}, {1, 2}}) {
    Round r;
    r.id = 17;
    r.size_bytes = 1000;
    r.duration_ns = Nanos::s(1).count();
    r.rule.kind = RuleKind::list;
    r.rule.pairs = std::move(pairs);
    return r;
  }
  const FlowSample& sample(Side side) const {
    for (const FlowSample& f : report_.published) {
      if (f.side == side) return f;
    }
    ADD_FAILURE() << "no such side";
    return report_.published.at(0);
  }

  FakeClock clock_;
  FakeWorld world_{1, 4};
  FakeMeters meters_;
  FakeReport report_{clock_};
  FakeEngine engine_{[this](Nanos t) { clock_.set(t); }};
  std::set<int> without_engine_;
};

TEST_F(RoundLoopTest, a_round_gives_a_sample_of_each_local_side_and_one_counter) {
  RoundLoop loop = make(&engine_);
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  ASSERT_EQ(report_.published.size(), 2U);
  const FlowSample& in = sample(Side::receive);
  EXPECT_EQ(in.status, FlowStatus::ok);
  EXPECT_EQ(in.round, 17);
  EXPECT_EQ(in.source, 0);
  EXPECT_EQ(in.target, 1);
  EXPECT_NEAR(in.goodput_bits_per_second, 8e6, 1);
  EXPECT_NEAR(in.median_bits_per_second, 8e6, 1);
  EXPECT_EQ(in.total_bytes, 1'000'000U);
  EXPECT_EQ(in.run_delay_ns, 5);
  EXPECT_EQ(sample(Side::send).payload_bytes, 1'000'000U);
  EXPECT_EQ(sample(Side::send).goodput_bits_per_second, 0);
  EXPECT_EQ(report_.counted.endpoint, 1);
  EXPECT_EQ(report_.counted.tx_bytes, 2000U);  // read before, after, and after the settling
  EXPECT_EQ(report_.counted.payload_sent, 1'000'000U);
  EXPECT_EQ(report_.counted.payload_received, 1'000'000U);
  EXPECT_EQ(report_.counted.end_ns - report_.counted.begin_ns, Nanos::s(1).count());
}

TEST_F(RoundLoopTest, the_start_is_the_latest_clock_of_all_and_a_margin) {
  RoundLoop loop = make(&engine_);
  const Nanos latest = clock_.now() + Nanos::ms(40);
  world_.others_say = {{static_cast<double>(latest.count()), 0}};
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_EQ(engine_.last_box.start, latest + Nanos::ms(3));
  EXPECT_EQ(engine_.last_box.stop, engine_.last_box.start + Nanos::s(1));
  EXPECT_EQ(engine_.last_box.deadline, engine_.last_box.stop + Nanos::s(1));
}

TEST_F(RoundLoopTest, only_the_time_in_which_all_flows_overlap_counts) {
  RoundLoop loop = make(&engine_);
  // Somebody ramped for 200 ms, and somebody's box ended 100 ms early.
  world_.others_say = {{0, 0}, {2e8, -9e8, 1e8}};
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_EQ(sample(Side::receive).interval_ns, 700'000'000);
  EXPECT_EQ(sample(Side::receive).payload_bytes, 700'000U);
}

TEST_F(RoundLoopTest, a_rank_without_flows_takes_part_and_counts_its_nic) {
  RoundLoop loop = make(&engine_);
  EXPECT_EQ(loop.run_round(round({{2, 3}})), RoundEnd::done);
  EXPECT_EQ(engine_.runs, 0);
  EXPECT_TRUE(report_.published.empty());
  EXPECT_EQ(report_.counted.round, 17);
  EXPECT_GE(world_.last_within, Nanos::s(4));  // it waits for those whose flows still run
}

TEST_F(RoundLoopTest, a_dead_world_after_the_flows_still_publishes_what_was_measured) {
  RoundLoop loop = make(&engine_);
  world_.break_at_call = world_.calls + 1;
  EXPECT_EQ(loop.run_round(round()), RoundEnd::broken);
  ASSERT_EQ(report_.published.size(), 2U);
  EXPECT_NEAR(sample(Side::receive).goodput_bits_per_second, 8e6, 1);
}

TEST_F(RoundLoopTest, samples_are_held_before_the_others_are_asked) {
  RoundLoop loop = make(&engine_);
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_EQ(report_.held.size(), 2U);
  EXPECT_EQ(report_.held_ordinal, 0);
  EXPECT_EQ(report_.ordinals, std::vector<std::int64_t>{0});
}

TEST_F(RoundLoopTest, a_world_that_breaks_before_the_start_runs_no_flow) {
  RoundLoop loop = make(&engine_);
  world_.break_at_call = world_.calls;
  EXPECT_EQ(loop.run_round(round()), RoundEnd::broken);
  EXPECT_EQ(engine_.runs, 0);
  EXPECT_TRUE(report_.ordinals.empty());
}

TEST_F(RoundLoopTest, one_ranks_wish_to_stop_stops_all_before_the_round) {
  RoundLoop loop = make(&engine_);
  world_.others_say = {{0, 1}};
  EXPECT_EQ(loop.run_round(round()), RoundEnd::stopped);
  EXPECT_EQ(engine_.runs, 0);
  report_.stop = true;
  EXPECT_EQ(loop.run_round(round()), RoundEnd::stopped);
  report_.stop = false;
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_EQ(report_.ordinals, std::vector<std::int64_t>{0});  // rounds that did not begin do not count
}

TEST_F(RoundLoopTest, a_peer_outside_the_launch_is_missing_and_the_other_flow_runs) {
  RoundLoop loop = make(&engine_, {0, 1, 3});
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_EQ(sample(Side::send).status, FlowStatus::peer_missing);
  EXPECT_STREQ(sample(Side::send).error, "h2 rail0: takes no part in this launch");
  EXPECT_EQ(sample(Side::receive).status, FlowStatus::ok);
}

TEST_F(RoundLoopTest, a_peer_without_engine_and_a_refused_connection_are_not_started) {
  without_engine_ = {2};
  engine_.refuse = {0};
  RoundLoop loop = make(&engine_);
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_EQ(sample(Side::send).status, FlowStatus::not_started);
  EXPECT_STREQ(sample(Side::send).error, "h2 rail0: has no open engine");
  EXPECT_EQ(sample(Side::receive).status, FlowStatus::not_started);
  EXPECT_STREQ(sample(Side::receive).error, "fake: no way there");
}

TEST_F(RoundLoopTest, a_rank_without_engine_agrees_with_the_others_and_says_why_its_flows_fail) {
  RoundLoop loop = make(nullptr);
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_EQ(sample(Side::send).status, FlowStatus::not_started);
  EXPECT_STREQ(sample(Side::receive).error, "no library");
}

TEST_F(RoundLoopTest, a_failed_flow_is_a_sample_and_does_not_cut_the_interval_of_the_others) {
  engine_.outcome_of = [](const FlowTask& task, const TimeBox& box) {
    FlowOutcome o = steady_stream(task, box, Nanos::ms(1));
    if (!task.is_source) {
      o.ok = false;
      o.error_code = -80;
      o.error = "no completion from h0 rail0 in 2.0 s";
      o.arrivals.resize(1);
    }
    return o;
  };
  RoundLoop loop = make(&engine_);
  world_.others_say = {{0, 0}, {0, -1e9, 1e8}};
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_EQ(sample(Side::receive).status, FlowStatus::failed);
  EXPECT_EQ(sample(Side::receive).error_code, -80);
  EXPECT_EQ(sample(Side::receive).interval_ns, 1'000'000'000);
}

TEST_F(RoundLoopTest, peers_are_connected_once_and_again_after_a_fresh_round) {
  RoundLoop loop = make(&engine_);
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_EQ(engine_.connected, (std::vector<std::int32_t>{2, 0}));
  Round fresh = round();
  fresh.fresh = true;
  ASSERT_EQ(loop.run_round(fresh), RoundEnd::done);
  EXPECT_EQ(engine_.renewed, 1);
  EXPECT_EQ(engine_.connected, (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(report_.ordinals, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST_F(RoundLoopTest, a_nic_that_is_gone_says_so_until_it_is_back) {
  RoundLoop loop = make(&engine_);
  Round fresh = round();
  fresh.fresh = true;
  engine_.renew_fails = true;
  ASSERT_EQ(loop.run_round(fresh), RoundEnd::done);
  EXPECT_EQ(sample(Side::send).status, FlowStatus::not_started);
  EXPECT_STREQ(sample(Side::send).error, "fake: the interface is down");
  EXPECT_EQ(engine_.runs, 0);
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_STREQ(sample(Side::receive).error, "fake: the interface is down");
  engine_.renew_fails = false;
  ASSERT_EQ(loop.run_round(fresh), RoundEnd::done);
  EXPECT_EQ(sample(Side::send).status, FlowStatus::ok);
  EXPECT_EQ(sample(Side::receive).status, FlowStatus::ok);
}

TEST_F(RoundLoopTest, a_ping_pong_keeps_its_quantiles_at_the_initiator) {
  engine_.outcome_of = [](const FlowTask& task, const TimeBox&) {
    FlowOutcome o;
    if (task.is_source) o.latencies_ns.assign(500, 2000);
    return o;
  };
  RoundLoop loop = make(&engine_);
  Round r = round();
  r.operation = Operation::write_ping_pong;
  ASSERT_EQ(loop.run_round(r), RoundEnd::done);
  EXPECT_EQ(sample(Side::send).latency_count, 500U);
  EXPECT_EQ(sample(Side::send).latency_p50_ns, 2000);
  EXPECT_EQ(sample(Side::send).latency_p999_ns, 0);
  EXPECT_EQ(sample(Side::receive).latency_count, 0U);
  EXPECT_EQ(sample(Side::receive).windows, 0U);
}

TEST_F(RoundLoopTest, a_nic_without_counters_counts_zero) {
  meters_.known = false;
  RoundLoop loop = make(&engine_);
  ASSERT_EQ(loop.run_round(round()), RoundEnd::done);
  EXPECT_EQ(report_.counted.tx_bytes, 0U);
}

TEST_F(RoundLoopTest, a_message_of_another_build_is_an_error) {
  world_.blob_of = [](int, const Blob&) { return Blob{1, 2, 3}; };
  auto seat = take_seat(0, std::vector<Endpoint>(4), {0, 1, 2, 3});
  ASSERT_TRUE(seat);
  RoundLoop loop(std::move(*seat), world_, &engine_, "", clock_, meters_, report_);
  EXPECT_FALSE(loop.exchange(Nanos::s(1)));
}

TEST_F(RoundLoopTest, a_seat_outside_the_schedule_is_an_error) {
  EXPECT_FALSE(take_seat(4, std::vector<Endpoint>(4), {0}));
  EXPECT_FALSE(take_seat(-1, std::vector<Endpoint>(4), {0}));
  EXPECT_FALSE(take_seat(0, std::vector<Endpoint>(4), {0, 4}));
}

}  // namespace
}  // namespace railgauge
