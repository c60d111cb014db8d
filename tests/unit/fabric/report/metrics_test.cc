#include "fabric/report/metrics.h"

#include <gtest/gtest.h>

#include <limits>

namespace railgauge {
namespace {

TEST(Metrics, no_label_can_leave_its_quotes) {
  Metrics m;
  m.family("a_ratio", "Help.");
  m.sample({{"node", "x\"} 1\na_ratio{node=\"y\\"}}, 0.5);
  EXPECT_EQ(m.take(),
            "# HELP a_ratio Help.\n# TYPE a_ratio gauge\n"
            "a_ratio{node=\"x\\\"} 1\\\\na_ratio{node=\\\"y\\\\\"} 0.5\n# EOF\n");
}

TEST(Metrics, a_sample_with_the_labels_of_one_before_and_one_that_is_no_number_are_left_out) {
  Metrics m;
  m.family("a", "A.");
  m.sample({}, 1);
  m.sample({}, 2);
  m.sample({{"x", "1"}}, std::numeric_limits<double>::quiet_NaN());
  m.family("b", "B.");
  m.sample({}, 3);
  EXPECT_EQ(m.take(), "# HELP a A.\n# TYPE a gauge\na 1\n# HELP b B.\n# TYPE b gauge\nb 3\n# EOF\n");
}

}  // namespace
}  // namespace railgauge
