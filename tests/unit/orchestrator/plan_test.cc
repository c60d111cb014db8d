#include "orchestrator/plan.h"

#include <gtest/gtest.h>

#include "proto/json.h"

namespace railgauge {
namespace {

std::vector<Endpoint> lab(int nodes, int rails, double rate = 191e6) {
  std::vector<Endpoint> endpoints;
  for (int n = 0; n < nodes; ++n) {
    for (int r = 0; r < rails; ++r) {
      Endpoint e;
      e.node = "h" + std::to_string(n + 1);
      e.device = "rail" + std::to_string(r);
      e.rail = r;
      e.subnet = "10.10." + std::to_string(r) + ".0/24";
      e.expected_bits_per_second = rate;
      endpoints.push_back(e);
    }
  }
  return endpoints;
}

TEST(Plan, quick_on_a_4x4_lab_is_18_bandwidth_and_12_latency_rounds_of_about_17_seconds) {
  const auto plan = built_in_plan("quick");
  ASSERT_TRUE(plan);
  const Schedule schedule = schedule_of(*plan, lab(4, 4));
  ASSERT_EQ(schedule.rounds.size(), 30U);
  EXPECT_EQ(schedule.rounds[0].size_bytes, Bytes::kib(16).count());
  EXPECT_EQ(schedule.rounds[18].case_id, "p2p.rail.latency");
  EXPECT_EQ(schedule.rounds[29].rule.group, 3);
  const Estimate e = estimate(*plan, schedule);
  EXPECT_GT(e.measuring_ns, Nanos::s(16).count());
  EXPECT_LT(e.measuring_ns, Nanos::s(20).count());
  EXPECT_EQ(e.covered, 16U);
  for (std::size_t i = 0; i < schedule.rounds.size(); ++i) {
    EXPECT_EQ(schedule.rounds[i].id, static_cast<std::int32_t>(i));
  }
}

TEST(Plan, rails_with_fewer_members_get_no_empty_latency_rounds) {
  std::vector<Endpoint> endpoints = lab(4, 4);
  std::erase_if(endpoints,
                [](const Endpoint& e) { return e.rail >= 2 && (e.node == "h3" || e.node == "h4"); });
  const Schedule schedule = schedule_of(*built_in_plan("quick"), endpoints);
  const Groups groups = groups_of(schedule.endpoints);
  int latency_rounds = 0;
  for (const Round& r : schedule.rounds) {
    EXPECT_FALSE(expand(r.rule, groups).empty()) << r.id;
    latency_rounds += r.case_id == "p2p.rail.latency" ? 1 : 0;
  }
  EXPECT_EQ(latency_rounds, 2 * 3 + 2 * 1);
}

TEST(Plan, quick_stays_under_two_minutes_for_any_number_of_nodes) {
  const auto plan = built_in_plan("quick");
  for (int nodes : {2, 3, 8, 9, 64, 1000}) {
    const Schedule schedule = schedule_of(*plan, lab(nodes, 1, 400e9));
    const Estimate e = estimate(*plan, schedule);
    EXPECT_LT(e.measuring_ns + e.startup_ns, Nanos::s(120).count()) << nodes;
    EXPECT_EQ(e.covered, static_cast<std::size_t>(nodes));
    EXPECT_EQ(schedule.rounds[0].size_bytes, Bytes::mib(1).count());
  }
}

TEST(Plan, repeats_are_cut_to_the_time_box_but_never_below_one) {
  Plan plan = *built_in_plan("quick");
  plan.time_box_ns = Nanos::s(10).count();
  const Schedule schedule = schedule_of(plan, lab(4, 4));
  for (const Round& r : schedule.rounds) EXPECT_EQ(r.repeat, 0);
  EXPECT_EQ(schedule.rounds.size(), 18U);
  // What is cut, and what does not fit even so, is said before anything starts.
  const Estimate e = estimate(plan, schedule);
  ASSERT_EQ(e.cut.size(), 1U);
  EXPECT_EQ(e.cut[0], std::make_pair(std::string("p2p.rail.write_bw"), 1));
  EXPECT_GT(e.rounds_in_time, 0U);
  EXPECT_LT(e.rounds_in_time, e.rounds);
}

TEST(Plan, nothing_to_pair_gives_no_rounds) {
  EXPECT_TRUE(schedule_of(*built_in_plan("quick"), lab(1, 4)).rounds.empty());
  EXPECT_TRUE(schedule_of(*built_in_plan("quick"), {}).rounds.empty());
}

TEST(BuiltInPlans, each_names_cases_that_exist_and_pairings_that_can_be_read) {
  for (const std::string& name : built_in_plan_names()) {
    const auto plan = built_in_plan(name);
    ASSERT_TRUE(plan) << name;
    EXPECT_EQ(plan->name, name);
    ASSERT_FALSE(plan->cases.empty()) << name;
    for (const PlanCase& c : plan->cases) {
      EXPECT_NE(find_case(c.case_id), nullptr) << c.case_id;
      EXPECT_TRUE(parse_pairing(c.pairs)) << c.pairs;
    }
  }
}

TEST(BuiltInPlans, nightly_and_accept_stay_in_their_box_and_quote_numbers_of_six_repeats) {
  for (const char* name : {"nightly", "accept"}) {
    const auto plan = built_in_plan(name);
    ASSERT_TRUE(plan);
    for (const int nodes : {2, 4, 64, 1000}) {
      const Schedule schedule = schedule_of(*plan, lab(nodes, 8, 400e9));
      const Estimate e = estimate(*plan, schedule);
      EXPECT_EQ(e.rounds_in_time, e.rounds);
      EXPECT_LT(e.measuring_ns + e.startup_ns, plan->time_box_ns * 7 / 10 + e.startup_ns) << name << nodes;
      EXPECT_EQ(e.covered, e.endpoints);
      std::int32_t repeats = 0;
      for (const Round& r : schedule.rounds) {
        if (r.case_id == "p2p.rail.write_bw") repeats = std::max(repeats, r.repeat + 1);
      }
      EXPECT_GE(repeats, kQuotedRepeats) << name << " on " << nodes;
    }
  }
  EXPECT_EQ(built_in_plan("accept")->gates.coverage, 1.0);
  EXPECT_EQ(built_in_plan("nightly")->gates.coverage, 0.98);
}

TEST(Plan, a_record_of_the_first_version_without_stated_criteria_is_still_read) {
  std::string text = to_json(*built_in_plan("quick"));
  EXPECT_EQ(text.find("stated"), std::string::npos);
  const auto again = from_json<Plan>(text);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->gates.stated.empty());
}

TEST(Plan, its_record_reads_back_to_the_same_bytes) {
  const std::string text = to_json(*built_in_plan("quick"));
  const auto again = from_json<Plan>(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), text);
  const auto stated = parse_plan(
      "cases:\n  - case: p2p.rail.write_bw\ncriteria:\n"
      "  - {id: a.rate, case: p2p.rail.write_bw, at_least: 45gbit, missed: warn}\n",
      "p.yaml");
  ASSERT_TRUE(stated) << stated.error().message;
  const auto back = from_json<Plan>(to_json(*stated));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_json(*back), to_json(*stated));
  ASSERT_EQ(back->gates.stated.size(), 1U);
}

}  // namespace
}  // namespace railgauge
