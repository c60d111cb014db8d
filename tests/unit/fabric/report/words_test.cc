#include "fabric/report/words.h"

#include <gtest/gtest.h>

#include "tests/unit/fabric/report/sample_report.h"

namespace railgauge {
namespace {

TEST(Words, only_an_acceptance_run_says_accept) {
  SampleReport s = healthy_report(4, 4);
  EXPECT_EQ(headline(s.report()), "No fault found");
  s.meta.plan = "accept";
  EXPECT_EQ(headline(s.report()), "Accept");
  s.analysis.simulated = true;
  EXPECT_EQ(headline(s.report()), "No fault found") << "a model cannot be accepted";
  s.analysis.simulated = false;
  s.analysis.verdict = Verdict::fail;
  EXPECT_EQ(headline(s.report()), "Do not accept yet");
  s.analysis.verdict = Verdict::inconclusive;
  EXPECT_EQ(headline(s.report()), "Not decided");
}

TEST(Words, place_names_node_rail_and_nic) {
  Where w;
  EXPECT_EQ(place_text(w), "");
  w.node = "h3";
  w.rail = 2;
  w.nic = "mlx5_2";
  EXPECT_EQ(place_text(w), "h3 rail 2, mlx5_2");
  Where link;
  link.link = LinkEnds{"h1", "h2"};
  link.rail = 0;
  EXPECT_EQ(place_text(link), "h1 - h2, rail 0");
}

TEST(Words, facts_have_code_place_and_figures) {
  EXPECT_EQ(facts_text(faulty_report().analysis.findings[0]),
            "rail.slow at h3 rail 2, rail2: 95.6 Mbit/s measured, 191 Mbit/s expected, 50 %");
  Finding f;
  f.code = "fleet.slow";
  EXPECT_EQ(facts_text(f), "fleet.slow");
}

TEST(Words, comparison_leaves_out_what_was_not_measured) {
  Finding f;
  EXPECT_EQ(comparison_text(f), "");
  f.measured = Quantity{95.6e6, "bit/s"};
  EXPECT_EQ(comparison_text(f), "95.6 Mbit/s measured");
  f.expected = Expected{191.2e6, "bit/s", "site file"};
  EXPECT_EQ(comparison_text(f), "95.6 Mbit/s measured, 191 Mbit/s expected, 50 %");
}

TEST(Words, figures_of_nothing_are_absent_and_not_zero) {
  const Figures f = figures(Analysis{});
  EXPECT_EQ(f.judged, 0U);
  EXPECT_FALSE(f.rate_median_bits_per_second);
  EXPECT_FALSE(f.rate_slowest_bits_per_second);
  EXPECT_FALSE(f.latency_p50_ns);
}

TEST(Words, figures_count_only_what_was_measured_and_name_the_slowest) {
  const SampleReport s = faulty_report();
  const Figures f = figures(s.analysis);
  EXPECT_EQ(f.judged, 14U);
  EXPECT_EQ(f.in_tolerance, 13U);
  EXPECT_EQ(f.slowest, "h3 rail 2");
  EXPECT_DOUBLE_EQ(*f.rate_slowest_bits_per_second, 95.6e6);
}

TEST(Words, criteria_are_counted_worst_first) {
  SampleReport s = faulty_report();
  EXPECT_EQ(criteria_sentence(s.analysis), "2 of 4 criteria are not met");
  EXPECT_EQ(criteria_sentence(healthy_report(2, 1).analysis), "all 4 criteria are met");
  EXPECT_EQ(criteria_sentence(Analysis{}), "no criterion was judged");
}

}  // namespace
}  // namespace railgauge
