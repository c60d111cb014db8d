#include "workers/engines/ucx/arrival_log.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

TEST(ArrivalLog, empty_log_gives_nothing) { EXPECT_TRUE(ArrivalLog().take().empty()); }

TEST(ArrivalLog, few_arrivals_are_kept_as_they_are) {
  ArrivalLog log(8);
  for (int i = 1; i <= 5; ++i) log.add({i * 10, static_cast<std::uint64_t>(i) * 100});
  const auto kept = log.take();
  ASSERT_EQ(kept.size(), 5U);
  EXPECT_EQ(kept[0].time_ns, 10);
  EXPECT_EQ(kept[4].total_bytes, 500U);
}

TEST(ArrivalLog, beyond_the_limit_the_total_stays_exact_and_the_gaps_stay_even) {
  for (const int count : {7, 8, 9, 100, 1000, 12345}) {
    ArrivalLog log(8);
    for (int i = 1; i <= count; ++i) log.add({i, static_cast<std::uint64_t>(i)});
    const auto kept = log.take();
    ASSERT_LE(kept.size(), 8U);
    ASSERT_GE(kept.size(), 3U);
    EXPECT_EQ(kept.back().total_bytes, static_cast<std::uint64_t>(count));
    const auto gap = kept[1].time_ns - kept[0].time_ns;
    for (std::size_t i = 2; i + 1 < kept.size(); ++i)
      EXPECT_EQ(kept[i].time_ns - kept[i - 1].time_ns, gap) << count << " " << i;
  }
}

TEST(ArrivalLog, taking_empties_it) {
  ArrivalLog log(8);
  log.add({1, 1});
  log.take();
  EXPECT_TRUE(log.take().empty());
}

}  // namespace
}  // namespace railgauge
