#include "orchestrator/launch/launchers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "orchestrator/launch/fake_launcher.h"
#include "orchestrator/launch/remote_word.h"

namespace railgauge {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::vector<NodeRanks> kNodes{{"h1", 4}, {"h2", 2}};
const std::vector<std::pair<std::string, std::string>> kSecret{{"RAILGAUGE_TOKEN", "s3cret"}};

std::unique_ptr<Launcher> made(const char* name, LauncherOptions options = {}) {
  if (options.railgauge.empty()) options.railgauge = "/opt/railgauge";
  return std::move(make_launcher(name, options).value());
}

bool in_sequence(const std::vector<std::string>& argv, const std::vector<std::string>& part) {
  return std::search(argv.begin(), argv.end(), part.begin(), part.end()) != argv.end();
}

// Contract: walks the registry.
TEST(Launchers, every_launcher_keeps_secrets_out_of_arguments_and_names_each_node) {
  for (const std::string& name : launcher_names()) {
    const auto launcher = made(name.c_str());
    EXPECT_EQ(launcher->name(), name);
    const Command c = launcher->mpi(kNodes, {"/opt/rank", "--engine", "ucx"}, kSecret);
    for (const std::string& a : c.argv) EXPECT_THAT(a, Not(HasSubstr("s3cret"))) << name;
    EXPECT_THAT(c.environment, Contains(std::pair<std::string, std::string>("RAILGAUGE_TOKEN", "s3cret")))
        << name;
    EXPECT_TRUE(in_sequence(c.argv, {"-x", "RAILGAUGE_TOKEN"})) << name;
    EXPECT_TRUE(in_sequence(c.argv, {"/opt/rank", "--engine", "ucx", "--node", "h1", ":", "-np", "2"}))
        << name;
    EXPECT_TRUE(in_sequence(c.argv, {"/opt/rank", "--engine", "ucx", "--node", "h2"})) << name;
    EXPECT_TRUE(in_sequence(c.argv, {"--mca", "pml", "ob1"})) << name;
    EXPECT_THAT(c.argv, Contains("--enable-recovery")) << name;
    const Command probe = launcher->on_node("h2", {"/opt/rank", "--probe"});
    EXPECT_TRUE(in_sequence(probe.argv, {"/opt/rank", "--probe"})) << name;
  }
}

TEST(Launchers, management_interface_is_named_to_mpi_and_site_arguments_come_before_the_program) {
  LauncherOptions options;
  options.interface = "eno1";
  options.extra_arguments = {"--mca", "x", "y"};
  const auto argv = made("mpirun", options)->mpi(kNodes, {"/opt/rank"}, {}).argv;
  EXPECT_TRUE(in_sequence(argv, {"--mca", "btl_tcp_if_include", "eno1"}));
  EXPECT_TRUE(in_sequence(argv, {"--mca", "oob_tcp_if_include", "eno1"}));
  EXPECT_TRUE(in_sequence(argv, {"--mca", "x", "y", "-np", "4", "--host", "h1:4", "/opt/rank"}));
}

TEST(Launchers, local_names_no_host) {
  EXPECT_THAT(made("local")->mpi(kNodes, {"/opt/rank"}, {}).argv, Not(Contains("--host")));
  EXPECT_THAT(made("local")->on_node("any", {"/opt/rank", "--probe"}).argv,
              ElementsAre("/opt/rank", "--probe"));
}

TEST(Launchers, mpirun_probes_by_ssh_that_never_asks) {
  const auto argv = made("mpirun")->on_node("n1", {"/opt/my rank", "--probe"}).argv;
  EXPECT_THAT(argv, ElementsAre("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "--", "n1",
                                "'/opt/my rank'", "--probe"));
}

TEST(Launchers, lab_goes_through_lab_exec) {
  const auto argv = made("lab")->mpi(kNodes, {"/opt/rank"}, {}).argv;
  EXPECT_TRUE(in_sequence(argv, {"--mca", "plm_rsh_agent", "/opt/railgauge lab-exec"}));
  EXPECT_TRUE(in_sequence(argv, {"--mca", "oob_tcp_if_include", "10.9.0.0/24"}));
  EXPECT_THAT(made("lab")->on_node("h2", {"/opt/rank"}).argv,
              ElementsAre("/opt/railgauge", "lab-exec", "h2", "--exec", "/opt/rank"));
}

TEST(Launchers, unknown_name_lists_the_known_ones) {
  const auto launcher = make_launcher("slurm", {});
  ASSERT_FALSE(launcher.has_value());
  EXPECT_EQ(launcher.error().message, "launcher slurm: unknown; one of lab, local, mpirun");
}

TEST(Launchers, path_that_mpirun_would_split_is_refused) {
  LauncherOptions options;
  options.railgauge = "/home/a b/railgauge";
  EXPECT_FALSE(make_launcher("lab", options).has_value());
}

TEST(RemoteWord, what_a_shell_would_change_is_quoted) {
  EXPECT_EQ(remote_word("/opt/rank-1.0"), "/opt/rank-1.0");
  EXPECT_EQ(remote_word(""), "''");
  EXPECT_EQ(remote_word("a;b"), "'a;b'");
  EXPECT_EQ(remote_word("it's $HOME"), "'it'\\''s $HOME'");
}

TEST(FakeLauncher, answers_as_told_and_keeps_what_was_asked) {
  FakeLauncher fake;
  fake.answers["h2"] = {"/bin/false"};
  EXPECT_THAT(fake.on_node("h1", {"/opt/rank"}).argv, ElementsAre("/opt/rank"));
  EXPECT_THAT(fake.on_node("h2", {"/opt/rank"}).argv, ElementsAre("/bin/false"));
  EXPECT_THAT(fake.mpi(kNodes, {"/opt/rank"}, kSecret).argv, ElementsAre("/opt/rank", "--node", "h1"));
  ASSERT_EQ(fake.asked.size(), 1U);
  EXPECT_EQ(fake.asked[0].nodes[1].ranks, 2);
}

}  // namespace
}  // namespace railgauge
