#include "workers/main/arguments.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace railgauge {
namespace {

ReadVariable variables(std::map<std::string, std::string> set) {
  return [set](const char* name) -> std::optional<std::string> {
    const auto found = set.find(name);
    if (found == set.end()) return std::nullopt;
    return found->second;
  };
}

TEST(Arguments, the_modes_and_their_options) {
  EXPECT_EQ(parse_arguments({"--node", "n1"})->mode, RankMode::rank);
  EXPECT_EQ(parse_arguments({"--version"})->mode, RankMode::version);
  const auto probe = parse_arguments(
      {"--probe", "--stdin", "--node", "n1", "--sysfs-root", "/t", "--machine-id-file", "/m"});
  ASSERT_TRUE(probe);
  EXPECT_EQ(probe->mode, RankMode::probe);
  EXPECT_TRUE(probe->from_stdin);
  EXPECT_EQ(probe->sysfs_root, "/t");
  EXPECT_EQ(probe->machine_id_file, "/m");
}

TEST(Arguments, unknown_incomplete_and_nameless_are_input_errors) {
  EXPECT_FALSE(parse_arguments({"--node", "n1", "--token", "x"}));
  EXPECT_FALSE(parse_arguments({"--node"}));
  EXPECT_FALSE(parse_arguments({"--probe"}));
}

TEST(ControlTarget, comes_from_the_environment) {
  const auto t = control_target(variables({{"RAILGAUGE_CONTROL", "1.2.3.4:5"},
                                           {"RAILGAUGE_TOKEN", "abc"},
                                           {"RAILGAUGE_LAUNCH", "7"},
                                           {"RAILGAUGE_RUN_ID", "run"}}),
                                nullptr);
  ASSERT_TRUE(t);
  EXPECT_EQ(t->address, "1.2.3.4:5");
  EXPECT_EQ(t->token, "abc");
  EXPECT_EQ(t->launch, 7);
  EXPECT_EQ(t->run_id, "run");
}

TEST(ControlTarget, comes_from_stdin_as_two_lines_or_as_names) {
  std::istringstream lines("1.2.3.4:5\nabc\n");
  EXPECT_EQ(control_target(variables({}), &lines)->token, "abc");
  std::istringstream names("RAILGAUGE_TOKEN=xyz\r\nRAILGAUGE_CONTROL=1.2.3.4:5\n");
  const auto t = control_target(variables({{"RAILGAUGE_TOKEN", "stale"}}), &names);
  ASSERT_TRUE(t);
  EXPECT_EQ(t->token, "xyz");
  EXPECT_EQ(t->address, "1.2.3.4:5");
}

TEST(ControlTarget, without_a_run_id_the_token_names_the_run_and_is_not_in_the_name) {
  const auto a =
      control_target(variables({{"RAILGAUGE_CONTROL", "1.2.3.4:5"}, {"RAILGAUGE_TOKEN", "abc"}}), nullptr);
  const auto b =
      control_target(variables({{"RAILGAUGE_CONTROL", "1.2.3.4:5"}, {"RAILGAUGE_TOKEN", "abd"}}), nullptr);
  EXPECT_NE(a->run_id, b->run_id);
  EXPECT_EQ(a->run_id.find("abc"), std::string::npos);
}

TEST(ControlTarget, missing_values_and_a_wrong_launch_are_input_errors) {
  EXPECT_FALSE(control_target(variables({{"RAILGAUGE_CONTROL", "1.2.3.4:5"}}), nullptr));
  std::istringstream empty;
  EXPECT_FALSE(control_target(variables({}), &empty));
  for (const char* launch : {"x", "-1", "1x", "99999999999"}) {
    EXPECT_FALSE(control_target(
        variables(
            {{"RAILGAUGE_CONTROL", "1.2.3.4:5"}, {"RAILGAUGE_TOKEN", "a"}, {"RAILGAUGE_LAUNCH", launch}}),
        nullptr))
        << launch;
  }
}

}  // namespace
}  // namespace railgauge
