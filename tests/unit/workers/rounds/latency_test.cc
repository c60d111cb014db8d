#include "workers/rounds/latency.h"

#include <gtest/gtest.h>

#include <numeric>

namespace railgauge {
namespace {

std::vector<std::int64_t> up_to(std::int64_t n) {
  std::vector<std::int64_t> v(static_cast<std::size_t>(n));
  std::iota(v.rbegin(), v.rend(), 1);
  return v;
}

TEST(Latency, quantiles_are_exact_samples) {
  const LatencyNumbers n = latency_numbers(up_to(20'000));
  EXPECT_EQ(n.count, 20'000U);
  EXPECT_EQ(n.p50_ns, 10'000);
  EXPECT_EQ(n.p99_ns, 19'800);
  EXPECT_EQ(n.p999_ns, 19'980);
  EXPECT_EQ(n.max_ns, 20'000);
}

TEST(Latency, p999_is_not_stated_below_10000_samples) {
  EXPECT_EQ(latency_numbers(up_to(9'999)).p999_ns, 0);
  EXPECT_EQ(latency_numbers(up_to(10'000)).p999_ns, 9'990);
}

TEST(Latency, none_and_one) {
  EXPECT_EQ(latency_numbers({}).count, 0U);
  const LatencyNumbers n = latency_numbers({7});
  EXPECT_EQ(n.p50_ns, 7);
  EXPECT_EQ(n.p99_ns, 7);
  EXPECT_EQ(n.max_ns, 7);
}

}  // namespace
}  // namespace railgauge
