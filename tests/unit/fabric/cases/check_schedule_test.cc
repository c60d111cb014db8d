#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "fabric/cases/schedule.h"

namespace railgauge {
namespace {

Schedule good() {
  Schedule s;
  s.endpoints.resize(2);
  s.endpoints[0].node = "h1";
  s.endpoints[1].node = "h2";
  s.rounds.resize(2);
  for (std::int32_t i = 0; i < 2; ++i) {
    Round& r = s.rounds[static_cast<std::size_t>(i)];
    r.id = i;
    r.duration_ns = 1;
    r.rule.kind = RuleKind::list;
    r.rule.pairs = {{0, 1}};
  }
  return s;
}

TEST(CheckSchedule, a_good_one_passes) { EXPECT_TRUE(check_schedule(good())); }

TEST(CheckSchedule, what_cannot_be_is_named_with_its_place) {
  const struct {
    std::function<void(Schedule&)> spoil;
    const char* message;
  } kCases[] = {
      {[](Schedule& s) { s.rounds[1].rule.pairs[0].target = 2; },
       "rounds[1].rule.pairs[0]: 0 to 2, of 2 endpoints"},
      {[](Schedule& s) { s.rounds[1].rule.pairs[0].source = -1; },
       "rounds[1].rule.pairs[0]: -1 to 1, of 2 endpoints"},
      {[](Schedule& s) { s.rounds[0].rule.pairs[0].source = 1; }, "rounds[0].rule.pairs[0]: 1 to itself"},
      {[](Schedule& s) { s.rounds[1].id = 0; }, "rounds[1].id: 0 is there twice"},
      {[](Schedule& s) { s.rounds[0].id = -4; }, "rounds[0].id: negative"},
      {[](Schedule& s) { s.rounds[0].duration_ns = 0; }, "rounds[0].duration_ns: not within 24 h"},
      {[](Schedule& s) { s.rounds[0].rule.index = -1; }, "rounds[0].rule.index: negative"},
      {[](Schedule& s) { s.endpoints[1].rail = -2; }, "endpoints[1].rail: negative"},
      {[](Schedule& s) { s.endpoints[1].node = ""; }, "endpoints[1].node: empty"},
      {[](Schedule& s) { s.endpoints[0].expected_bits_per_second = std::numeric_limits<double>::infinity(); },
       "endpoints[0].expected_bits_per_second: no rate"},
  };
  for (const auto& c : kCases) {
    Schedule s = good();
    c.spoil(s);
    const auto checked = check_schedule(s);
    ASSERT_FALSE(checked) << c.message;
    EXPECT_EQ(checked.error().message, c.message);
  }
}

}  // namespace
}  // namespace railgauge
