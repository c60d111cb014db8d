#include "fabric/diagnose/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace railgauge {
namespace {

TEST(Statistics, median_of_nothing_is_zero_and_of_an_even_count_the_middle) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({9, 1, 5}), 5);
}

TEST(Statistics, mad_ignores_one_far_value) {
  EXPECT_EQ(mad({}), 0);
  EXPECT_EQ(mad({1, 2, 3, 4, 1000}), 1);
}

TEST(Statistics, pooled_sigma_is_that_of_the_noise) {
  std::mt19937_64 random(11);  // seed 11
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<std::vector<double>> groups;
  for (int g = 0; g < 500; ++g) {
    const double level = 100.0 * (1 + g % 7);  // groups differ: only the spread inside counts
    groups.push_back(
        {level * std::exp(noise(random)), level * std::exp(noise(random)), level * std::exp(noise(random))});
  }
  EXPECT_NEAR(pooled_sigma(groups), 0.01, 0.001);
  groups.push_back({100, 50, 100});  // one disturbed group must not widen the gate
  EXPECT_NEAR(pooled_sigma(groups), 0.01, 0.001);
}

TEST(Statistics, pooled_sigma_of_single_or_dead_values_is_zero) {
  EXPECT_EQ(pooled_sigma({}), 0);
  const std::vector<std::vector<double>> groups = {{5}, {0, 0}, {}};
  EXPECT_EQ(pooled_sigma(groups), 0);
}

TEST(Statistics, median_polish_puts_the_loss_on_the_sender_that_has_it) {
  std::vector<Edge> edges;
  for (std::int32_t s = 0; s < 4; ++s) {
    for (std::int32_t t = 0; t < 4; ++t) {
      if (s != t) edges.push_back({s, t, s == 2 ? 0.5 : 1.0, false, 1});
    }
  }
  const Effects e = median_polish(edges, 5);
  EXPECT_NEAR(e.send[2], std::log(0.5), 1e-9);
  for (const std::size_t i : {0U, 1U, 3U}) EXPECT_NEAR(e.send[i], 0, 1e-9);
  for (const double r : e.receive) EXPECT_NEAR(r, 0, 1e-9);
  EXPECT_EQ(e.send[4], 0);  // no edge
}

}  // namespace
}  // namespace railgauge
