#include "orchestrator/lab/lab_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace railgauge {
namespace {

using testing::HasSubstr;
using testing::Not;

LabSpec lab(const char* size, const std::vector<const char*>& faults = {}) {
  LabSpec spec = parse_lab_spec(size).value();
  for (const char* f : faults) spec.faults.push_back(parse_lab_fault(f).value());
  return spec;
}

TEST(LabScript, both_ends_of_every_rail_are_shaped) {
  const auto batches = build_batches(lab("2x2@400mbit"));
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_THAT(batches[0].tc, HasSubstr("dev h2r1 root tbf rate 400000000bit burst 128k latency 20ms\n"));
  EXPECT_THAT(batches[2].tc, HasSubstr("dev rail1 root tbf rate 400000000bit"));
  EXPECT_EQ(batches[2].host, "h2");
}

TEST(LabScript, uplinks_carry_four_rails_of_the_fastest_kind) {
  const auto batches = build_batches(lab("1x1@100mbit,1x2@200mbit"));
  EXPECT_THAT(batches[0].tc, HasSubstr("dev up1 root tbf rate 800000000bit"));
  EXPECT_THAT(batches[0].tc, HasSubstr("dev dn0 root tbf rate 800000000bit"));
}

TEST(LabScript, each_rail_has_a_table_chosen_by_its_source_address) {
  const auto batches = build_batches(lab("2x2"));
  EXPECT_THAT(batches[2].ip, HasSubstr("rule add from 10.10.1.2 lookup 101\n"));
  EXPECT_THAT(batches[2].ip, HasSubstr("route replace 10.10.1.0/24 dev rail1 src 10.10.1.2 table 101\n"));
}

TEST(LabScript, missing_rail_is_never_made_and_moves_no_other) {
  const auto batches = build_batches(lab("2x2", {"missing:h2:rail0"}));
  EXPECT_THAT(batches[0].ip, Not(HasSubstr("h2r0")));
  EXPECT_THAT(batches[0].ip, HasSubstr("link add h2r1 type veth peer name rail1 netns h2"));
  EXPECT_THAT(batches[2].ip, Not(HasSubstr("dev rail0")));
  EXPECT_THAT(batches[2].tc, Not(HasSubstr("rail0")));
}

TEST(LabScript, slow_touches_only_the_end_that_its_direction_names) {
  const LabSpec spec = lab("2x2");
  const auto send = fault_batches(spec, parse_lab_fault("slow:h2:rail1:0.5:send").value(), false);
  ASSERT_EQ(send.size(), 1U);
  EXPECT_EQ(send[0].host, "h2");
  EXPECT_THAT(send[0].tc, HasSubstr("dev rail1 root tbf rate 100000000bit"));
  const auto receive = fault_batches(spec, parse_lab_fault("slow:h2:rail1:0.5:receive").value(), false);
  ASSERT_EQ(receive.size(), 1U);
  EXPECT_EQ(receive[0].host, "");
  EXPECT_THAT(receive[0].tc, HasSubstr("dev h2r1 root tbf rate 100000000bit"));
  EXPECT_EQ(fault_batches(spec, parse_lab_fault("slow:h2:rail1:0.5:both").value(), false).size(), 2U);
}

TEST(LabScript, undone_slow_has_the_hosts_own_rate_again) {
  const auto undo =
      fault_batches(lab("1x2@200mbit,1x2@100mbit"), parse_lab_fault("slow:h2:rail1:0.5:send").value(), true);
  EXPECT_THAT(undo.at(0).tc, HasSubstr("rate 100000000bit"));
}

TEST(LabScript, swap_exchanges_the_leaves_and_undo_brings_them_back) {
  const LabFault swap = parse_lab_fault("swap:h2:rail2:rail3").value();
  EXPECT_EQ(fault_batches(lab("2x4"), swap, false).at(0).ip,
            "link set h2r2 master leaf3\nlink set h2r3 master leaf2\n");
  EXPECT_EQ(fault_batches(lab("2x4"), swap, true).at(0).ip,
            "link set h2r2 master leaf2\nlink set h2r3 master leaf3\n");
}

TEST(LabScript, a_rail_that_comes_up_again_gets_its_route_back) {
  const auto undo = fault_batches(lab("2x2"), parse_lab_fault("down:h1:rail1").value(), true);
  EXPECT_EQ(undo.at(0).ip,
            "link set rail1 up\nroute replace 10.10.1.0/24 dev rail1 src 10.10.1.1 table 101\n");
}

TEST(LabScript, an_undone_missing_rail_is_made_as_at_the_start) {
  const LabSpec spec = lab("2x2");
  const auto built = build_batches(spec);
  for (const LabBatch& b : fault_batches(spec, parse_lab_fault("missing:h2:rail1").value(), true)) {
    const LabBatch& whole = b.host.empty() ? built[0] : built[2];
    EXPECT_THAT(whole.ip, HasSubstr(b.ip));
    EXPECT_THAT(whole.tc, HasSubstr(b.tc));
  }
}

TEST(LabScript, cpu_hog_changes_no_network) {
  EXPECT_TRUE(fault_batches(lab("2x2"), parse_lab_fault("cpu-hog:h1:2").value(), false).empty());
}

TEST(LabScript, rails_answer_arp_only_for_their_own_address) {
  const auto all = host_sysctls();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const Sysctl& s) {
    return s.path == "net/ipv4/conf/all/arp_ignore" && s.value == "1";
  }));
}

}  // namespace
}  // namespace railgauge
