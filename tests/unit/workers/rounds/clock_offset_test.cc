#include "workers/rounds/clock_offset.h"

#include <gtest/gtest.h>

#include "tests/doubles/fake_clock.h"
#include "tests/doubles/fake_world.h"

namespace railgauge {
namespace {

TEST(ClockOffset, the_fastest_round_trip_counts_and_half_of_it_is_the_bound) {
  // Rank 0 is 5000 ahead; the second trip is quick, the others are delayed on one leg.
  const std::vector<RoundTrip> trips = {{0, 400, 5050}, {1000, 1020, 6010}, {2000, 2300, 7250}};
  const ClockOffset o = offset_of(trips);
  EXPECT_EQ(o.offset_ns, 5000);
  EXPECT_EQ(o.error_ns, 10);
}

TEST(ClockOffset, ranks_on_rank_0s_clock_exchange_nothing) {
  FakeWorld world(2, 4);
  const FakeClock clock;
  const auto o = measure_clock_offset(world, clock, {"k", "k", "k", "k"}, Nanos::s(1));
  ASSERT_TRUE(o);
  EXPECT_EQ(o->offset_ns, 0);
  EXPECT_EQ(world.calls, 0);
}

TEST(ClockOffset, the_first_rank_of_another_kernel_asks_rank_0) {
  FakeWorld world(1, 2);
  FakeClock clock;
  world.answer = [&] {
    clock.advance(Nanos::us(10));
    const std::int64_t there = clock.now().count() + 123'000'000;
    clock.advance(Nanos::us(10));
    return there;
  };
  const auto o = measure_clock_offset(world, clock, {"k", "other"}, Nanos::s(1));
  ASSERT_TRUE(o);
  EXPECT_EQ(o->offset_ns, 123'000'000);
  EXPECT_EQ(o->error_ns, 10'000);
}

TEST(ClockOffset, the_second_rank_of_a_kernel_takes_over_what_the_first_measured) {
  FakeWorld world(2, 3);
  const FakeClock clock;
  world.blob_of = [](int rank, const Blob& mine) {
    Blob b(mine.size());
    if (rank == 1) b[1] = 1;  // 256
    return b;
  };
  const auto o = measure_clock_offset(world, clock, {"k", "other", "other"}, Nanos::s(1));
  ASSERT_TRUE(o);
  EXPECT_EQ(o->offset_ns, 256);
  EXPECT_EQ(world.calls, 1);
}

TEST(ClockOffset, a_world_that_breaks_is_an_error) {
  FakeWorld world(1, 2);
  world.break_at_call = 3;
  const FakeClock clock;
  EXPECT_FALSE(measure_clock_offset(world, clock, {"k", "other"}, Nanos::s(1)));
}

TEST(ClockOffset, this_host_has_a_clock_identity) { EXPECT_NE(clock_identity(), ""); }

}  // namespace
}  // namespace railgauge
