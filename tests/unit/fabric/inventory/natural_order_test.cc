#include "fabric/inventory/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace railgauge {
namespace {

TEST(NaturalOrder, numbers_count_as_numbers_of_any_length) {
  std::vector<std::string> names = {"h10", "h2", "n99999999999999999999999", "n100000000000000000000000",
                                    "h1",  "h"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_EQ(names, (std::vector<std::string>{"h", "h1", "h2", "h10", "n99999999999999999999999",
                                             "n100000000000000000000000"}));
}
TEST(NaturalOrder, leading_zeros_still_give_a_strict_order) {
  EXPECT_TRUE(natural_less("n1", "n01"));
  EXPECT_FALSE(natural_less("n01", "n1"));
  EXPECT_FALSE(natural_less("n01", "n01"));
}

}  // namespace
}  // namespace railgauge
