// Contract of the registry: whatever a case is, these hold.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fabric/cases/case.h"

namespace railgauge {
namespace {

Groups group_of(std::size_t members) {
  std::vector<Endpoint> endpoints(members);
  for (Endpoint& e : endpoints) e.rail = 0;
  return groups_of(endpoints);
}

CaseRequest request_for(const Case& c, std::size_t members) {
  CaseRequest request;
  request.size = c.default_size(BitRate::gbit(100));
  request.box = c.default_box;
  request.repeats = 2;
  request.members = members;
  return request;
}

TEST(Cases, every_case_has_a_dotted_unique_id_a_title_and_usable_defaults) {
  std::set<std::string_view> ids;
  for (const Case& c : all_cases()) {
    EXPECT_TRUE(ids.insert(c.id).second) << c.id;
    EXPECT_NE(c.id.find('.'), std::string_view::npos);
    EXPECT_FALSE(c.title.empty() || c.unit.empty() || c.needs.empty());
    EXPECT_GT(c.default_size(BitRate()).count(), 0U);
    EXPECT_GT(c.default_box.count(), 0);
    EXPECT_GE(c.default_repeats, 1);
    EXPECT_EQ(find_case(c.id), &c);
  }
  EXPECT_EQ(find_case("p2p.rail.nothing"), nullptr);
}

TEST(Cases,
     every_endpoint_takes_part_in_every_repeat_and_streams_go_both_ways_whatever_the_size_of_the_group) {
  for (const Case& c : all_cases()) {
    for (std::size_t n : {2U, 3U, 4U, 8U, 9U, 17U}) {
      const auto rounds = c.expand(c, request_for(c, n));
      std::map<std::int32_t, std::set<std::int32_t>> senders, ends;
      for (std::size_t i = 0; i < rounds.size(); ++i) {
        EXPECT_EQ(rounds[i].id, static_cast<std::int32_t>(i));
        EXPECT_EQ(rounds[i].case_id, c.id);
        const auto flows = expand(rounds[i].rule, group_of(n));
        EXPECT_FALSE(flows.empty());
        for (const Flow& f : flows) {
          senders[rounds[i].repeat].insert(f.source.value);
          ends[rounds[i].repeat].insert({f.source.value, f.target.value});
        }
      }
      for (std::int32_t repeat : {0, 1}) {
        EXPECT_EQ(ends[repeat].size(), n) << c.id << " n " << n;
        if (c.operation == Operation::write_stream) {
          EXPECT_EQ(senders[repeat].size(), n) << c.id << " n " << n;
        }
      }
    }
  }
}

TEST(Cases, latency_visits_one_rail_after_another) {
  const Case* c = find_case("p2p.rail.latency");
  ASSERT_NE(c, nullptr);
  CaseRequest request = request_for(*c, 4);
  request.groups = 3;
  request.repeats = 1;
  std::map<std::int32_t, int> rounds;
  for (const Round& r : c->expand(*c, request)) ++rounds[r.rule.group];
  EXPECT_EQ(rounds, (std::map<std::int32_t, int>{{0, 3}, {1, 3}, {2, 3}}));
}

TEST(Cases, a_group_of_one_has_nothing_to_measure) {
  for (const Case& c : all_cases()) {
    EXPECT_TRUE(c.expand(c, request_for(c, 1)).empty());
    EXPECT_TRUE(c.expand(c, request_for(c, 0)).empty());
  }
}

TEST(Cases, only_the_first_round_of_a_later_repeat_is_fresh) {
  const Case* c = find_case("p2p.rail.write_bw");
  ASSERT_NE(c, nullptr);
  int fresh = 0;
  for (const Round& r : c->expand(*c, request_for(*c, 4))) fresh += r.fresh ? 1 : 0;
  EXPECT_EQ(fresh, 1);
}

TEST(Cases, slow_rails_get_messages_that_fill_a_window_with_completions) {
  const Case* c = find_case("p2p.rail.write_bw");
  EXPECT_EQ(c->default_size(BitRate::mbit(191)), Bytes::kib(16));
  EXPECT_EQ(c->default_size(BitRate::gbit(1)), Bytes::mib(1));
  EXPECT_EQ(c->default_size(BitRate()), Bytes::mib(1));
}

TEST(Pairing, every_text_reads_back_equal_and_wrong_ones_are_named) {
  for (const char* text : {"automatic", "circle", "shift_pow2", "matchings:3", "neighbours"}) {
    const auto p = parse_pairing(text);
    ASSERT_TRUE(p) << p.error().message;
    EXPECT_EQ(to_text(*p), text);
  }
  for (const char* text :
       {"", "ring", "matchings", "matchings:0", "matchings:3x", "matchings:100000", "circle:2"}) {
    const auto p = parse_pairing(text);
    ASSERT_FALSE(p) << text;
    EXPECT_NE(p.error().message.find(std::string("'") + text + "'"), std::string::npos);
  }
}

TEST(Pairing, automatic_meets_all_pairs_up_to_eight_and_shifts_by_powers_of_two_beyond) {
  EXPECT_EQ(rules_of({}, 8).size(), 7U);
  const auto rules = rules_of({}, 9);
  ASSERT_EQ(rules.size(), 4U);
  EXPECT_EQ(rules[3].kind, RuleKind::shift);
  EXPECT_EQ(rules[3].index, 8);
}

}  // namespace
}  // namespace railgauge
