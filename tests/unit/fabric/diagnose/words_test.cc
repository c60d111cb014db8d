#include <gtest/gtest.h>

#include <set>

#include "fabric/diagnose/analysis.h"

namespace railgauge {
namespace {

template <class E>
void all_differ(std::size_t count) {
  std::set<std::string_view> texts;
  for (const E v : all_values(E{})) EXPECT_TRUE(texts.insert(to_text(v)).second) << to_text(v);
  EXPECT_EQ(texts.size(), count);
}

TEST(AnalysisWords, every_value_has_a_text_of_its_own) {
  all_differ<Verdict>(5);
  all_differ<Severity>(4);
  all_differ<Scope>(6);
  all_differ<Direction>(3);
  EXPECT_EQ(to_text(Verdict::inconclusive), "INCONCLUSIVE");
  EXPECT_EQ(to_text(Direction::receive), "receive");
}

}  // namespace
}  // namespace railgauge
