#include "workers/rounds/environment.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

const std::vector<std::string> kLines = {"UCX_TLS=tcp", "PATH=/bin", "UCX_A=1", "PATHX=2", "EMPTY=", "BARE"};

TEST(Environment, a_prefix_ends_in_an_underscore_and_a_name_is_itself_only) {
  EXPECT_EQ(select_environment(kLines, {"UCX_", "PATH"}),
            (std::vector<std::string>{"PATH=/bin", "UCX_A=1", "UCX_TLS=tcp"}));
  EXPECT_EQ(select_environment(kLines, {"EMPTY"}), std::vector<std::string>{"EMPTY="});
  EXPECT_TRUE(select_environment(kLines, {}).empty());
}

TEST(Environment, the_hash_tells_a_changed_value_and_a_moved_line_end) {
  EXPECT_EQ(environment_hash({"A=1", "B=2"}), environment_hash({"A=1", "B=2"}));
  EXPECT_NE(environment_hash({"A=1", "B=2"}), environment_hash({"A=1", "B=3"}));
  EXPECT_NE(environment_hash({"A=1B=2"}), environment_hash({"A=1", "B=2"}));
}

}  // namespace
}  // namespace railgauge
