#include "workers/rounds/ring.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

TEST(Ring, gives_back_in_order_and_wraps) {
  Ring<int, 4> ring;
  int out = 0;
  EXPECT_FALSE(ring.pop(out));
  for (int i = 0; i < 11; ++i) {
    EXPECT_TRUE(ring.push(i));
    EXPECT_TRUE(ring.pop(out));
    EXPECT_EQ(out, i);
  }
}

TEST(Ring, a_full_one_drops_the_new_record_and_counts_it) {
  Ring<int, 2> ring;
  EXPECT_TRUE(ring.push(1));
  EXPECT_TRUE(ring.push(2));
  EXPECT_FALSE(ring.push(3));
  EXPECT_EQ(ring.dropped(), 1U);
  int out = 0;
  EXPECT_TRUE(ring.pop(out));
  EXPECT_EQ(out, 1);
}

}  // namespace
}  // namespace railgauge
