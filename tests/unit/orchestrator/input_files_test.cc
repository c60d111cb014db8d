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

// A plan with these criteria, which start on line 6.
std::string with_criteria(const std::string& criteria) {
  return "cases:\n  - case: p2p.rail.write_bw\n    sizes: [64KiB, 1MiB]\n  - case: p2p.rail.latency\n"
         "criteria:\n" +
         criteria;
}

TEST(PlanFile, bad_criteria_are_refused_with_line_and_key) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"  soon\n", "p.yaml:6: criteria: a list is expected"},
      {"  - soon\n", "p.yaml:6: criteria[0]: a list of KEY: VALUE lines"},
      {"  - {case: p2p.rail.latency, at_most: 5us}\n", "p.yaml:6: criteria[0].id: missing"},
      {"  - {id: a}\n", "p.yaml:6: criteria[0].case: missing"},
      {"  - {id: a, case: p2p.incast, at_least: 1gbit}\n",
       "p.yaml:6: criteria[0].case: 'p2p.incast' is not among the cases of this plan"},
      {"  - {id: a, case: p2p.rail.latency}\n", "p.yaml:6: criteria[0].at_most: missing"},
      {"  - {id: a, case: p2p.rail.latency, at_least: 5us}\n",
       "p.yaml:6: criteria[0].at_least: p2p.rail.latency is measured in ns: write at_most"},
      {"  - {id: a, case: p2p.rail.latency, at_most: 5gbit}\n", "p.yaml:6: criteria[0].at_most: "},
      {"  - {id: a, case: p2p.rail.latency, at_most: 0s}\n",
       "p.yaml:6: criteria[0].at_most: a limit above 0"},
      {"  - {id: a, case: p2p.rail.write_bw, at_least: 1gbit}\n",
       "p.yaml:6: criteria[0].size: missing: p2p.rail.write_bw has 2 sizes"},
      {"  - {id: a, case: p2p.rail.write_bw, size: 2MiB, at_least: 1gbit}\n",
       "p.yaml:6: criteria[0].size: 2 MiB is not measured"},
      {"  - {id: a, case: p2p.rail.write_bw, size: 1MiB, statistic: p99, at_least: 1gbit}\n",
       "p.yaml:6: criteria[0].statistic: p99 of p2p.rail.write_bw is not measured: goodput or median"},
      {"  - {id: a, case: p2p.rail.write_bw, size: 1MiB, statistic: mean, at_least: 1gbit}\n",
       "p.yaml:6: criteria[0].statistic: 'mean' is none of goodput, median, p99"},
      {"  - {id: a, case: p2p.rail.latency, flow: best, at_most: 5us}\n",
       "p.yaml:6: criteria[0].flow: 'best' is none of worst, median"},
      {"  - {id: a, case: p2p.rail.latency, missed: ignore, at_most: 5us}\n",
       "p.yaml:6: criteria[0].missed: 'ignore' is none of fail, warn"},
      {"  - {id: A b, case: p2p.rail.latency, at_most: 5us}\n", "p.yaml:6: criteria[0].id: 'A b': small"},
      {"  - {id: coverage, case: p2p.rail.latency, at_most: 5us}\n",
       "p.yaml:6: criteria[0].id: coverage is a built-in criterion"},
      {"  - {id: a, case: p2p.rail.latency, at_most: 5us}\n"
       "  - {id: a, case: p2p.rail.latency, at_most: 6us}\n",
       "p.yaml:7: criteria[1].id: a is given twice"},
      {"  - {id: a, case: p2p.rail.latency, at_most: 5us, limit: 3}\n",
       "p.yaml:6: criteria[0].limit: unknown key"},
  };
  for (const auto& [criteria, starts] : table) {
    const auto plan = parse_plan(with_criteria(criteria), "p.yaml");
    ASSERT_FALSE(plan) << criteria;
    EXPECT_EQ(plan.error().message.rfind(starts, 0), 0U) << plan.error().message << "\nwanted " << starts;
  }
}

TEST(PlanFile, a_criterion_is_read_wherever_it_stands_and_raises_the_repeats_of_its_case) {
  const auto plan = parse_plan(
      "criteria:\n  - {id: accept.write_bw, case: p2p.rail.write_bw, at_least: 45 Gbit/s}\n"
      "  - {id: accept.latency, case: p2p.rail.latency, statistic: p99, flow: median, at_most: 5us, "
      "missed: warn}\ncases:\n  - case: p2p.rail.write_bw\n  - case: p2p.rail.latency\n",
      "p.yaml");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->gates.stated.size(), 2U);
  const StatedCriterion& rate = plan->gates.stated[0];
  EXPECT_EQ(rate.limit.value, 45e9);
  EXPECT_EQ(rate.statistic, Statistic::goodput);
  EXPECT_EQ(rate.flow, FlowChoice::worst);
  EXPECT_EQ(rate.missed, Verdict::fail);
  EXPECT_EQ(rate.from, "plan p.yaml:2");
  const StatedCriterion& latency = plan->gates.stated[1];
  EXPECT_EQ(latency.limit.value, 5000);
  EXPECT_EQ(latency.bound, Bound::at_most);
  EXPECT_EQ(latency.missed, Verdict::warn);
  for (const PlanCase& c : plan->cases) EXPECT_EQ(c.repeats, kQuotedRepeats);
  const auto few = parse_plan(
      "cases:\n  - case: p2p.rail.latency\n    repeats: 2\ncriteria:\n"
      "  - {id: a, case: p2p.rail.latency, at_most: 5us}\n",
      "p.yaml");
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().message,
            "p.yaml:5: criteria[0].case: p2p.rail.latency has 2 repeats: a number that a criterion quotes "
            "needs 6");
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
