// Each operation at several sizes between two engines over the loopback interface: all bytes arrive, are
// right, and the box is respected.
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/workers/engines/ucx/engine_rig.h"

namespace railgauge {
namespace {

using rig::task;

bool never() { return false; }

struct TwoEnds {
  std::unique_ptr<Engine> source = rig::open(), target = rig::open();
  TwoEnds() { connect(); }
  void connect() {
    const auto a = source->address(), b = target->address();
    EXPECT_TRUE(source->connect(1, *b).has_value());
    EXPECT_TRUE(target->connect(0, *a).has_value());
  }
  // One flow from source to target; {source's outcome, target's outcome}.
  std::pair<FlowOutcome, FlowOutcome> run(Operation operation, std::uint64_t size, const TimeBox& box,
                                          std::int32_t round = 1) {
    FlowOutcome sent;
    std::thread thread([&] { sent = source->run({task(true, operation, size, round)}, box, never)[0]; });
    const FlowOutcome received = target->run({task(false, operation, size, round)}, box, never)[0];
    thread.join();
    return {sent, received};
  }
};

class EachOperation : public testing::TestWithParam<std::tuple<Operation, std::uint64_t>> {};

TEST_P(EachOperation, bytes_arrive_in_order_and_right) {
  const auto [operation, size] = GetParam();
  TwoEnds ends;
  const TimeBox box =
      rig::box(Nanos::ms(size > 1048576 ? 500 : 100));  // 8 MiB: filling the buffers takes a while
  const auto [sent, received] = ends.run(operation, size, box);
  ASSERT_TRUE(sent.ok) << sent.error;
  ASSERT_TRUE(received.ok) << received.error;
  EXPECT_TRUE(sent.connected && received.connected);
  EXPECT_GT(received.messages, 0U);
  EXPECT_EQ(received.wrong_bytes + sent.wrong_bytes, 0U);
  EXPECT_GE(received.verified_bytes, size);
  EXPECT_EQ(sent.payload_bytes, received.payload_bytes);
  EXPECT_EQ(received.payload_bytes, received.messages * size);
  if (operation == Operation::write_ping_pong || operation == Operation::send_ping_pong) {
    EXPECT_EQ(sent.latencies_ns.size(), sent.messages);
    for (const std::int64_t half : sent.latencies_ns) ASSERT_GT(half, 0);
    return;
  }
  ASSERT_FALSE(received.arrivals.empty());
  EXPECT_LE(received.arrivals.size(), 65536U);
  EXPECT_EQ(received.arrivals.back().total_bytes, received.payload_bytes);
  EXPECT_GE(received.arrivals.front().time_ns, box.start.count());
  EXPECT_LE(received.arrivals.back().time_ns, box.deadline.count());
  for (std::size_t i = 1; i < received.arrivals.size(); ++i) {
    ASSERT_GE(received.arrivals[i].time_ns, received.arrivals[i - 1].time_ns);
    ASSERT_GT(received.arrivals[i].total_bytes, received.arrivals[i - 1].total_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Ucx, EachOperation,
                         testing::Combine(testing::Values(Operation::write_stream, Operation::send_stream,
                                                          Operation::write_ping_pong,
                                                          Operation::send_ping_pong),
                                          testing::Values(8U, 13U, 4096U, 65536U, 1048576U, 8388608U)),
                         [](const auto& p) {
                           return std::string(to_text(std::get<0>(p.param))) + "_" +
                                  std::to_string(std::get<1>(p.param));
                         });

TEST(UcxEngine, both_directions_at_once_are_two_flows_on_one_worker) {
  TwoEnds ends;
  const TimeBox box = rig::box(Nanos::ms(200));
  const auto op = Operation::write_stream;
  std::vector<FlowOutcome> a, b;
  std::thread thread([&] {
    a = ends.source->run({task(true, op, 65536), task(false, op, 65536, 1, 1, 0)}, box, never);
  });
  b = ends.target->run({task(false, op, 65536), task(true, op, 65536, 1, 1, 0)}, box, never);
  thread.join();
  for (const auto* outcomes : {&a, &b})
    for (const FlowOutcome& o : *outcomes)
      EXPECT_TRUE(o.ok && o.messages > 0 && o.wrong_bytes == 0) << o.error;
  EXPECT_EQ(a[0].payload_bytes, b[0].payload_bytes);
  EXPECT_EQ(a[1].payload_bytes, b[1].payload_bytes);
}

TEST(UcxEngine, rounds_follow_each_other_on_one_connection) {
  TwoEnds ends;
  for (std::int32_t round = 1; round <= 10; ++round) {
    const auto [sent, received] = ends.run(round % 2 == 0 ? Operation::send_stream : Operation::write_stream,
                                           4096, rig::box(Nanos::ms(100)), round);
    ASSERT_TRUE(sent.ok && received.ok) << round << " " << sent.error << " " << received.error;
    ASSERT_EQ(received.wrong_bytes, 0U);
  }
}

TEST(UcxEngine, renewed_engines_have_new_addresses_and_work) {
  TwoEnds ends;
  ASSERT_TRUE(ends.run(Operation::write_stream, 4096, rig::box(Nanos::ms(100))).second.ok);
  for (std::int32_t round = 2; round < 6; ++round) {
    const auto before = *ends.source->address();
    ASSERT_TRUE(ends.source->renew().has_value());
    ASSERT_TRUE(ends.target->renew().has_value());
    EXPECT_NE(*ends.source->address(), before);
    ends.connect();
    const auto [sent, received] = ends.run(Operation::write_stream, 65536, rig::box(Nanos::ms(100)), round);
    ASSERT_TRUE(sent.ok && received.ok) << sent.error << " " << received.error;
  }
}

TEST(UcxEngine, stop_early_ends_a_long_box_and_keeps_what_was_counted) {
  TwoEnds ends;
  const TimeBox box = rig::box(Nanos::s(60));
  const auto soon = [end = box.start + Nanos::ms(50)] { return rig::raw_clock().now() > end; };
  FlowOutcome sent;
  std::thread thread(
      [&] { sent = ends.source->run({task(true, Operation::write_stream, 65536)}, box, soon)[0]; });
  const FlowOutcome received = ends.target->run({task(false, Operation::write_stream, 65536)}, box, soon)[0];
  thread.join();
  EXPECT_LT(rig::raw_clock().now(), box.stop);
  EXPECT_TRUE(sent.ok && received.ok) << sent.error << received.error;
  EXPECT_GT(received.payload_bytes, 0U);
}

TEST(UcxEngine, eight_senders_into_one_receiver_work_and_the_ninth_is_refused_by_name) {
  constexpr int senders = 9;
  const auto hub = rig::open();
  const auto hub_address = *hub->address();
  std::vector<std::unique_ptr<Engine>> others;
  std::vector<FlowTask> tasks;
  for (int i = 0; i < senders; ++i) {
    others.push_back(rig::open());
    ASSERT_TRUE(hub->connect(i, *others.back()->address()).has_value());
    ASSERT_TRUE(others.back()->connect(100, hub_address).has_value());
    tasks.push_back(task(false, Operation::write_stream, 4096, 1, i, 100));
  }
  const TimeBox box = rig::box(Nanos::ms(300), Nanos::ms(1000));
  std::vector<FlowOutcome> sent(senders);
  std::vector<std::thread> threads;
  for (int i = 0; i < senders; ++i)
    threads.emplace_back([&, i] {
      sent[static_cast<std::size_t>(i)] = others[static_cast<std::size_t>(i)]->run(
          {task(true, Operation::write_stream, 4096, 1, i, 100)}, box, never)[0];
    });
  const auto received = hub->run(tasks, box, never);
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_TRUE(received[i].ok && sent[i].ok && received[i].messages > 0)
        << received[i].error << sent[i].error;
  EXPECT_FALSE(received[8].ok);
  EXPECT_NE(received[8].error.find("h8 lo"), std::string::npos) << received[8].error;
  EXPECT_FALSE(sent[8].ok);
}

TEST(UcxEngine, facts_name_device_transport_and_version) {
  std::string all;
  for (const EngineFact& fact : rig::open()->facts()) all += fact.name + "=" + fact.value + ";";
  EXPECT_NE(all.find("transport=tcp/lo;"), std::string::npos) << all;
  EXPECT_NE(all.find("device=lo;"), std::string::npos) << all;
  EXPECT_NE(all.find("ucx=1."), std::string::npos) << all;
}

}  // namespace
}  // namespace railgauge
