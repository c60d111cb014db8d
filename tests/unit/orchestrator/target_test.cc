// What a run aims at, from its options and its site file.
#include "orchestrator/target.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace railgauge {
namespace {

class TargetTest : public testing::Test {
 protected:
  ~TargetTest() override { std::filesystem::remove(file_); }
  RunOptions in_lab(const std::string& site) {
    std::ofstream(file_) << site;
    RunOptions options;
    options.lab = "2x2";
    options.site_file = file_;
    return options;
  }
  const std::string file_ = testing::TempDir() + "target_test_" + std::to_string(getpid()) + ".yaml";
};

TEST_F(TargetTest, a_site_file_overrides_of_a_lab_only_what_it_says) {
  const auto target = target_of(in_lab("rank_path: /opt/railgauge-rank\n"));
  ASSERT_TRUE(target);
  EXPECT_EQ(target->site.rank_path, "/opt/railgauge-rank");
  EXPECT_EQ(target->hosts, (std::vector<std::string>{"h1", "h2"}));
  EXPECT_EQ(target->launcher, "lab");
  EXPECT_EQ(target->site.control_interface, "mgmt");
  EXPECT_TRUE(target->site.software_links);
  ASSERT_FALSE(target->site.rates.empty());
  EXPECT_EQ(target->site.rates[0].rate_bits_per_second, 200e6);
  const auto own = target_of(in_lab("name: mine\nrates: [{rate: 100mbit}]\n"));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->site.name, "mine");
  ASSERT_EQ(own->site.rates.size(), 1U);
  EXPECT_EQ(own->site.rates[0].rate_bits_per_second, 100e6);
}

TEST_F(TargetTest, another_launcher_cannot_reach_a_lab) {
  const auto target = target_of(in_lab("launcher: mpirun\n"));
  ASSERT_FALSE(target);
  EXPECT_NE(target.error().message.find("launcher: mpirun cannot reach the hosts of a lab"),
            std::string::npos);
  EXPECT_TRUE(target_of(in_lab("launcher: lab\n")));
}

TEST_F(TargetTest, a_run_to_go_on_with_needs_its_target_again) {
  RunOptions options;
  options.out_mode = OutMode::resume;
  const auto target = target_of(options);
  ASSERT_FALSE(target);
  EXPECT_NE(target.error().message.find("as the run was begun with"), std::string::npos);
}

}  // namespace
}  // namespace railgauge
