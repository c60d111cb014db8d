#include "orchestrator/launch_process.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

TEST(LaunchProcess, the_rank_that_mpirun_blames_is_read_and_nothing_else) {
  EXPECT_EQ(blamed_rank_in(
                "mpirun noticed that process rank 5 with PID 77 on node h2 exited on signal 9 (Killed).\n"),
            5);
  EXPECT_FALSE(blamed_rank_in("process rank five exited on signal 9"));
  EXPECT_FALSE(blamed_rank_in("process rank 5 is fine\nothers exited on time"));
  EXPECT_FALSE(blamed_rank_in(""));
}

TEST(LaunchProcess, last_words_are_the_last_line_that_says_something) {
  EXPECT_EQ(last_line_of("first\nssh: no route to host\n-----\n\n"), "ssh: no route to host");
  EXPECT_EQ(last_line_of(""), "");
  EXPECT_EQ(last_line_of("a\x1b[31mb"), "a?[31mb");
  EXPECT_EQ(last_line_of(std::string(5000, 'x')).size(), 200U);
}

}  // namespace
}  // namespace railgauge
