#include "orchestrator/lab/lab_spec.h"

#include <gtest/gtest.h>

#include "proto/json.h"

namespace railgauge {
namespace {

TEST(LabSpec, size_alone_has_the_default_rate_and_numbered_hosts) {
  const auto spec = parse_lab_spec("4x2");
  ASSERT_TRUE(spec.has_value());
  const std::vector<LabHost> hosts = hosts_of(*spec);
  ASSERT_EQ(hosts.size(), 4U);
  EXPECT_EQ(hosts[3], (LabHost{"h4", 4, 2, BitRate::mbit(200)}));
}

TEST(LabSpec, kinds_follow_each_other) {
  const auto spec = parse_lab_spec("2x4@200mbit,2x2@100mbit");
  ASSERT_TRUE(spec.has_value());
  const std::vector<LabHost> hosts = hosts_of(*spec);
  ASSERT_EQ(hosts.size(), 4U);
  EXPECT_EQ(hosts[1], (LabHost{"h2", 2, 4, BitRate::mbit(200)}));
  EXPECT_EQ(hosts[2], (LabHost{"h3", 3, 2, BitRate::mbit(100)}));
  EXPECT_EQ(rails_of(*spec), 4);
}

TEST(LabSpec, impossible_sizes_are_input_errors) {
  for (const char* text :
       {"", "4", "x", "0x4", "4x0", "-1x4", "4x33", "201x1", "150x1,51x1", "4x4@", "4x4@fast", "4x4@1bit",
        "4x4@900gbit", "4x4,", "4x4x4", "99999999999x1", "4 x 4"}) {
    const auto spec = parse_lab_spec(text);
    ASSERT_FALSE(spec.has_value()) << text;
    EXPECT_EQ(spec.error().kind, ErrorKind::input) << text;
  }
}

TEST(LabSpec, every_fault_reads_back_from_its_own_text) {
  for (const char* text : {"slow:h3:rail2:0.5:send", "slow:h3:rail2:0.25:receive", "slow:h1:rail0:0.9:both",
                           "down:h2:rail1", "swap:h2:rail2:rail3", "missing:h4:rail0", "cpu-hog:h1:2"}) {
    const auto fault = parse_lab_fault(text);
    ASSERT_TRUE(fault.has_value()) << text;
    EXPECT_EQ(to_text(*fault), text);
  }
}

TEST(LabSpec, slow_without_direction_is_both) {
  const auto fault = parse_lab_fault("slow:h3:rail2:0.5");
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->direction, LabDirection::both);
}

TEST(LabSpec, malformed_faults_name_the_wrong_word_and_the_form) {
  const std::vector<std::pair<const char*, const char*>> wrong = {
      {"", "'' is none of slow, down, swap, missing, cpu-hog"},
      {"melt:h1:rail0", "'melt' is none of"},
      {"slow", "too short: write slow:HOST:railN:SHARE"},
      {"slow:h3", "too short: write slow:"},
      {"slow:h3:rail2", "too short: write slow:"},
      {"slow:h3:rail2:0", "'0' is wrong there: write slow:"},
      {"slow:h3:rail2:1", "'1' is wrong there"},
      {"slow:h3:rail2:nan", "'nan' is wrong there"},
      {"slow:h3:rail2:-0.5", "'-0.5' is wrong there"},
      {"slow:h3:rail2:0.5:up", "'up' is wrong there"},
      {"slow:h3:rail2:0.5:send:x", "'x' is wrong there"},
      {"down:h3:2", "'2' is wrong there: write down:HOST:railN"},
      {"down::rail1", "'' is wrong there"},
      {"down:h2:rail1:x", "'x' is wrong there"},
      {"down:h2:rail99", "'rail99' is wrong there"},
      {"swap:h2:rail2", "too short: write swap:HOST:railN:railM"},
      {"swap:h2:rail2:rail2", "'rail2' is wrong there"},
      {"cpu-hog:h1", "too short: write cpu-hog:HOST:COUNT"},
      {"cpu-hog:h1:0", "'0' is wrong there"},
      {"cpu-hog:h1:999", "'999' is wrong there"},
      {"cpu-hog:h1:2:x", "'x' is wrong there"}};
  for (const auto& [text, says] : wrong) {
    const auto fault = parse_lab_fault(text);
    ASSERT_FALSE(fault.has_value()) << text;
    EXPECT_NE(fault.error().message.find(says), std::string::npos) << fault.error().message;
  }
}

Result<void> check_with(const std::vector<const char*>& faults) {
  LabSpec spec = parse_lab_spec("2x4,1x2").value();
  for (const char* f : faults) spec.faults.push_back(parse_lab_fault(f).value());
  return check_lab_spec(spec);
}

TEST(LabSpec, faults_must_fit_the_lab) {
  EXPECT_TRUE(check_with({"slow:h3:rail1:0.5", "slow:h2:rail3:0.5", "swap:h1:rail0:rail1", "cpu-hog:h1:1"})
                  .has_value());
  EXPECT_FALSE(check_with({"slow:h4:rail1:0.5"}).has_value());
  EXPECT_FALSE(check_with({"slow:h3:rail2:0.5"}).has_value());
  EXPECT_FALSE(check_with({"swap:h3:rail0:rail2"}).has_value());
  EXPECT_FALSE(check_with({"slow:h1:rail0:0.5", "down:h1:rail0"}).has_value());
  EXPECT_FALSE(check_with({"swap:h1:rail0:rail1", "missing:h1:rail1"}).has_value());
}

TEST(LabSpec, names_never_look_like_sizes_or_paths) {
  EXPECT_TRUE(is_lab_name("lab-2"));
  for (const char* text : {"", "4x4", "-a", "a/b", "..", "a b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    EXPECT_FALSE(is_lab_name(text)) << text;
  }
}

TEST(LabSpec, site_states_each_kinds_rate_with_the_share_that_tcp_leaves) {
  const Site site = lab_site(parse_lab_spec("2x4@200mbit,2x2@100mbit").value());
  ASSERT_EQ(site.rates.size(), 2U);
  EXPECT_EQ(site.rates[1].nodes, (std::vector<std::string>{"h3", "h4"}));
  EXPECT_EQ(site.rates[1].nics, (std::vector<std::string>{"rail0", "rail1"}));
  EXPECT_DOUBLE_EQ(site.rates[1].rate_bits_per_second, 100e6);
  EXPECT_DOUBLE_EQ(site.rates[0].payload_share, 1448.0 / 1514.0);
  EXPECT_TRUE(site.software_links);
  EXPECT_EQ(site.launcher, "lab");
  EXPECT_EQ(site.control_interface, "mgmt");
}

TEST(LabSpec, state_keeps_the_spec_through_json) {
  LabSpec spec = parse_lab_spec("2x4@200mbit,2x2@100mbit").value();
  spec.faults.push_back(parse_lab_fault("slow:h3:rail1:0.5:send").value());
  const auto back = from_json<LabSpec>(to_json(spec));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(hosts_of(*back), hosts_of(spec));
  EXPECT_EQ(back->faults, spec.faults);
}

}  // namespace
}  // namespace railgauge
