// The contract of every rule in the registry.
#include "fabric/diagnose/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "tests/unit/fabric/diagnose/small_fabric.h"

namespace railgauge {
namespace {

TEST(Rules, names_and_codes_are_unique_and_every_rule_can_be_applied) {
  std::set<std::string_view> names, codes;
  for (const Rule& r : all_rules()) {
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_NE(r.apply, nullptr) << r.name;
    for (const std::string_view c : r.codes) EXPECT_TRUE(codes.insert(c).second) << c;
  }
  EXPECT_GE(names.size(), 12U);
}

TEST(Rules, each_alone_is_silent_on_a_healthy_fabric) {
  SmallFabric f({{4, 4, 200e6}}, 21);
  f.build();
  f.screen();
  const Evidence evidence = f.evidence();  // the picture refers to it
  const Picture p = picture_of(evidence, f.gates);
  for (const Rule& r : all_rules()) {
    Inquiry q{p,
              {},
              std::vector<bool>(p.pairs.size(), false),
              std::vector<bool>(p.pairs.size(), false),
              std::vector<int>(p.endpoints(), -1),
              {},
              false};
    r.apply(q);
    EXPECT_TRUE(q.drafts.empty()) << r.name;
    EXPECT_TRUE(q.suspects.empty()) << r.name;
  }
}

TEST(Rules, give_only_codes_of_the_registry) {
  std::set<std::string_view> codes;
  for (const Rule& r : all_rules()) codes.insert(r.codes.begin(), r.codes.end());
  SmallFabric f({{4, 4, 200e6}}, 22);
  f.slow(3, 2, Direction::send, 0.5);
  f.slow_pair(1, 4, 0, 0.6);
  f.unreachable.insert({2, 3});
  f.silent = {};
  for (const Finding& x : f.run().findings) EXPECT_TRUE(codes.contains(x.code)) << x.code;
}

TEST(Rules, events_of_ranks_and_nodes_are_one_finding_each_without_echo) {
  SmallFabric f({{4, 2, 200e6}}, 23);
  f.build();
  f.screen();
  const std::int32_t e = f.endpoint(2, 1);
  f.samples.events = {{1000, "rank_hung", "h2", e, 3, "its rank is stopped (state T)"},
                      {2000, "rank_died", "h2", e, 3, "was killed by signal 9"},
                      {3000, "node_lost", "h2", -1, 3, "its leader closed the connection"},
                      {4000, "launch_failed", "", -1, 3, "mpirun ended with 1"},
                      {5000, "engine_fact", "h1", 0, -1, "transport=tcp"}};
  EXPECT_EQ(summary(f.judge()), "rank.hung h2 1 -");
  f.samples.events = {{4000, "launch_failed", "", -1, 3, "mpirun ended with 1"}};
  EXPECT_EQ(summary(f.judge()), "launch.failed - - -");
}

TEST(Rules, a_rank_that_dies_twice_fails_the_run_and_once_warns) {
  SmallFabric f({{4, 2, 200e6}}, 24);
  f.build();
  f.screen();
  f.die(2, 1, 3);
  EXPECT_EQ(f.judge().verdict, Verdict::warn);
  f.die(2, 1, 1);
  const Analysis a = f.judge();
  EXPECT_EQ(summary(a), "rank.died h2 1 -");
  EXPECT_EQ(a.verdict, Verdict::fail);
}

TEST(Rules, seldom_failures_all_over_are_one_finding_and_on_busy_hosts_none) {
  for (const bool busy : {false, true}) {
    SmallFabric f({{4, 2, 200e6}}, 26);
    f.build();
    f.screen();
    for (FlowSample& s : f.samples.flows) {
      if (s.round != 0) continue;
      s.status = FlowStatus::failed;
      s.run_delay_ns = busy ? s.interval_ns / 2 : 0;
    }
    EXPECT_EQ(summary(f.judge()), busy ? "" : "flow.failed - - -");
  }
}

// Flows of one round of the screening fail; what measuring them again gives is up to the case.
struct FailedOnce {
  SmallFabric fabric;
  explicit FailedOnce(bool software) : fabric({{6, 2, software ? 200e6 : 400e9}}, 27, software) {
    fabric.build();
    fabric.screen();
    fail([](const FlowSample& s) { return s.round == 0 && s.source == 0; });
  }
  void fail(const std::function<bool(const FlowSample&)>& which) {
    for (FlowSample& s : fabric.samples.flows) {
      if (!which(s)) continue;
      s.status = FlowStatus::failed;
      fmt::format_to_n(s.error, sizeof(s.error) - 1, "too late");
    }
  }
};

TEST(Rules, a_flow_that_failed_once_and_works_again_is_a_note_and_on_software_links_silent) {
  for (const bool software : {false, true}) {
    FailedOnce f(software);
    f.fabric.confirm();
    EXPECT_EQ(f.fabric.confirmation_rounds, 2U);
    const Analysis a = f.fabric.judge();
    EXPECT_EQ(a.verdict, Verdict::pass);
    const auto flows = std::find_if(a.criteria.begin(), a.criteria.end(),
                                    [](const Criterion& c) { return c.id == "p2p.flows"; });
    EXPECT_NE(flows->measured.find("1 of them once and not when measured again"), std::string::npos);
    ASSERT_EQ(a.findings.size(), software ? 0U : 1U);
    if (software) continue;
    EXPECT_EQ(a.findings[0].code, "unsteady");
    EXPECT_EQ(a.findings[0].severity, Severity::note);
  }
}

TEST(Rules, a_flow_that_fails_again_fails_the_run_also_where_it_is_one_of_many) {
  FailedOnce f(true);
  f.fabric.confirm();
  f.fail([&](const FlowSample& s) {
    const Round& r = f.fabric.schedule.rounds.at(static_cast<std::size_t>(s.round));
    return r.purpose != RoundPurpose::screen && s.source == 0;
  });
  const Analysis a = f.fabric.judge();
  EXPECT_EQ(a.verdict, Verdict::fail);
  ASSERT_EQ(a.findings.size(), 1U);
  EXPECT_EQ(a.findings[0].code, "flow.failed");
  EXPECT_NE(a.findings[0].confirm.find("failed again"), std::string::npos);
}

TEST(Rules, ends_of_which_nothing_worked_are_not_tried_again) {
  SmallFabric f({{4, 2, 200e6}}, 28);
  f.unreachable.insert({2, 1});
  const Analysis a = f.run();
  EXPECT_EQ(f.confirmation_rounds, 0U);
  EXPECT_EQ(summary(a), "rail.unreachable h2 1 both");
}

TEST(Rules, latency_far_above_its_class_is_found_but_not_on_software_links) {
  for (const bool software : {false, true}) {
    SmallFabric f({{6, 1, 400e9}}, 25, software);
    f.build();
    f.screen();
    Round round;
    round.id = 1000;
    round.case_id = "p2p.rail.latency";
    round.operation = Operation::write_ping_pong;
    round.size_bytes = 8;
    round.duration_ns = 400000000;
    f.schedule.rounds.push_back(round);
    for (std::int32_t s = 0; s < 6; ++s) {
      for (std::int32_t t = 0; t < 6; ++t) {
        if (s == t) continue;
        FlowSample x;
        x.round = round.id;
        x.source = s;
        x.target = t;
        x.side = Side::send;
        x.latency_count = 10000;
        x.latency_p50_ns = s == 4 || t == 4 ? 2900 : 1500 + 10 * (s + t);
        x.latency_p99_ns = 2 * x.latency_p50_ns;
        x.interval_ns = 300000000;
        f.samples.flows.push_back(x);
      }
    }
    EXPECT_EQ(summary(f.judge()), software ? "" : "latency.high h5 0 both");
  }
}

}  // namespace
}  // namespace railgauge
