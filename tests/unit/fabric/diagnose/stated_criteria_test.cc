#include "fabric/diagnose/stated_criteria.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/diagnose/criteria.h"
#include "proto/json.h"
#include "tests/unit/fabric/diagnose/small_fabric.h"

namespace railgauge {
namespace {

StatedCriterion rate_of_worst(double at_least_bits) {
  StatedCriterion c;
  c.id = "accept.write_bw";
  c.case_id = "p2p.rail.write_bw";
  c.limit = {at_least_bits, "bit/s"};
  c.from = "plan accept.yaml:12";
  return c;
}

// A 4x4 lab of 200 Mbit/s whose healthy flows carry about 191 Mbit/s.
Analysis judged(const StatedCriterion& c, int repeats, const std::function<void(SmallFabric&)>& plant = {}) {
  SmallFabric f({{4, 4, 200e6}}, 7);
  f.gates.stated = {c};
  if (plant) plant(f);
  return f.run(repeats);
}

const Criterion* find(const Analysis& a, std::string_view id) {
  const auto found =
      std::find_if(a.criteria.begin(), a.criteria.end(), [id](const Criterion& c) { return c.id == id; });
  return found == a.criteria.end() ? nullptr : &*found;
}

TEST(StatedCriteria, a_met_limit_passes_with_figure_limit_and_provenance) {
  const Analysis a = judged(rate_of_worst(180e6), 6);
  const Criterion* c = find(a, "accept.write_bw");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->verdict, Verdict::pass) << c->measured;
  EXPECT_EQ(c->title.rfind("p2p.rail.write_bw, 16 KiB: goodput of the worst flow", 0), 0U) << c->title;
  EXPECT_EQ(c->required, "at least 180 Mbit/s");
  EXPECT_EQ(c->from, "plan accept.yaml:12");
  ASSERT_TRUE(c->figure && c->limit);
  EXPECT_NEAR(c->figure->value, 190e6, 4e6);
  EXPECT_EQ(c->limit->value, 180e6);
  EXPECT_NE(c->measured.find("48 flows, 6 repeats or more"), std::string::npos) << c->measured;
}

TEST(StatedCriteria, a_missed_limit_fails_the_run_and_names_the_flow_and_its_findings) {
  const Analysis a =
      judged(rate_of_worst(180e6), 6, [](SmallFabric& f) { f.slow(3, 2, Direction::send, 0.5); });
  const Criterion* c = find(a, "accept.write_bw");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->verdict, Verdict::fail);
  EXPECT_NE(c->measured.find("(h3 rail2 to"), std::string::npos) << c->measured;
  EXPECT_EQ(c->findings, std::vector<std::string>{"F001"});
}

TEST(StatedCriteria, the_median_flow_does_not_feel_one_slow_rail) {
  StatedCriterion c = rate_of_worst(180e6);
  c.flow = FlowChoice::median;
  const Analysis a = judged(c, 6, [](SmallFabric& f) { f.slow(3, 2, Direction::send, 0.5); });
  EXPECT_EQ(find(a, c.id)->verdict, Verdict::pass);
}

TEST(StatedCriteria, a_healthy_fabric_below_a_persons_limit_fails_without_a_finding_and_says_so) {
  const Analysis a = judged(rate_of_worst(195e6), 6);
  EXPECT_EQ(a.verdict, Verdict::fail);
  EXPECT_TRUE(a.findings.empty());
  EXPECT_NE(a.sentence.find("Not met, and no finding says why: accept.write_bw"), std::string::npos)
      << a.sentence;
}

TEST(StatedCriteria, missed_warn_only_warns) {
  StatedCriterion c = rate_of_worst(195e6);
  c.missed = Verdict::warn;
  EXPECT_EQ(judged(c, 6).verdict, Verdict::warn);
}

TEST(StatedCriteria, fewer_repeats_than_a_quoted_number_needs_settle_nothing) {
  for (const double limit : {180e6, 195e6}) {
    const Analysis a = judged(rate_of_worst(limit), 5);
    const Criterion* c = find(a, "accept.write_bw");
    EXPECT_EQ(c->verdict, Verdict::inconclusive) << limit;
    EXPECT_NE(c->measured.find("48 with fewer than 6 repeats"), std::string::npos) << c->measured;
  }
}

// Takes the samples of one flow away.
Analysis without_a_flow(double limit, FlowChoice flow) {
  SmallFabric f({{4, 4, 200e6}}, 7);
  StatedCriterion c = rate_of_worst(limit);
  c.flow = flow;
  f.gates.stated = {c};
  f.run(6);
  const std::int32_t source = f.endpoint(1, 0), target = f.endpoint(2, 0);
  std::erase_if(f.samples.flows,
                [&](const FlowSample& s) { return s.source == source && s.target == target; });
  return f.judge();
}

TEST(StatedCriteria, a_flow_that_was_not_measured_could_be_anything) {
  const auto verdict = [](double limit, FlowChoice flow) {
    return find(without_a_flow(limit, flow), "accept.write_bw")->verdict;
  };
  EXPECT_EQ(verdict(180e6, FlowChoice::worst), Verdict::inconclusive);
  EXPECT_EQ(verdict(195e6, FlowChoice::worst), Verdict::fail) << "the others miss it already";
  EXPECT_EQ(verdict(180e6, FlowChoice::median), Verdict::pass) << "one flow cannot move the median that far";
}

TEST(StatedCriteria, nothing_measured_is_inconclusive) {
  SmallFabric f({{4, 4, 200e6}}, 7);
  f.gates.stated = {rate_of_worst(180e6)};
  f.run(6);
  f.samples = {};
  const Analysis a = f.judge();
  ASSERT_NE(find(a, "accept.write_bw"), nullptr);
  EXPECT_EQ(find(a, "accept.write_bw")->verdict, Verdict::inconclusive);
}

TEST(StatedCriteria, a_case_without_a_round_here_removes_the_criterion_and_is_listed) {
  StatedCriterion c = rate_of_worst(180e6);
  c.case_id = "p2p.gpu.write_bw";
  const Analysis a = judged(c, 6);
  EXPECT_EQ(find(a, c.id), nullptr);
  EXPECT_EQ(a.verdict, Verdict::pass);
  ASSERT_EQ(a.skipped.size(), 1U);
  EXPECT_EQ(a.skipped[0].what, "accept.write_bw");
  EXPECT_EQ(a.skipped[0].reason, SkipReason::not_applicable);
}

TEST(StatedCriteria, a_missed_limit_never_reads_as_met) {
  const Analysis met = judged(rate_of_worst(180e6), 6);
  const double just_above = find(met, "accept.write_bw")->figure->value * 1.0001;
  const Criterion c = *find(judged(rate_of_worst(just_above), 6), "accept.write_bw");
  EXPECT_EQ(c.verdict, Verdict::fail);
  EXPECT_NE(c.measured.find("(0.01 % off)"), std::string::npos) << c.measured;
}

TEST(StatedCriteria, every_criterion_that_we_give_is_known_as_built_in) {
  SmallFabric f({{4, 4, 200e6}}, 7);
  f.slow(3, 2, Direction::send, 0.5);
  Event damage;
  damage.kind = "record_damaged";
  f.run();
  f.samples.events.push_back(damage);
  f.samples.flows.resize(f.samples.flows.size() / 2);
  const Analysis a = f.judge();
  EXPECT_NE(find(a, "rounds"), nullptr);
  EXPECT_NE(find(a, "record"), nullptr);
  for (const Criterion& c : a.criteria) EXPECT_TRUE(is_built_in_criterion(c.id)) << c.id;
  EXPECT_FALSE(is_built_in_criterion("accept.write_bw"));
}

}  // namespace
}  // namespace railgauge
