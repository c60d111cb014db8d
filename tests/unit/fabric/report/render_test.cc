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

SampleReport hostile_report() {
  SampleReport s = faulty_report();
  const std::string name =
      "</script><img src=x onerror=alert(1)>\x1b[2J\u202e\"'&\n`|" + std::string(300, 'w');
  s.meta.cluster = s.meta.command = s.meta.run_id = s.meta.plan = s.meta.version = name;
  s.meta.hosts = {name, name + "1"};
  s.meta.method = {name};
  s.meta.stages = {{name, 5}};
  Analysis& a = s.analysis;
  a.sentence = name;
  for (Criterion& c : a.criteria) c.title = c.required = c.measured = c.from = name;
  for (Finding& f : a.findings) {
    f.title = f.confirm = name;
    f.where.node = f.where.nic = f.where.gpu = name;
    f.evidence = {name};
    f.causes = {{name, name}};
    f.actions = {{name, name}};
    if (f.expected) f.expected->from = name;
  }
  for (EndpointResult& e : a.endpoints) e.node = e.device = name;
  for (Skip& k : a.skipped) k.what = k.text = name;
  for (Endpoint& e : s.schedule.endpoints) e.node = name;
  for (NodeEntry& n : s.inventory.nodes) {
    n.id = name;
    n.facts.versions = {{name, name}};
  }
  for (NodeClass& c : s.inventory.classes) c.name = name;
  s.inventory.compute_choice = s.inventory.order_choice = name;
  s.inventory.warnings = {name};
  return s;
}

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
    if (f.name != "terminal") {
      EXPECT_THAT(text, Not(HasSubstr("</script"))) << f.name;
      EXPECT_THAT(text, Not(HasSubstr("<img"))) << f.name;
    }
  }
}

TEST(Formats, an_unknown_format_is_an_input_error_that_lists_the_known_ones) {
  const auto chosen = parse_formats("html,pdf");
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().kind, ErrorKind::input);
  EXPECT_EQ(chosen.error().message, "format 'pdf' is not known; known are terminal, json, html, md");
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
  for (const char* name : {"terminal", "html", "md"}) {
    const std::string text = find_format(name)->render(s.report(), {});
    for (const char* words :
         {"F001", "95.6 Mbit/s", "191 Mbit/s", "h3 rail 2 sends at half rate", "14 of 16"})
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
  for (const char* name : {"terminal", "html", "md"}) {
    EXPECT_THAT(find_format(name)->render(s.report(), {}),
                HasSubstr("these numbers come from a model, not from hardware"))
        << name;
  }
  EXPECT_THAT(render_json(s.report(), {}), HasSubstr("\"simulated\": true"));
}

TEST(Markdown, stays_below_the_limit_of_a_comment) {
  SampleReport s = hostile_report();
  s.analysis.findings.resize(400, s.analysis.findings.front());
  s.analysis.criteria.resize(400, s.analysis.criteria.front());
  EXPECT_LT(render_markdown(s.report(), {}).size(), 65536U);
}

}  // namespace
}  // namespace railgauge
