#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fabric/cases/schedule.h"

namespace railgauge {
namespace {

std::vector<Endpoint> rail_of(int nodes, const std::string& subnet = "10.0.0.0/24", int rail = 0) {
  std::vector<Endpoint> endpoints;
  for (int i = 0; i < nodes; ++i) {
    Endpoint e;
    e.node = "h" + std::to_string(i + 1);
    e.device = "rail" + std::to_string(rail);
    e.rail = rail;
    e.subnet = subnet;
    endpoints.push_back(e);
  }
  return endpoints;
}

RoundRule rule_of(RuleKind kind, int index, FlowDirection direction = FlowDirection::forward) {
  RoundRule rule;
  rule.kind = kind;
  rule.index = index;
  rule.direction = direction;
  return rule;
}

using Pair = std::pair<int, int>;

TEST(Rules, circle_meets_every_pair_once_and_each_round_is_a_matching_for_even_and_odd_groups) {
  for (int n = 2; n <= 64; ++n) {
    const auto endpoints = rail_of(n);
    const Groups groups = groups_of(endpoints);
    std::map<Pair, int> met;
    for (int r = 0; r < rounds_of(RuleKind::circle, static_cast<std::size_t>(n)); ++r) {
      std::set<int> busy;
      for (const Flow& f : expand(rule_of(RuleKind::circle, r), groups)) {
        EXPECT_TRUE(busy.insert(f.source.value).second);
        EXPECT_TRUE(busy.insert(f.target.value).second);
        ++met[{std::min(f.source.value, f.target.value), std::max(f.source.value, f.target.value)}];
      }
      EXPECT_EQ(busy.size(), static_cast<std::size_t>(n - n % 2));
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(n * (n - 1) / 2)) << n;
    for (const auto& [pair, times] : met) EXPECT_EQ(times, 1);
  }
}

TEST(Rules, backward_is_forward_reversed_and_both_is_their_union) {
  const Groups groups = groups_of(rail_of(7));
  for (const RuleKind kind : {RuleKind::circle, RuleKind::shift, RuleKind::neighbours, RuleKind::matching}) {
    std::set<Pair> forward, reversed, both;
    for (const Flow& f : expand(rule_of(kind, 1), groups)) forward.insert({f.source.value, f.target.value});
    for (const Flow& f : expand(rule_of(kind, 1, FlowDirection::backward), groups)) {
      reversed.insert({f.target.value, f.source.value});
    }
    for (const Flow& f : expand(rule_of(kind, 1, FlowDirection::both), groups)) {
      both.insert({f.source.value, f.target.value});
    }
    EXPECT_FALSE(forward.empty());
    EXPECT_EQ(forward, reversed) << to_text(kind);
    EXPECT_EQ(both.size(), 2 * forward.size()) << to_text(kind);
  }
}

TEST(Rules, shifts_give_every_directed_pair_once) {
  for (int n : {2, 3, 8, 13}) {
    const Groups groups = groups_of(rail_of(n));
    std::map<Pair, int> met;
    for (int k = 1; k <= rounds_of(RuleKind::shift, static_cast<std::size_t>(n)); ++k) {
      for (const Flow& f : expand(rule_of(RuleKind::shift, k), groups)) {
        ++met[{f.source.value, f.target.value}];
      }
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(n * (n - 1)));
    for (const auto& [pair, times] : met) EXPECT_EQ(times, 1);
  }
}

TEST(Rules, shift_by_half_of_the_group_in_both_directions_names_no_flow_twice) {
  const auto flows = expand(rule_of(RuleKind::shift, 2, FlowDirection::both), groups_of(rail_of(4)));
  EXPECT_EQ(flows.size(), 4U);
}

TEST(Rules, an_index_beyond_the_group_gives_nothing) {
  const Groups groups = groups_of(rail_of(4));
  EXPECT_TRUE(expand(rule_of(RuleKind::circle, 3), groups).empty());
  EXPECT_TRUE(expand(rule_of(RuleKind::circle, -1), groups).empty());
  EXPECT_TRUE(expand(rule_of(RuleKind::shift, 4), groups).empty());
  EXPECT_TRUE(expand(rule_of(RuleKind::shift, 0), groups).empty());
  EXPECT_TRUE(expand(rule_of(RuleKind::neighbours, 2), groups).empty());
}

TEST(Rules, groups_of_one_and_none_have_no_rounds_and_no_flows) {
  for (int n : {0, 1}) {
    const Groups groups = groups_of(rail_of(n));
    for (const RuleKind kind :
         {RuleKind::circle, RuleKind::shift, RuleKind::matching, RuleKind::neighbours}) {
      EXPECT_EQ(rounds_of(kind, static_cast<std::size_t>(n)), 0);
      EXPECT_TRUE(expand(rule_of(kind, 0), groups).empty());
      EXPECT_TRUE(expand(rule_of(kind, 1), groups).empty());
    }
  }
}

TEST(Rules, different_subnets_and_different_rails_are_never_paired) {
  auto endpoints = rail_of(5, "10.0.0.0/24");
  for (const auto& e : rail_of(4, "10.0.9.0/24")) endpoints.push_back(e);
  for (const auto& e : rail_of(5, "10.0.0.0/24", 1)) endpoints.push_back(e);
  Endpoint storage;  // rail -1
  endpoints.push_back(storage);
  const Groups groups = groups_of(endpoints);
  ASSERT_EQ(groups.size(), 3U);
  for (const RuleKind kind : {RuleKind::circle, RuleKind::shift, RuleKind::matching, RuleKind::neighbours}) {
    for (int i = 0; i < 6; ++i) {
      for (const Flow& f : expand(rule_of(kind, i, FlowDirection::both), groups)) {
        const Endpoint& a = endpoints[static_cast<std::size_t>(f.source.value)];
        const Endpoint& b = endpoints[static_cast<std::size_t>(f.target.value)];
        EXPECT_EQ(a.rail, b.rail);
        EXPECT_EQ(a.subnet, b.subnet);
        EXPECT_GE(a.rail, 0);
      }
    }
  }
}

TEST(Rules, matching_depends_on_the_seed_only_and_is_perfect) {
  const Groups groups = groups_of(rail_of(33));
  RoundRule rule = rule_of(RuleKind::matching, 0);
  rule.seed = 7;
  const auto a = expand(rule, groups), again = expand(rule, groups);
  rule.seed = 8;
  const auto b = expand(rule, groups);
  EXPECT_EQ(a, again);
  EXPECT_NE(a, b);
  std::set<int> busy;
  for (const Flow& f : a) {
    EXPECT_TRUE(busy.insert(f.source.value).second);
    EXPECT_TRUE(busy.insert(f.target.value).second);
  }
  EXPECT_EQ(busy.size(), 32U);
}

TEST(Rules, the_part_of_every_endpoint_together_is_the_expansion) {
  for (int n = 1; n <= 64; ++n) {
    auto endpoints = rail_of(n);
    for (const auto& e : rail_of(n / 2 + 1, "10.0.1.0/24", 1)) endpoints.push_back(e);
    const Groups groups = groups_of(endpoints);
    const GroupIndex index = index_groups(groups, endpoints.size());
    for (const RuleKind kind : all_values(RuleKind{})) {
      for (const FlowDirection direction : all_values(FlowDirection{})) {
        for (int i : {0, 1, 2, n / 2, n - 1}) {
          RoundRule rule = rule_of(kind, i, direction);
          rule.seed = static_cast<std::uint64_t>(n);
          rule.group = n % 3 - 1;  // all, the first, the second
          if (kind == RuleKind::list) rule.pairs = {{0, n - 1}, {n / 2, 0}, {0, n / 2}};
          std::set<Pair> sent, received, expected;
          for (int e = 0; e < static_cast<int>(endpoints.size()); ++e) {
            const Part part = part_of(rule, groups, index, EndpointIndex{e});
            for (int t : part.sends_to) EXPECT_TRUE(sent.insert({e, t}).second);
            for (int s : part.receives_from) EXPECT_TRUE(received.insert({s, e}).second);
          }
          for (const Flow& f : expand(rule, groups)) expected.insert({f.source.value, f.target.value});
          EXPECT_EQ(sent, expected) << to_text(kind) << " n " << n << " index " << i;
          EXPECT_EQ(received, expected) << to_text(kind) << " n " << n << " index " << i;
        }
      }
    }
  }
}

TEST(Rules, an_endpoint_outside_every_group_has_no_part) {
  const auto endpoints = rail_of(4);
  const Groups groups = groups_of(endpoints);
  const GroupIndex index = index_groups(groups, endpoints.size());
  for (int e : {-1, 4, 1000}) {
    const Part part = part_of(rule_of(RuleKind::circle, 0), groups, index, EndpointIndex{e});
    EXPECT_TRUE(part.sends_to.empty() && part.receives_from.empty());
  }
}

// 2048 nodes of 8 rails: the whole full-pair schedule is 2 x 2047 rules, and a rank needs O(1) for each of
// them.
TEST(Rules, the_full_pair_schedule_of_2048_by_8_is_small_and_one_rank_expands_it_alone) {
  std::vector<Endpoint> endpoints;
  for (int node = 0; node < 2048; ++node) {
    for (int rail = 0; rail < 8; ++rail) {
      Endpoint e;
      e.rail = rail;
      e.subnet = "fe80";
      endpoints.push_back(e);
    }
  }
  const Groups groups = groups_of(endpoints);
  const GroupIndex index = index_groups(groups, endpoints.size());
  std::vector<Round> rounds;
  for (int r = 0; r < rounds_of(RuleKind::circle, 2048); ++r) {
    for (const FlowDirection d : {FlowDirection::forward, FlowDirection::backward}) {
      Round round;
      round.rule = rule_of(RuleKind::circle, r, d);
      rounds.push_back(round);
    }
  }
  EXPECT_EQ(rounds.size(), 4094U);
  EXPECT_LT(rounds.size() * sizeof(Round) + endpoints.size() * sizeof(Endpoint), 10'000'000U);
  std::set<int> partners;
  for (const Round& round : rounds) {
    const Part part = part_of(round.rule, groups, index, EndpointIndex{8003});
    EXPECT_EQ(part.sends_to.size() + part.receives_from.size(), 1U);
    partners.insert(part.sends_to.begin(), part.sends_to.end());
    partners.insert(part.receives_from.begin(), part.receives_from.end());
  }
  EXPECT_EQ(partners.size(), 2047U);
}

}  // namespace
}  // namespace railgauge
