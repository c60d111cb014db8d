// Canaries: each planted fault is exactly one finding at its place; a healthy fabric is silent.
#include "fabric/diagnose/diagnose.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/fabric/diagnose/small_fabric.h"

namespace railgauge {
namespace {

constexpr std::uint64_t kSeeds = 50, kHealthySeeds = 200;
const std::vector<Kind> kLab = {{4, 4, 200e6}};
const std::vector<Kind> kTwoKinds = {{2, 4, 200e6}, {2, 2, 100e6}};

// Plants by `plant`, runs with every seed, expects exactly `expected` and the verdict.
void always(const std::vector<Kind>& kinds, const std::string& expected, Verdict verdict,
            const std::function<void(SmallFabric&)>& plant, std::uint64_t seeds = kSeeds,
            bool software = true) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SmallFabric f(kinds, seed, software);
    plant(f);
    const Analysis a = f.run();
    ASSERT_EQ(summary(a), expected) << "seed " << seed << ": " << a.sentence;
    ASSERT_EQ(to_text(a.verdict), to_text(verdict)) << "seed " << seed << ": " << a.sentence;
    ASSERT_LE(f.confirmation_rounds, 48U) << "seed " << seed;
  }
}

const auto kNothing = [](SmallFabric&) {};

TEST(Diagnose, healthy_lab_is_silent) { always(kLab, "", Verdict::pass, kNothing, kHealthySeeds); }

TEST(Diagnose, healthy_two_kinds_are_silent) {
  always(kTwoKinds, "", Verdict::pass, kNothing, kHealthySeeds);
}

TEST(Diagnose, healthy_two_nodes_are_silent) { always({{2, 2, 200e6}}, "", Verdict::pass, kNothing); }

TEST(Diagnose, healthy_fabric_needs_no_confirmation) {
  SmallFabric f(kLab, 7);
  f.run();
  EXPECT_EQ(f.confirmation_rounds, 0U);
}

TEST(Diagnose, a_run_that_was_stopped_early_is_not_settled_even_if_all_that_was_measured_is_well) {
  SmallFabric f(kLab, 7);
  f.run();
  const std::int32_t last = f.schedule.rounds.back().id;
  std::erase_if(f.samples.flows, [last](const FlowSample& s) { return s.round == last; });
  std::erase_if(f.samples.counters, [last](const CounterSample& s) { return s.round == last; });
  const Analysis a = f.judge();
  EXPECT_EQ(summary(a), "");
  EXPECT_EQ(a.verdict, Verdict::inconclusive);
  EXPECT_NE(a.sentence.find("Not settled: rounds"), std::string::npos) << a.sentence;
}

TEST(Diagnose, slow_direction_is_named) {
  for (const double remaining : {0.5, 0.9}) {
    const Verdict verdict = Verdict::fail;  // 90 % is below 95 % of its class
    always(kLab, "rail.slow h3 2 send", verdict,
           [&](SmallFabric& f) { f.slow(3, 2, Direction::send, remaining); });
    always(kLab, "rail.slow h1 0 receive", verdict,
           [&](SmallFabric& f) { f.slow(1, 0, Direction::receive, remaining); });
    always(kLab, "rail.slow h4 3 both", verdict,
           [&](SmallFabric& f) { f.slow(4, 3, Direction::both, remaining); });
  }
}

TEST(Diagnose, a_little_loss_by_acknowledgements_is_not_a_second_direction) {
  always(kLab, "rail.slow h2 1 send", Verdict::fail, [](SmallFabric& f) {
    f.slow(2, 1, Direction::send, 0.5);
    f.acknowledgement_loss = 0.12;
  });
}

TEST(Diagnose, two_slow_rails_on_different_hosts_are_two_findings) {
  always(kLab, "rail.slow h1 1 send\nrail.slow h4 2 receive", Verdict::fail, [](SmallFabric& f) {
    f.slow(1, 1, Direction::send, 0.4);
    f.slow(4, 2, Direction::receive, 0.6);
  });
  always(kLab, "rail.slow h1 1 send\nrail.slow h4 1 receive", Verdict::fail, [](SmallFabric& f) {
    f.slow(1, 1, Direction::send, 0.4);
    f.slow(4, 1, Direction::receive, 0.6);
  });
}

TEST(Diagnose, all_rails_of_a_node_are_one_finding) {
  always(kLab, "node.slow h2 - both", Verdict::fail, [](SmallFabric& f) {
    for (int rail = 0; rail < 4; ++rail) f.slow(2, rail, Direction::both, 0.6);
  });
}

TEST(Diagnose, a_slow_fleet_is_one_finding) {
  always(kLab, "fleet.slow - - -", Verdict::fail, [](SmallFabric& f) { f.everywhere = 0.8; });
}

TEST(Diagnose, a_slow_rail_in_a_slow_fleet_is_found_by_its_peers) {
  always(kLab, "rail.slow h3 2 send\nfleet.slow - - -", Verdict::fail, [](SmallFabric& f) {
    f.everywhere = 0.8;
    f.slow(3, 2, Direction::send, 0.5);
  });
}

TEST(Diagnose, one_rail_slow_on_all_nodes_is_that_rail) {
  always(kLab, "rail.slow_everywhere - 2 both", Verdict::fail, [](SmallFabric& f) {
    for (int node = 1; node <= 4; ++node) f.slow(node, 2, Direction::both, 0.5);
  });
}

TEST(Diagnose, one_slow_pair_is_a_route) {
  always(kLab, "route.slow h1 rail1|h3 rail1 1 -", Verdict::fail,
         [](SmallFabric& f) { f.slow_pair(1, 3, 1, 0.5); });
}

TEST(Diagnose, a_pair_cured_by_new_queue_pairs_is_a_collision_and_passes) {
  always(
      {{4, 4, 400e9}}, "route.collision h1 rail 1 (mlx5_1)|h3 rail 1 (mlx5_1) 1 -", Verdict::pass,
      [](SmallFabric& f) {
        f.slow_pair(1, 3, 1, 0.5);
        f.screen_only = true;
      },
      kSeeds, false);
}

TEST(Diagnose, a_loss_that_does_not_come_again_is_unsteady_and_passes) {
  always(kLab, "unsteady h3 2 send", Verdict::pass, [](SmallFabric& f) {
    f.slow(3, 2, Direction::send, 0.5);
    f.screen_only = true;
  });
}

TEST(Diagnose, slow_under_load_only_is_a_shared_resource) {
  always(kLab, "rail.slow_under_load h3 2 send", Verdict::fail,
         [](SmallFabric& f) { f.slow_under_load(3, 2, 0.7); });
}

TEST(Diagnose, two_nodes_cannot_tell_and_say_so) {
  always({{2, 2, 200e6}}, "rail.slow_either_end h1 rail1|h2 rail1 1 -", Verdict::inconclusive,
         [](SmallFabric& f) { f.slow(1, 1, Direction::send, 0.5); });
  always({{2, 1, 200e6}}, "rail.slow_either_end h1 rail0|h2 rail0 0 both", Verdict::inconclusive,
         [](SmallFabric& f) { f.slow(1, 0, Direction::both, 0.5); });
}

TEST(Diagnose, a_fast_kind_with_two_nodes_is_not_cleared_by_slow_partners) {
  always(kTwoKinds, "rail.slow_either_end h1 rail0|h2 rail0 0 -", Verdict::inconclusive,
         [](SmallFabric& f) { f.slow(1, 0, Direction::send, 0.5); });
}

TEST(Diagnose, a_slow_nic_of_the_slow_kind_is_found) {
  always(kTwoKinds, "rail.slow h3 1 send", Verdict::fail,
         [](SmallFabric& f) { f.slow(3, 1, Direction::send, 0.5); });
}

TEST(Diagnose, thirty_two_nodes_find_a_loss_of_eight_percent_by_peers) {
  always(
      {{32, 1, 200e6}}, "rail.slow h17 0 receive", Verdict::fail,
      [](SmallFabric& f) { f.slow(17, 0, Direction::receive, 0.92); }, 10);
  always({{32, 1, 200e6}}, "", Verdict::pass, kNothing, 10);
}

TEST(Diagnose, disturbed_samples_alone_make_no_finding) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SmallFabric f(kLab, seed);
    f.disturbed_share = 0.2;
    EXPECT_EQ(summary(f.run()), "") << "seed " << seed;
  }
}

TEST(Diagnose, a_fault_is_found_among_disturbed_samples) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SmallFabric f(kLab, seed);
    f.disturbed_share = 0.1;
    f.slow(3, 2, Direction::send, 0.5);
    EXPECT_EQ(summary(f.run()), "rail.slow h3 2 send") << "seed " << seed;
  }
}

TEST(Diagnose, a_dead_rank_is_one_finding_and_its_round_blames_nobody) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SmallFabric f(kLab, seed);
    f.build();
    f.screen();
    f.die(3, 1, static_cast<int>(seed % 18));
    f.confirm();
    const Analysis a = f.judge();
    EXPECT_EQ(summary(a), "rank.died h3 1 -") << "seed " << seed;
    EXPECT_EQ(a.findings.front().severity, Severity::major);
    EXPECT_EQ(a.coverage.measured, 16);
  }
}

TEST(Diagnose, a_missing_nic_is_one_finding_and_costs_coverage) {
  always(kLab, "nic.missing h2 1 -", Verdict::fail, [](SmallFabric& f) {
    f.change_facts = [](std::vector<NodeFacts>& facts) { facts[1].nics.erase(facts[1].nics.begin() + 1); };
  });
}

TEST(Diagnose, a_rail_that_is_down_is_one_finding) {
  always(kLab, "rail.down h4 0 both", Verdict::fail, [](SmallFabric& f) {
    f.change_facts = [](std::vector<NodeFacts>& facts) { facts[3].nics[0].state = "down"; };
  });
}

TEST(Diagnose, swapped_cables_take_their_slow_flows_as_evidence) {
  always(kLab, "cable.swapped h3 2 -", Verdict::fail, [](SmallFabric& f) {
    for (int node = 1; node <= 4; ++node) {
      for (int rail = 0; rail < 4; ++rail) {
        const int leaf = node == 3 && rail >= 2 ? 5 - rail : rail;
        f.ports.push_back(
            {fmt::format("leaf{}", leaf), fmt::format("02:00:00:00:{:02x}:{:02x}", node, rail)});
      }
    }
    f.slow(3, 2, Direction::both, 0.5);
    f.slow(3, 3, Direction::both, 0.5);
  });
}

TEST(Diagnose, a_silent_node_is_one_finding_and_its_rails_are_planned) {
  SmallFabric f(kLab, 3);
  f.silent = {"h4"};
  const Analysis a = f.run();
  EXPECT_EQ(summary(a), "node.silent h4 - -");
  EXPECT_EQ(a.coverage.planned, 16);
  EXPECT_EQ(a.coverage.measured, 12);
  EXPECT_EQ(a.coverage.nodes_answered, 3);
  EXPECT_EQ(a.verdict, Verdict::fail);
}

TEST(Diagnose, an_end_whose_flows_all_fail_is_unreachable) {
  always(kLab, "rail.unreachable h2 3 both", Verdict::fail, [](SmallFabric& f) {
    f.unreachable.insert({2, 3});
  });
}

TEST(Diagnose, wrong_payload_of_one_sender_is_one_finding) {
  always(
      kLab, "payload.wrong h2 3 send", Verdict::fail,
      [](SmallFabric& f) {
        for (const int target : {1, 3, 4}) f.wrong.insert({2, target, 3});
      },
      5);
}

TEST(Diagnose, uplinks_of_one_leaf_are_that_leaf) {
  always(
      {{6, 1, 400e9}}, "leaf.slow leafA|uplinks - -", Verdict::fail,
      [](SmallFabric& f) {
        for (int node = 1; node <= 6; ++node) {
          f.ports.push_back({fmt::format("leaf{}", node <= 2   ? 'A'
                                                   : node <= 4 ? 'B'
                                                               : 'C'),
                             fmt::format("02:00:00:00:{:02x}:00", node)});
        }
        f.slow_between("leafA", 0.5);
      },
      10, false);
}

TEST(Diagnose, nothing_measured_is_inconclusive_and_not_a_pass) {
  SmallFabric f(kLab, 1);
  f.build();
  const Analysis a = f.judge();
  EXPECT_EQ(a.verdict, Verdict::inconclusive);
  EXPECT_EQ(a.coverage.measured, 0);
  EXPECT_EQ(a.endpoints.size(), 16U);
}

TEST(Diagnose, traffic_over_a_foreign_nic_fails_the_proof) {
  SmallFabric f({{3, 2, 200e6}}, 1);  // three nodes: one NIC of each rail has no flow in a round
  f.wrong_nic_share = 0.5;
  const Analysis a = f.run();
  EXPECT_GT(a.proof_worst_other, 0.4);
  EXPECT_EQ(a.verdict, Verdict::fail);
  SmallFabric good({{3, 2, 200e6}}, 1);
  const Analysis b = good.run();
  EXPECT_GT(b.proof_worst_share, 0.99);
  EXPECT_LT(b.proof_worst_other, 0.01);
}

TEST(Diagnose, a_finding_says_what_why_and_what_to_do) {
  SmallFabric f(kLab, 5);
  f.slow(3, 2, Direction::send, 0.5);
  const Analysis a = f.run();
  ASSERT_EQ(a.findings.size(), 1U);
  const Finding& x = a.findings[0];
  EXPECT_EQ(x.id, "F001");
  EXPECT_NEAR(x.measured->value / x.expected->value, 0.5, 0.02);
  EXPECT_EQ(x.expected->from, "site file: 200 Mbit/s x 0.956");
  EXPECT_FALSE(x.causes.empty());
  EXPECT_GE(x.evidence.size(), 2U);
  EXPECT_FALSE(x.actions.empty());
  EXPECT_NE(x.confirm.find("alone"), std::string::npos) << x.confirm;
  EXPECT_LE(f.confirmation_rounds, 24U);
  const auto slow = std::count_if(a.endpoints.begin(), a.endpoints.end(),
                                  [](const EndpointResult& e) { return e.state == "slow"; });
  EXPECT_EQ(slow, 1);
}

TEST(Diagnose, an_observed_narrow_link_explains_and_does_not_excuse) {
  SmallFabric f({{4, 4, 400e9}}, 5, false);
  f.change_facts = [](std::vector<NodeFacts>& facts) { facts[2].nics[2].rate_bits_per_second = 200e9; };
  f.slow(3, 2, Direction::both, 0.5);
  const Analysis a = f.run();
  ASSERT_EQ(summary(a), "rail.slow h3 2 both");
  ASSERT_TRUE(a.findings[0].explained_by.has_value());
  EXPECT_NEAR(a.findings[0].explained_by->value, 198.7e9, 1e9);
  EXPECT_NEAR(a.findings[0].expected->value, 397.5e9, 1e9);
}

}  // namespace
}  // namespace railgauge
