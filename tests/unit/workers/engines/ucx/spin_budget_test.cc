#include "workers/engines/ucx/spin_budget.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

TEST(SpinBudget, is_kept_while_answers_come) {
  SpinBudget budget;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(budget.worth_it());
    budget.answered();
  }
}

TEST(SpinBudget, survives_one_miss_in_ten_but_not_one_in_two) {
  SpinBudget good, bad;
  int bad_spins = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(good.worth_it());
    i % 10 == 0 && i > 0 ? good.in_vain() : good.answered();
    if (!bad.worth_it()) continue;
    ++bad_spins;
    bad_spins % 2 == 0 ? bad.in_vain() : bad.answered();
  }
  EXPECT_LT(bad_spins, 60);
}

TEST(SpinBudget, is_tried_again_after_it_was_given_up) {
  SpinBudget budget;
  for (int i = 0; i < 10; ++i) budget.in_vain();
  int tries = 0;
  for (int i = 0; i < 640; ++i) tries += budget.worth_it() ? 1 : 0;
  EXPECT_EQ(tries, 10);
}

}  // namespace
}  // namespace railgauge
