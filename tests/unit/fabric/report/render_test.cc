#include "fabric/report/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "fabric/report/text.h"
#include "proto/json.h"
#include "tests/unit/fabric/report/sample_report.h"

namespace railgauge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Folder {
 public:
  Folder() {
    std::string name = "/tmp/rg_report_XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(Formats, each_has_its_own_name_and_file_and_renders_any_report) {
  std::set<std::string_view> names, files;
  const SampleReport reports[] = {healthy_report(4, 4),  faulty_report(),  healthy_report(2, 1),
                                  healthy_report(64, 8), hostile_report(), SampleReport{}};
  for (const Format& f : formats()) {
    EXPECT_TRUE(names.insert(f.name).second);
    EXPECT_TRUE(files.insert(f.file).second);
    ASSERT_TRUE(find_format(f.name));
    for (const SampleReport& s : reports) {
      const std::string text = f.render(s.report(), {});
      EXPECT_GT(text.size(), 100U) << f.name;
      EXPECT_EQ(text.back(), '\n') << f.name;
      EXPECT_THAT(text, HasSubstr(to_text(s.analysis.verdict))) << f.name;
      EXPECT_EQ(text, f.render(s.report(), {})) << f.name << ": same report, same bytes";
    }
  }
}

TEST(Formats, no_text_of_others_reaches_a_reader_as_markup_or_terminal_command) {
  const SampleReport s = hostile_report();
  for (const Format& f : formats()) {
    const std::string text = f.render(s.report(), {});
    EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << f.name;
    EXPECT_THAT(text, Not(HasSubstr("\u202e[2J"))) << f.name;
    if (f.name != "terminal" && f.name != "prom") {  // to these < is a letter
      EXPECT_THAT(text, Not(HasSubstr("</script"))) << f.name;
      EXPECT_THAT(text, Not(HasSubstr("<img"))) << f.name;
    }
  }
}

TEST(Formats, an_unknown_format_is_an_input_error_that_lists_the_known_ones) {
  const auto chosen = parse_formats("html,pdf");
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().kind, ErrorKind::input);
  EXPECT_EQ(chosen.error().message, "format 'pdf' is not known; known are terminal,json,html,md,junit,prom");
  EXPECT_FALSE(parse_formats(""));
  EXPECT_FALSE(parse_formats("html,"));
}

TEST(Formats, a_format_named_twice_is_written_once) {
  const auto chosen = parse_formats("json,html,json");
  ASSERT_TRUE(chosen);
  ASSERT_EQ(chosen->size(), 2U);
  EXPECT_EQ((*chosen)[0].name, "json");
}

TEST(Formats, all_findings_have_the_same_numbers_everywhere) {
  const SampleReport s = faulty_report();
  for (const char* name : {"terminal", "html", "md", "junit"}) {
    const std::string text = find_format(name)->render(s.report(), {});
    for (const char* words :
         {"F001", "rail.slow", "95.6 Mbit/s", "191 Mbit/s", "h3 rail 2 sends at half rate", "14 of 16"})
      EXPECT_THAT(text, HasSubstr(words)) << name;
  }
}

TEST(WriteReports, puts_each_file_in_place_and_leaves_no_temporary) {
  const Folder folder;
  const SampleReport s = faulty_report();
  ASSERT_TRUE(write_reports(s.report(), folder.path(), formats()));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    ++files;
    EXPECT_NE(entry.path().extension(), ".tmp");
  }
  EXPECT_EQ(files, formats().size());
  EXPECT_EQ(read(folder.path() / "report.json"), render_json(s.report(), {}));
}

TEST(WriteReports, an_error_names_the_file_and_keeps_the_old_one) {
  const Folder folder;
  const SampleReport s = healthy_report(2, 1);
  const auto missing = write_reports(s.report(), folder.path() / "gone", formats().first(1));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::environment);
  EXPECT_THAT(missing.error().message, HasSubstr("gone/report.txt"));
  std::filesystem::create_directories(folder.path() / "report.txt" / "in the way");
  const auto blocked = write_reports(s.report(), folder.path(), formats().first(1));
  ASSERT_FALSE(blocked);
  EXPECT_THAT(blocked.error().message, HasSubstr("report.txt: cannot be put in place"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "report.txt.tmp"));
}

TEST(Json, keys_come_in_the_order_of_the_design_and_absent_means_not_measured) {
  const SampleReport s = faulty_report();
  const std::string text = render_json(s.report(), {});
  std::size_t last = 0;
  for (const char* key : {"schema", "verdict", "simulated", "coverage", "criteria", "findings", "meta",
                          "endpoints", "skipped"}) {
    const std::size_t at = text.find(std::string("\n  \"") + key + "\":");
    ASSERT_NE(at, std::string::npos) << key;
    EXPECT_GT(at, last) << key;
    last = at;
  }
  const auto root = JsonValue::parse(text);
  ASSERT_TRUE(root);
  const JsonValue down = root->find("endpoints")->at(5);
  EXPECT_EQ(down.find("state")->string(), "down");
  EXPECT_FALSE(down.find("send_bits_per_second"));
  EXPECT_FALSE(root->find("findings")->at(1).find("measured"));
}

TEST(Json, unknown_proof_and_spread_are_absent_and_a_true_zero_is_written) {
  SampleReport s = healthy_report(2, 1);
  s.analysis.proof_worst_share = s.analysis.proof_worst_other = -1;
  EXPECT_THAT(render_json(s.report(), {}), Not(HasSubstr("own_nic_share")));
  s.analysis.proof_worst_other = 0;
  EXPECT_THAT(render_json(s.report(), {}), HasSubstr("\"other_nic_share\": 0"));
}

std::size_t widest(const std::string& text) {
  std::istringstream in(text);
  std::size_t most = 0;
  for (std::string line; std::getline(in, line);) most = std::max(most, columns(line));
  return most;
}

TEST(Terminal, no_line_is_wider_than_80_columns) {
  for (const SampleReport& s :
       {healthy_report(4, 4), faulty_report(), healthy_report(64, 8), hostile_report(), SampleReport{}}) {
    EXPECT_LE(widest(render_terminal(s.report(), {false, "/a/" + std::string(200, 'p') + "/report.html"})),
              80U);
  }
}

TEST(Terminal, verdict_comes_first_and_a_healthy_run_is_short) {
  const SampleReport s = healthy_report(4, 4);
  const std::string text = render_terminal(s.report(), {false, "run/report.html"});
  EXPECT_EQ(text.rfind("PASS  No fault found", 0), 0U);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
  EXPECT_THAT(text, HasSubstr("Findings: none"));
  EXPECT_THAT(text, HasSubstr("Report    run/report.html"));
}

TEST(Terminal, colours_come_only_when_asked) {
  const SampleReport s = faulty_report();
  EXPECT_THAT(render_terminal(s.report(), {false, ""}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(render_terminal(s.report(), {true, ""}), HasSubstr("\x1b[1;31mFAIL"));
}

TEST(Terminal, what_was_not_measured_is_neither_zero_nor_fine) {
  const SampleReport s;
  const std::string text = render_terminal(s.report(), {});
  EXPECT_THAT(text, HasSubstr("INCONCLUSIVE  Not decided"));
  EXPECT_THAT(text, HasSubstr("Rate      not measured"));
  EXPECT_THAT(text, HasSubstr("Latency   not measured"));
  EXPECT_THAT(render_terminal(faulty_report().report(), {}), HasSubstr("Rate against peers: not measured"));
}

TEST(Terminal, many_findings_are_counted_and_not_all_shown) {
  SampleReport s = faulty_report();
  s.analysis.findings.resize(20, s.analysis.findings.back());
  EXPECT_THAT(render_terminal(s.report(), {}), HasSubstr("... 12 more (12 note)"));
}

TEST(Every, simulated_run_says_so_in_every_format) {
  SampleReport s = healthy_report(2, 2);
  s.analysis.simulated = true;
  for (const char* name : {"terminal", "html", "md", "junit"}) {
    EXPECT_THAT(find_format(name)->render(s.report(), {}),
                HasSubstr("these numbers come from a model, not from hardware"))
        << name;
  }
  EXPECT_THAT(render_json(s.report(), {}), HasSubstr("\"simulated\": true"));
  EXPECT_THAT(render_prometheus(s.report(), {}), HasSubstr("\nrailgauge_run_simulated 1\n"));
}

TEST(Junit, a_criterion_is_a_test_case_and_its_verdict_a_result_that_ci_understands) {
  SampleReport s = faulty_report();
  s.analysis.criteria[3].verdict = Verdict::waived;
  const std::string text = render_junit(s.report(), {});
  EXPECT_THAT(text, HasSubstr(R"(tests="4" failures="2" errors="1" skipped="1")"));
  EXPECT_THAT(text,
              HasSubstr(R"(name="coverage" time="0"><failure type="FAIL" message="Endpoints measured)"));
  EXPECT_THAT(text, HasSubstr(R"(name="p2p.rail.write_bw.peers" time="0"><error type="INCONCLUSIVE")"));
  EXPECT_THAT(text, HasSubstr(R"(name="placement" time="0"><skipped)"));
  EXPECT_THAT(text, HasSubstr("F001 critical: h3 rail 2 sends at half rate [rail.slow at h3 rail 2, rail2: "
                              "95.6 Mbit/s measured, 191 Mbit/s expected, 50 %]"));
}

TEST(Prometheus, samples_are_bounded_and_none_is_there_twice) {
  SampleReport s = hostile_report();
  s.analysis.findings.resize(4000, s.analysis.findings.front());
  s.analysis.criteria.resize(4000, s.analysis.criteria.front());
  s.analysis.endpoints.resize(20000, s.analysis.endpoints.at(10));
  for (std::size_t i = 0; i < s.analysis.endpoints.size(); ++i) {
    s.analysis.endpoints[i].node += std::to_string(i);
    s.analysis.endpoints[i].rail = static_cast<int>(i);
    s.analysis.findings[i % 4000].id = "F" + std::to_string(i);
    s.analysis.criteria[i % 4000].id = "c" + std::to_string(i);
  }
  std::istringstream in(render_prometheus(s.report(), {}));
  std::set<std::string> seen;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    EXPECT_TRUE(seen.insert(line.substr(0, line.rfind(' '))).second) << line;
  }
  EXPECT_GT(seen.size(), 700U);
  EXPECT_LT(seen.size(), 2000U);
}

TEST(Prometheus, rates_are_bytes_and_times_seconds) {
  const std::string text = render_prometheus(faulty_report().report(), {});
  EXPECT_THAT(text, HasSubstr("railgauge_finding_rate_bytes_per_second{finding=\"F001\",figure=\"measured\"} "
                              "11950000\n"));
  EXPECT_THAT(text, HasSubstr("railgauge_run_completed_timestamp_seconds 1773454241.2\n"));
  EXPECT_THAT(text, HasSubstr("railgauge_run_verdict{verdict=\"FAIL\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("railgauge_run_verdict{verdict=\"PASS\"} 0\n"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST(Markdown, stays_below_the_limit_of_a_comment) {
  SampleReport s = hostile_report();
  s.analysis.findings.resize(400, s.analysis.findings.front());
  s.analysis.criteria.resize(400, s.analysis.criteria.front());
  EXPECT_LT(render_markdown(s.report(), {}).size(), 65536U);
}

}  // namespace
}  // namespace railgauge
