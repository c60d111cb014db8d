#include "fabric/diagnose/blame.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace railgauge {
namespace {

// All ordered pairs of n ends; rate 50 where bad.
std::vector<Edge> complete(int n, const std::function<bool(int, int)>& bad) {
  std::vector<Edge> edges;
  for (int s = 0; s < n; ++s) {
    for (int t = 0; t < n; ++t) {
      if (s != t) edges.push_back({s, t, bad(s, t) ? 0.5 : 1.0, bad(s, t), bad(s, t) ? 50.0 : 100.0});
    }
  }
  return edges;
}

std::set<std::pair<int, Direction>> ends(const Blame& b) {
  std::set<std::pair<int, Direction>> all;
  for (const BlamedEnd& e : b.ends) all.insert({e.endpoint, e.direction});
  return all;
}
using Ends = std::set<std::pair<int, Direction>>;

TEST(Blame, nothing_bad_blames_nobody) {
  const Blame b = blame_ends(complete(6, [](int, int) { return false; }), 6);
  EXPECT_TRUE(b.ends.empty());
  EXPECT_TRUE(b.leftover.empty());
  EXPECT_TRUE(blame_ends({}, 0).ends.empty());
}

TEST(Blame, all_flows_of_a_sender_are_that_sender) {
  for (const int n : {3, 4, 9}) {
    const Blame b = blame_ends(complete(n, [](int s, int) { return s == 1; }), static_cast<std::size_t>(n));
    EXPECT_EQ(ends(b), (Ends{{1, Direction::send}})) << n;
    EXPECT_TRUE(b.leftover.empty());
  }
}

TEST(Blame, three_slow_of_four_senders_do_not_blame_the_receiver_that_sees_only_them) {
  const Blame b = blame_ends(complete(4, [](int s, int) { return s < 3; }), 4);
  EXPECT_EQ(ends(b), (Ends{{0, Direction::send}, {1, Direction::send}, {2, Direction::send}}));
}

TEST(Blame, a_sender_and_a_receiver_at_once_are_two) {
  const Blame b = blame_ends(complete(4, [](int s, int t) { return s == 0 || t == 3; }), 4);
  EXPECT_EQ(ends(b), (Ends{{0, Direction::send}, {3, Direction::receive}}));
}

TEST(Blame, one_bad_pair_is_left_over) {
  const Blame b = blame_ends(complete(4, [](int s, int t) { return s == 0 && t == 2; }), 4);
  EXPECT_TRUE(b.ends.empty());
  EXPECT_EQ(b.leftover.size(), 1U);
}

TEST(Blame, a_good_flow_to_a_slower_partner_clears_nobody) {
  // 0 sends 50 to the fast ones 1 and 2, and 50 to 3, which can take no more.
  std::vector<Edge> edges = {{0, 1, 0.5, true, 50},
                             {0, 2, 0.5, true, 50},
                             {0, 3, 1, false, 50},
                             {0, 4, 1, false, 50},
                             {0, 5, 1, false, 50}};
  for (int t : {1, 2}) edges.push_back({6, t, 1, false, 100});
  EXPECT_EQ(ends(blame_ends(edges, 7)), (Ends{{0, Direction::send}}));
}

}  // namespace
}  // namespace railgauge
