// report.xml for CI systems: one test case per criterion, named by its id, so that a trend over runs works.
// What which verdict becomes, and why: "Machine-readable reports" in fabric/README.md.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "fabric/report/render.h"
#include "fabric/report/text.h"
#include "fabric/report/words.h"

namespace railgauge {

namespace {

constexpr std::size_t kFindings = 200;

std::size_t count(const Analysis& a, Verdict v) {
  return static_cast<std::size_t>(std::count_if(a.criteria.begin(), a.criteria.end(),
                                                [v](const Criterion& c) { return c.verdict == v; }));
}

std::string counts(const Analysis& a) {
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}")", a.criteria.size(),
                     count(a, Verdict::fail), count(a, Verdict::inconclusive), count(a, Verdict::waived));
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, html_text(value));
}

std::string finding_line(const Finding& f) {
  return fmt::format("{} {}: {} [{}]", f.id, to_text(f.severity), f.title, facts_text(f));
}

// What was required and measured, from where, and the findings behind it; a line each.
std::string body(const Analysis& a, const Criterion& c) {
  std::string out =
      fmt::format("{}: {}\nrequired: {}\nmeasured: {}\nfrom: {}\n", to_text(c.verdict), html_text(c.title),
                  html_text(c.required), html_text(measured_text(c)), html_text(c.from));
  for (const Finding& f : a.findings) {
    if (std::find(c.findings.begin(), c.findings.end(), f.id) != c.findings.end())
      out += html_text(finding_line(f)) + "\n";
  }
  return out;
}

std::string test_case(const Analysis& a, const Criterion& c) {
  const std::string text = body(a, c);
  const std::string message =
      html_text(fmt::format("{}: {} (required: {})", c.title, measured_text(c), c.required));
  const std::string in = [&]() -> std::string {
    switch (c.verdict) {
      case Verdict::fail:
        return fmt::format("<failure type=\"FAIL\" message=\"{}\">{}</failure>", message, text);
      case Verdict::inconclusive:
        return fmt::format("<error type=\"INCONCLUSIVE\" message=\"{}\">{}</error>", message, text);
      case Verdict::waived:
        return fmt::format("<skipped message=\"{}\"/><system-out>{}</system-out>", message, text);
      case Verdict::pass:
      case Verdict::warn:
        break;
    }
    return fmt::format("<system-out>{}</system-out>", text);
  }();
  return fmt::format("    <testcase classname=\"railgauge\" name=\"{}\" time=\"0\">{}</testcase>\n",
                     html_text(c.id), in);
}

// All findings, also those that no criterion names.
std::string findings(const Report& r) {
  const Analysis& a = r.analysis;
  std::string out = html_text(a.sentence) + "\n";
  for (std::size_t i = 0; i < std::min(kFindings, a.findings.size()); ++i)
    out += html_text(finding_line(a.findings[i])) + "\n";
  if (a.findings.size() > kFindings)
    out += fmt::format("... {} more ({})\n", a.findings.size() - kFindings,
                       severity_counts(a.findings, kFindings));
  return out + "Coverage: " + coverage_text(a.coverage) + "\n";
}

}  // namespace

std::string render_junit(const Report& r, const RenderOptions&) {
  const Analysis& a = r.analysis;
  const std::string seconds = fmt::format("{:.3f}", static_cast<double>(r.meta.wall_ns) * 1e-9);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"railgauge\" {} time=\"{}\">\n", counts(a), seconds);
  std::string when = r.meta.started_utc;  // the format has no zone: UTC
  if (when.ends_with('Z')) when.pop_back();
  out += fmt::format("  <testsuite name=\"criteria\" {} time=\"{}\"{}>\n", counts(a), seconds,
                     when.empty() ? "" : fmt::format(" timestamp=\"{}\"", html_text(when)));
  out += "    <properties>\n" + property("verdict", to_text(a.verdict)) + property("headline", headline(r)) +
         property("simulated", a.simulated ? "true" : "false") + property("plan", r.meta.plan) +
         property("cluster", r.meta.cluster) + property("run_id", r.meta.run_id) +
         property("version", r.meta.version) + "    </properties>\n";
  for (const Criterion& c : a.criteria) out += test_case(a, c);
  out += "    <system-out>" + std::string(a.simulated ? kSimulatedText : "") + (a.simulated ? "\n" : "") +
         findings(r) + "</system-out>\n  </testsuite>\n</testsuites>\n";
  return out;
}

}  // namespace railgauge
