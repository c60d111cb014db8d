#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/fabric/diagnose/small_fabric.h"

namespace railgauge {
namespace {

std::vector<Round> rounds_of(SmallFabric& f, const std::vector<bool>& living) {
  return confirmation(f.evidence(), f.gates, living, Nanos::ms(500), 700);
}

struct Screened {
  SmallFabric fabric;
  std::vector<bool> living;
  explicit Screened(std::vector<Kind> kinds) : fabric(kinds, 31) {}
  void go() {
    fabric.build();
    fabric.screen();
    living.assign(fabric.schedule.endpoints.size(), true);
  }
};

TEST(Confirmation, one_direction_takes_six_loaded_and_six_lone_rounds_with_two_partners) {
  Screened s({{4, 4, 200e6}});
  s.fabric.slow(3, 2, Direction::send, 0.5);
  s.go();
  const auto rounds = rounds_of(s.fabric, s.living);
  const std::int32_t suspect = s.fabric.endpoint(3, 2);
  std::set<std::int32_t> partners;
  int loaded = 0, alone = 0, id = 700;
  for (const Round& r : rounds) {
    EXPECT_EQ(r.id, id++);
    EXPECT_TRUE(r.fresh);
    EXPECT_EQ(r.duration_ns, Nanos::ms(500).count());
    for (const PairRef& f : r.rule.pairs) {
      if (f.source == suspect) partners.insert(f.target);
      if (f.source == suspect) ++(r.purpose == RoundPurpose::confirm_alone ? alone : loaded);
    }
    EXPECT_EQ(r.rule.pairs.size(), r.purpose == RoundPurpose::confirm_alone ? 1U : 8U);
  }
  EXPECT_EQ(loaded, 6);
  EXPECT_EQ(alone, 6);
  EXPECT_EQ(partners.size(), 2U);
  EXPECT_EQ(rounds.size(), 12U);
}

TEST(Confirmation, suspects_on_different_hosts_share_rounds_and_never_a_nic) {
  Screened s({{6, 2, 200e6}});
  s.fabric.slow(1, 0, Direction::send, 0.5);
  s.fabric.slow(4, 1, Direction::send, 0.5);
  s.go();
  const auto rounds = rounds_of(s.fabric, s.living);
  EXPECT_LE(rounds.size(), 24U);
  EXPECT_GE(rounds.size(), 12U);
  for (const Round& r : rounds) {
    std::set<std::int32_t> ends;
    for (const PairRef& f : r.rule.pairs) {
      EXPECT_TRUE(ends.insert(f.source).second);
      EXPECT_TRUE(ends.insert(f.target).second);
    }
  }
}

TEST(Confirmation, the_dead_are_not_used) {
  Screened s({{4, 2, 200e6}});
  s.fabric.slow(3, 1, Direction::send, 0.5);
  s.go();
  const std::int32_t dead = s.fabric.endpoint(1, 1);
  s.living[static_cast<std::size_t>(dead)] = false;
  const auto rounds = rounds_of(s.fabric, s.living);
  EXPECT_FALSE(rounds.empty());
  for (const Round& r : rounds) {
    for (const PairRef& f : r.rule.pairs) EXPECT_TRUE(f.source != dead && f.target != dead);
  }
  s.living.assign(s.living.size(), false);
  EXPECT_TRUE(rounds_of(s.fabric, s.living).empty());
}

TEST(Confirmation, a_slow_fleet_or_a_healthy_one_needs_none) {
  Screened healthy({{4, 2, 200e6}}), slow({{4, 2, 200e6}});
  slow.fabric.everywhere = 0.7;
  healthy.go();
  slow.go();
  EXPECT_TRUE(rounds_of(healthy.fabric, healthy.living).empty());
  EXPECT_TRUE(rounds_of(slow.fabric, slow.living).empty());
}

TEST(Confirmation, partners_are_one_of_its_leaf_and_one_behind_another) {
  SmallFabric f({{6, 1, 400e9}}, 32, false);
  for (int node = 1; node <= 6; ++node) {
    f.ports.push_back({node <= 3 ? "leafA" : "leafB", "02:00:00:00:0" + std::to_string(node) + ":00"});
  }
  f.slow(1, 0, Direction::send, 0.5);
  f.build();
  f.screen();
  std::set<std::string> leaves;
  for (const Round& r : rounds_of(f, std::vector<bool>(6, true))) {
    if (r.purpose != RoundPurpose::confirm_alone) continue;
    for (const PairRef& p : r.rule.pairs)
      leaves.insert(f.schedule.endpoints[static_cast<std::size_t>(p.target)].leaf);
  }
  EXPECT_EQ(leaves, (std::set<std::string>{"leafA", "leafB"}));
}

}  // namespace
}  // namespace railgauge
