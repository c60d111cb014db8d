#include "fabric/report/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/report/text.h"

namespace railgauge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Progress, a_terminal_gets_one_line_rewritten) {
  Progress p(ProgressStyle::rewrite);
  EXPECT_EQ(p.begin_stage("probe", 0, Nanos::s(0)).rfind("\rprobe", 0), 0U);
  const std::string next = p.begin_stage("screening", 24, Nanos::s(1));
  EXPECT_EQ(next.rfind("\n\rscreening", 0), 0U) << "the probe's line stays";
  const std::string text = p.update(12, Nanos::s(21), Nanos::s(2));
  EXPECT_THAT(text, HasSubstr("\rscreening"));
  EXPECT_THAT(text, HasSubstr("[##########..........] 12 of 24 rounds  21 s left"));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  EXPECT_EQ(p.finish(), "\n");
  EXPECT_EQ(p.finish(), "");
}

TEST(Progress, a_shorter_line_wipes_the_longer_one) {
  Progress p(ProgressStyle::rewrite);
  p.begin_stage("screening", 10, Nanos());
  const std::string longer = p.update(10, Nanos::s(100), Nanos());
  const std::string shorter = p.update(10, std::nullopt, Nanos());
  EXPECT_EQ(columns(shorter.substr(1)), columns(longer.substr(1)));
}

TEST(Progress, a_file_gets_plain_lines_at_most_every_5_seconds) {
  Progress p(ProgressStyle::lines);
  const std::string first = p.begin_stage("screening", 24, Nanos::s(0));
  EXPECT_THAT(first, Not(HasSubstr("\r")));
  EXPECT_EQ(first.back(), '\n');
  EXPECT_EQ(p.update(1, std::nullopt, Nanos::s(1)), "");
  EXPECT_EQ(p.update(2, std::nullopt, Nanos::ms(4999)), "");
  EXPECT_THAT(p.update(3, std::nullopt, Nanos::s(5)), HasSubstr("3 of 24 rounds"));
  EXPECT_EQ(p.update(4, std::nullopt, Nanos::s(9)), "");
  EXPECT_NE(p.begin_stage("confirmation", 6, Nanos::s(9)), "") << "a stage is always said";
  EXPECT_EQ(p.finish(), "");
}

TEST(Progress, slow_pairs_appear_and_are_bounded) {
  for (const ProgressStyle style : {ProgressStyle::rewrite, ProgressStyle::lines}) {
    Progress p(style);
    p.begin_stage("screening", 24, Nanos());
    EXPECT_THAT(p.slow_pair("h1 - h3 rail 2", 0.499, Nanos()),
                HasSubstr("slow: h1 - h3 rail 2 at 50 % of expected"));
    std::string all;
    for (int i = 0; i < 100; ++i) all += p.slow_pair("h1 - h2 rail 0", 0.5, Nanos());
    EXPECT_LT(all.size(), 2000U);
    EXPECT_THAT(all, HasSubstr("more slow pairs are in the report"));
  }
}

TEST(Progress, no_line_is_wider_than_79_columns_whatever_a_node_is_called) {
  const std::string name = std::string(300, 'w') + "\x1b[2J\r\n";
  for (const ProgressStyle style : {ProgressStyle::rewrite, ProgressStyle::lines}) {
    Progress p(style);
    std::string all = p.begin_stage(name, 2000000000, Nanos()) +
                      p.update(1999999999, Nanos::s(1e6), Nanos::s(10)) + p.slow_pair(name, 0.1, Nanos()) +
                      p.note(name, Nanos());
    EXPECT_THAT(all, Not(HasSubstr("\x1b")));
    std::size_t width = 0;
    for (std::size_t i = 0; i < all.size();) {
      const std::size_t end = std::min(all.find_first_of("\r\n", i), all.size());
      width = std::max(width, columns(std::string_view(all).substr(i, end - i)));
      i = end + 1;
    }
    EXPECT_LE(width, 79U);
  }
}

TEST(Progress, more_rounds_than_planned_do_not_break_the_bar) {
  Progress p(ProgressStyle::lines);
  p.begin_stage("confirmation", 4, Nanos());
  EXPECT_THAT(p.update(9, std::nullopt, Nanos::s(9)), HasSubstr("[####################] 9 of 4 rounds"));
}

}  // namespace
}  // namespace railgauge
