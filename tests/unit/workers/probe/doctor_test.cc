#include "workers/probe/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace railgauge {
namespace {

NodeFacts healthy_facts() {
  NodeFacts facts;
  facts.versions = {{"mpi", "4.1.4"}, {"ucx", "1.13.1"}};
  NicFacts nic;
  nic.device = "mlx5_0";
  nic.interface = "ib0";
  nic.state = "up";
  facts.nics = {nic};
  return facts;
}

HostState healthy_host() {
  return {.root = true,
          .namespaces = true,
          .mpirun = "/usr/bin/mpirun",
          .ip = "/sbin/ip",
          .tc = "/sbin/tc",
          .ucx_plugin = "/opt/railgauge_ucx.so",
          .shm_bytes = std::uint64_t{1} << 30U,
          .clock_source = "tsc",
          .control_port = true};
}

DoctorLine line(const std::vector<DoctorLine>& lines, const std::string& what) {
  const auto at =
      std::find_if(lines.begin(), lines.end(), [&](const DoctorLine& l) { return l.what == what; });
  EXPECT_NE(at, lines.end()) << what;
  return at == lines.end() ? DoctorLine{} : *at;
}

TEST(Doctor, healthy_host_has_only_ok_lines) {
  for (const DoctorLine& l : doctor(healthy_facts(), healthy_host()))
    EXPECT_EQ(l.level, DoctorLevel::ok) << l.what << ": " << l.text;
}

TEST(Doctor, each_missing_part_is_one_line_with_a_command) {
  struct Case {
    const char* what;
    void (*spoil)(NodeFacts&, HostState&);
    DoctorLevel level;
  };
  const Case cases[] = {
      {"mpirun", [](NodeFacts&, HostState& h) { h.mpirun.clear(); }, DoctorLevel::bad},
      {"UCX engine", [](NodeFacts&, HostState& h) { h.ucx_plugin.clear(); }, DoctorLevel::bad},
      {"locked memory", [](NodeFacts& f, HostState&) { f.limits.memlock_bytes = 65536; }, DoctorLevel::bad},
      {"/dev/shm", [](NodeFacts&, HostState& h) { h.shm_bytes = 64 << 20; }, DoctorLevel::warn},
      {"control port", [](NodeFacts&, HostState& h) { h.control_port = false; }, DoctorLevel::bad},
      {"clock", [](NodeFacts&, HostState& h) { h.clock_source = "hpet"; }, DoctorLevel::warn},
      {"lab: tc", [](NodeFacts&, HostState& h) { h.tc.clear(); }, DoctorLevel::warn},
      {"lab: namespaces", [](NodeFacts&, HostState& h) { h.root = h.namespaces = false; }, DoctorLevel::warn},
      {"NICs", [](NodeFacts& f, HostState&) { f.nics[0].state = "down"; }, DoctorLevel::warn}};
  for (const Case& c : cases) {
    NodeFacts facts = healthy_facts();
    HostState host = healthy_host();
    c.spoil(facts, host);
    const auto lines = doctor(facts, host);
    EXPECT_EQ(line(lines, c.what).level, c.level) << c.what;
    EXPECT_FALSE(line(lines, c.what).command.empty()) << c.what;
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [](const DoctorLine& l) { return l.level != DoctorLevel::ok; }),
              1)
        << c.what;
  }
}

TEST(Doctor, small_locked_memory_is_no_fault_without_RDMA) {
  NodeFacts facts = healthy_facts();
  facts.nics[0].device = facts.nics[0].interface;
  facts.limits.memlock_bytes = 65536;
  EXPECT_EQ(line(doctor(facts, healthy_host()), "locked memory").level, DoctorLevel::ok);
}

TEST(Doctor, this_machine_can_be_looked_at) {
  const HostState host = look_at_host("/nonexistent", 0);
  EXPECT_EQ(host.ucx_plugin, "");
  EXPECT_TRUE(host.control_port.value_or(false));
}

}  // namespace
}  // namespace railgauge
