// What people write wrong: every line of the tables must be refused with file, line and key.
#include <gtest/gtest.h>

#include "orchestrator/host_file.h"
#include "orchestrator/plan.h"
#include "orchestrator/site_file.h"

namespace railgauge {
namespace {

struct Bad {
  const char* text;
  const char* starts;  // of the message
};

template <class Parse>
void expect_refused(const std::vector<Bad>& table, Parse parse) {
  for (const Bad& bad : table) {
    const auto result = parse(bad.text);
    ASSERT_FALSE(result) << bad.text;
    EXPECT_EQ(result.error().kind, ErrorKind::input) << bad.text;
    EXPECT_EQ(result.error().message.rfind(bad.starts, 0), 0U)
        << result.error().message << "\nwanted " << bad.starts;
    EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
  }
}

TEST(PlanFile, bad_plans_are_refused_with_line_and_key) {
  expect_refused(
      {{"", "p.yaml:1: whole file: a list of KEY"},
       {"- a\n", "p.yaml:1: whole file: a list of KEY"},
       {"name: x\n", "p.yaml:1: cases: missing"},
       {"name: x\nspeed: 3\n", "p.yaml:2: speed: unknown key"},
       {"name: x\nname: y\n", "p.yaml:2: name: given twice"},
       {"name: [x\n", "p.yaml:2: not YAML"},
       {"time_box: soon\ncases: []\n", "p.yaml:1: time_box: "},
       {"time_box: 1s\ncases: []\n", "p.yaml:1: time_box: 1s is outside"},
       {"cases: p2p.rail.latency\n", "p.yaml:1: cases: a list is expected"},
       {"cases:\n  - sizes: [8]\n", "p.yaml:2: cases[0].case: missing"},
       {"cases:\n  - case: p2p.rail.write\n", "p.yaml:2: cases[0].case: 'p2p.rail.write' is no case"},
       {"cases:\n  - case: p2p.rail.latency\n    size: 8\n", "p.yaml:3: cases[0].size: unknown key"},
       {"cases:\n  - case: p2p.rail.latency\n    sizes: [0]\n", "p.yaml:3: cases[0].sizes[0]: "},
       {"cases:\n  - case: p2p.rail.latency\n    sizes: [8, -1]\n", "p.yaml:3: cases[0].sizes[1]: "},
       {"cases:\n  - case: p2p.rail.latency\n    sizes: [8 B, 8]\n",
        "p.yaml:3: cases[0].sizes[1]: 8 is given twice"},
       {"cases:\n  - case: p2p.rail.latency\n    sizes: [4096MiB]\n",
        "p.yaml:3: cases[0].sizes[0]: impossible size"},
       {"cases:\n  - case: p2p.rail.latency\n    sizes: []\n", "p.yaml:3: cases[0].sizes: no sizes"},
       {"cases:\n  - case: p2p.rail.latency\n    repeats: 0\n", "p.yaml:3: cases[0].repeats: 0 is outside"},
       {"cases:\n  - case: p2p.rail.latency\n    repeats: many\n",
        "p.yaml:3: cases[0].repeats: 'many' is no whole"},
       {"cases:\n  - case: p2p.rail.latency\n    box: 1ms\n", "p.yaml:3: cases[0].box: 1ms is outside"},
       {"cases:\n  - case: p2p.rail.latency\n    pairs: ring\n",
        "p.yaml:3: cases[0].pairs: 'ring' is no pairing"},
       {"cases:\n  - case: p2p.rail.latency\n  - case: p2p.rail.latency\n",
        "p.yaml:3: cases[1].case: p2p.rail.latency is given twice"},
       {"cases:\n  - case: p2p.rail.latency\ngates:\n  model_warn: 95\n",
        "p.yaml:4: gates.model_warn: 95 is outside"},
       {"cases:\n  - case: p2p.rail.latency\ngates:\n  model_fail: 0.99\n",
        "p.yaml:4: gates.model_fail: model_fail 0.99 is above model_warn 0.95"},
       {"cases:\n  - case: p2p.rail.latency\ngates:\n  model_fail: nan\n",
        "p.yaml:4: gates.model_fail: 'nan' is no number"}},
      [](const char* text) { return parse_plan(text, "p.yaml"); });
}

TEST(PlanFile, what_is_left_out_takes_the_defaults_of_the_case) {
  const auto plan = parse_plan(
      "cases:\n  - case: p2p.rail.write_bw\n    sizes: [64KiB, 1MiB]\n    pairs: matchings:2\n", "p.yaml");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->cases.size(), 1U);
  EXPECT_EQ(plan->cases[0].sizes_bytes, (std::vector<std::uint64_t>{65536, 1048576}));
  EXPECT_EQ(plan->cases[0].repeats, 3);
  EXPECT_EQ(plan->cases[0].box_ns, Nanos::ms(800).count());
  EXPECT_EQ(plan->cases[0].pairs, "matchings:2");
}

TEST(PlanFile, a_file_that_is_not_there_and_an_unknown_name_are_named) {
  EXPECT_EQ(find_plan("./nothing.yaml").error().message, "./nothing.yaml: no such file");
  EXPECT_EQ(find_plan("slow").error().message.rfind("slow: no such plan", 0), 0U);
  EXPECT_EQ(find_plan("/dev/zero").error().message, "/dev/zero: not a file");
}

TEST(SiteFile, bad_site_files_are_refused_with_line_and_key) {
  expect_refused({{"launcher: slurm\n", "s.yaml:1: launcher: 'slurm' is no launcher"},
                  {"control:\n  ports: 0-9\n", "s.yaml:2: control.ports: '0-9'"},
                  {"control:\n  ports: 9000-8000\n", "s.yaml:2: control.ports: "},
                  {"control:\n  port: 1\n", "s.yaml:2: control.port: unknown key"},
                  {"control: eth0\n", "s.yaml:1: control: a list of KEY"},
                  {"compute_nics: [mlx5_0, mlx5_0]\n", "s.yaml:1: compute_nics: mlx5_0 is given twice"},
                  {"rail_order: mlx5_0\n", "s.yaml:1: rail_order: a list is expected"},
                  {"rates:\n  - nodes: [h1]\n", "s.yaml:2: rates[0].rate: missing"},
                  {"rates:\n  - rate: fast\n", "s.yaml:2: rates[0].rate: "},
                  {"rates:\n  - rate: 1gbit\n    payload_share: 1.5\n",
                   "s.yaml:3: rates[0].payload_share: 1.5 is outside"},
                  {"bisection: 2\n", "s.yaml:1: bisection: 2 is outside"},
                  {"software_links: yes\n", "s.yaml:1: software_links: 'yes'"},
                  {"bisection: 1\nbisection: 1\n", "s.yaml:2: bisection: given twice"}},
                 [](const char* text) { return parse_site(text, "s.yaml"); });
}

TEST(SiteFile, an_empty_file_is_a_site_of_defaults_and_a_full_one_is_read) {
  ASSERT_TRUE(parse_site("", "s.yaml"));
  const auto site = parse_site(
      "name: c1\nlauncher: mpirun\ncontrol: {interface: eno1, ports: 20000-20010}\nrates:\n"
      "  - {nodes: [h1], nics: [rail0], rate: 200mbit, payload_share: 0.956}\nbisection: "
      "0.5\nsoftware_links: true\n",
      "s.yaml");
  ASSERT_TRUE(site) << site.error().message;
  EXPECT_EQ(site->control_port_last, 20010);
  ASSERT_EQ(site->rates.size(), 1U);
  EXPECT_DOUBLE_EQ(site->rates[0].rate_bits_per_second, 2e8);
  EXPECT_TRUE(site->software_links);
}

TEST(HostFile, bad_host_files_are_refused_with_line_and_host) {
  expect_refused({{"", "hosts: no hosts"},
                  {"# none\n\n", "hosts: no hosts"},
                  {"h1\nh2\nh1\n", "hosts:3: h1: given twice, first on line 1"},
                  {"h1\nh2 slots=4\n", "hosts:2: h2 slots=4: one host name a line"},
                  {"-oProxyCommand=x\n", "hosts:1: -oProxyCommand=x: a host name starts with"},
                  {"h1\nh;2\n", "hosts:2: h;2: character ';'"},
                  {"h1\n\nh\x1b"
                   "2\n",
                   "hosts:3: h?2: character '\\x1b'"}},
                 [](const char* text) { return parse_hosts(text, "hosts"); });
}

TEST(HostFile, comments_blank_lines_and_carriage_returns_are_skipped) {
  const auto hosts = parse_hosts("# lab\nh1 # first\r\n\n  h2\nh3", "hosts");
  ASSERT_TRUE(hosts);
  ASSERT_EQ(hosts->size(), 3U);
  EXPECT_EQ((*hosts)[1].name, "h2");
  EXPECT_EQ((*hosts)[1].line, 4);
}

}  // namespace
}  // namespace railgauge
