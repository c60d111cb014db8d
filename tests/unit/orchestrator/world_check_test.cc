#include "orchestrator/world_check.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

constexpr const char* kBuild = "0.1.0-abc";

struct World {
  std::vector<Endpoint> endpoints;
  std::vector<std::int32_t> living;
  std::vector<RankReport> ranks;
};

World healthy() {
  World w;
  for (int i = 0; i < 4; ++i) {
    Endpoint e;
    e.node = i < 2 ? "h1" : "h2";
    e.device = "rail" + std::to_string(i % 2);
    w.endpoints.push_back(e);
    w.living.push_back(i);
    RankReport r;
    r.node = e.node;
    r.rank = i;
    r.world_size = 4;
    r.endpoint = i;
    r.environment_hash = 17;
    r.environment = "UCX_LOG_LEVEL=warn\nUCX_TLS=tcp,self";
    r.build_id = kBuild;
    w.ranks.push_back(r);
  }
  return w;
}

std::string fault(const World& w) {
  const auto result = check_world(w.ranks, w.living, w.endpoints, kBuild);
  return result ? "" : result.error().message;
}

TEST(WorldCheck, one_world_of_one_build_in_one_environment_passes) { EXPECT_EQ(fault(healthy()), ""); }

TEST(WorldCheck, another_build_on_one_host_is_named) {
  World w = healthy();
  w.ranks[3].build_id = "0.1.0-def";
  EXPECT_NE(fault(w).find("h2: railgauge-rank is of another build (0.1.0-def)"), std::string::npos)
      << fault(w);
}

TEST(WorldCheck, many_worlds_of_one_rank_are_named_as_what_they_are) {
  World w = healthy();
  for (RankReport& r : w.ranks) {
    r.world_size = 1;
    r.rank = 0;
    r.endpoint = 0;
  }
  EXPECT_NE(fault(w).find("a world of 1 instead of one world of 4"), std::string::npos) << fault(w);
}

TEST(WorldCheck, a_wrong_world_size_on_one_node_is_named) {
  World w = healthy();
  w.ranks[2].world_size = 3;
  EXPECT_EQ(fault(w), "h2: rank 2 sees a world of 3, 4 were started");
}

TEST(WorldCheck, the_odd_environment_is_named_with_its_first_difference) {
  World w = healthy();
  w.ranks[0].environment_hash = 99;
  w.ranks[0].environment = "UCX_LOG_LEVEL=warn\nUCX_TLS=all";
  EXPECT_EQ(fault(w), "h1: its environment differs: UCX_TLS=tcp,self on h1, UCX_TLS=all on h1");
  w.ranks[0].node = "h1";
  w.ranks[1].environment_hash = 99;
  w.ranks[1].environment = w.ranks[0].environment;
  w.ranks[2].environment_hash = 17;
  EXPECT_NE(fault(w).find("its environment differs"), std::string::npos);
}

TEST(WorldCheck, a_variable_set_on_one_side_only_is_a_difference) {
  EXPECT_EQ(environment_difference("A=1\nB=2", "h1", "A=1", "h2"), "B=2 on h1, not set on h2");
  EXPECT_EQ(environment_difference("A=1", "h1", "A=1\nB=2", "h2"), "B=2 on h2, not set on h1");
  EXPECT_NE(environment_difference("A=1", "h1", "A=1", "h2").find("beyond"), std::string::npos);
}

TEST(WorldCheck, control_characters_of_a_foreign_environment_are_not_printed) {
  const std::string text = environment_difference("A=\x1b[31m", "h1", "A=1", "h2");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(WorldCheck, a_missing_rank_a_double_rank_and_a_foreign_endpoint_are_named) {
  World w = healthy();
  w.ranks.pop_back();
  EXPECT_EQ(fault(w), "h2: no rank for rail1");
  w = healthy();
  w.ranks[1].rank = 0;
  EXPECT_EQ(fault(w), "h1: rank 0 was already reported by h1");
  w = healthy();
  w.ranks[1].endpoint = 3;
  EXPECT_NE(fault(w).find("h1: rank 1 drives endpoint 3"), std::string::npos);
  w = healthy();
  w.ranks[1].endpoint = 400;
  EXPECT_NE(fault(w).find("h1: rank 1 drives endpoint 400"), std::string::npos);
  w.ranks.clear();
  EXPECT_NE(fault(w).find("no rank was reported"), std::string::npos);
}

TEST(WorldCheck, a_rank_whose_engine_did_not_open_is_no_fault_of_the_world) {
  World w = healthy();
  w.ranks[2].error = "rail0 is down";
  EXPECT_EQ(fault(w), "");
}

}  // namespace
}  // namespace railgauge
