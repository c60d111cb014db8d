#include "workers/rounds/windows.h"

#include <gtest/gtest.h>

#include <vector>

namespace railgauge {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A message of `bytes` every `every` from `from` (exclusive) to `to`.
void stream(std::vector<Arrival>& out, std::int64_t from, std::int64_t to, std::int64_t every,
            std::uint64_t bytes) {
  std::uint64_t total = out.empty() ? 0 : out.back().total_bytes;
  for (std::int64_t t = from + every; t <= to; t += every) out.push_back({t, total += bytes});
}

TEST(Windows, bytes_between_two_arrivals_are_interpolated) {
  const std::vector<Arrival> a = {{100, 1000}, {200, 3000}};
  EXPECT_DOUBLE_EQ(arrived_by(a, 0, 50), 500);
  EXPECT_DOUBLE_EQ(arrived_by(a, 0, 100), 1000);
  EXPECT_DOUBLE_EQ(arrived_by(a, 0, 150), 2000);
  EXPECT_DOUBLE_EQ(arrived_by(a, 0, 900), 3000);
}

TEST(Windows, nothing_has_arrived_before_the_start_or_without_arrivals) {
  EXPECT_DOUBLE_EQ(arrived_by(std::vector<Arrival>{{100, 1000}}, 0, 0), 0);
  EXPECT_DOUBLE_EQ(arrived_by(std::vector<Arrival>{{100, 1000}}, 0, -5), 0);
  EXPECT_DOUBLE_EQ(arrived_by({}, 0, 1000), 0);
}

TEST(Windows, two_arrivals_at_one_instant_do_not_divide_by_zero) {
  const std::vector<Arrival> a = {{100, 1000}, {100, 2000}, {200, 3000}};
  EXPECT_DOUBLE_EQ(arrived_by(a, 0, 100), 2000);
  EXPECT_DOUBLE_EQ(arrived_by(a, 0, 150), 2500);
}

TEST(Windows, a_window_is_the_longer_of_100_ms_and_50_completions) {
  EXPECT_EQ(window_length(10'000 * kMs, 100'000), 100 * kMs);
  EXPECT_EQ(window_length(10'000 * kMs, 1000), 500 * kMs);
}

TEST(Windows, a_short_box_has_windows_of_an_eighth) {
  EXPECT_EQ(window_length(400 * kMs, 100'000), 50 * kMs);
  EXPECT_EQ(window_length(400 * kMs, 3), 50 * kMs);
  EXPECT_EQ(window_length(0, 0), 1);
}

TEST(Windows, a_steady_stream_has_no_ramp) {
  std::vector<Arrival> a;
  stream(a, 0, 1000 * kMs, kMs, 1000);
  EXPECT_EQ(ramp_length(a, {0, 1000 * kMs}, 100 * kMs), 0);
}

TEST(Windows, a_slow_start_is_cut_to_the_first_steady_window) {
  std::vector<Arrival> a;
  stream(a, 0, 200 * kMs, 10 * kMs, 1000);
  stream(a, 200 * kMs, 2000 * kMs, kMs, 1000);
  EXPECT_EQ(ramp_length(a, {0, 2000 * kMs}, 100 * kMs),
            0);  // two equal slow windows: that is steady, and goodput judges it
  std::vector<Arrival> rising;
  stream(rising, 0, 100 * kMs, 10 * kMs, 1000);
  stream(rising, 100 * kMs, 200 * kMs, 5 * kMs, 1000);
  stream(rising, 200 * kMs, 2000 * kMs, kMs, 1000);
  EXPECT_EQ(ramp_length(rising, {0, 2000 * kMs}, 100 * kMs), 200 * kMs);
}

TEST(Windows, noise_eats_a_quarter_at_most) {
  std::vector<Arrival> a;
  for (int i = 0; i < 10; ++i)
    stream(a, i * 100 * kMs, (i + 1) * 100 * kMs, kMs * (i % 2 == 0 ? 1 : 2), 1000);
  EXPECT_EQ(ramp_length(a, {0, 1000 * kMs}, 100 * kMs), 250 * kMs);
  EXPECT_EQ(ramp_length({}, {0, 1000 * kMs}, 100 * kMs), 250 * kMs);
}

TEST(Windows, goodput_and_median_of_a_steady_stream_are_its_rate) {
  std::vector<Arrival> a;
  stream(a, 0, 1000 * kMs, kMs, 1000);
  const StreamNumbers n = stream_numbers(a, 0, {200 * kMs, 1000 * kMs}, 100 * kMs);
  EXPECT_EQ(n.payload_bytes, 800'000U);
  EXPECT_DOUBLE_EQ(n.goodput_bits_per_second, 8e6);
  EXPECT_DOUBLE_EQ(n.median_bits_per_second, 8e6);
  EXPECT_EQ(n.windows, 8U);
  EXPECT_EQ(n.longest_stall_ns, kMs);
}

TEST(Windows, a_stall_counts_as_zero_in_goodput_and_not_in_the_median) {
  std::vector<Arrival> a;
  stream(a, 0, 500 * kMs, kMs, 1000);
  stream(a, 800 * kMs, 1000 * kMs, kMs, 1000);
  const StreamNumbers n = stream_numbers(a, 0, {0, 1000 * kMs}, 100 * kMs);
  EXPECT_NEAR(n.goodput_bits_per_second, 5.6e6, 1);
  EXPECT_NEAR(n.median_bits_per_second, 8e6, 0.02 * 8e6);
  EXPECT_EQ(n.longest_stall_ns, 301 * kMs);
}

TEST(Windows, a_flow_that_dies_stalls_until_the_end_of_the_interval) {
  std::vector<Arrival> a;
  stream(a, 0, 300 * kMs, kMs, 1000);
  EXPECT_EQ(stream_numbers(a, 0, {0, 1000 * kMs}, 100 * kMs).longest_stall_ns, 700 * kMs);
  EXPECT_EQ(stream_numbers({}, 0, {0, 1000 * kMs}, 100 * kMs).longest_stall_ns, 1000 * kMs);
}

TEST(Windows, an_empty_interval_gives_zeros_and_a_short_one_its_goodput_as_median) {
  std::vector<Arrival> a;
  stream(a, 0, 1000 * kMs, kMs, 1000);
  EXPECT_EQ(stream_numbers(a, 0, {500 * kMs, 500 * kMs}, 100 * kMs).windows, 0U);
  EXPECT_EQ(stream_numbers(a, 0, {600 * kMs, 500 * kMs}, 100 * kMs).payload_bytes, 0U);
  const StreamNumbers n = stream_numbers(a, 0, {500 * kMs, 550 * kMs}, 100 * kMs);
  EXPECT_EQ(n.windows, 0U);
  EXPECT_DOUBLE_EQ(n.median_bits_per_second, 8e6);
}

}  // namespace
}  // namespace railgauge
