// report.html: one page for the one who signs and the one who repairs. No script, no outside reference, style
// allowed by hash: it opens from a mail, a ticket or a CI server that blocks everything, and prints on A4.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "fabric/report/page.h"
#include "fabric/report/page_style.h"
#include "fabric/report/render.h"
#include "fabric/report/text.h"
#include "fabric/report/words.h"

namespace railgauge {

namespace {

// Not capitalised: the first word may be a node's name.
std::string with_full_stop(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

// "2026-03-14T02:10:00Z" -> "2026-03-14 02:10 UTC"; anything else as it is.
std::string minute_text(const std::string& utc) {
  if (utc.size() < 17 || utc[10] != 'T' || utc.back() != 'Z') return utc;
  return utc.substr(0, 10) + " " + utc.substr(11, 5) + " UTC";
}

std::string kind_of_run(const RunMeta& m) {
  if (m.plan.starts_with("accept")) return "Fabric acceptance";
  if (m.plan.starts_with("nightly")) return "Nightly fabric check";
  return m.plan.empty() ? "Fabric check" : fmt::format("Fabric check, plan {}", m.plan);
}

std::string fact(std::string_view label, const std::string& value, const std::string& note) {
  const bool none = value == "not measured";
  std::string shown = html_text(value);
  // "191 Mbit/s": the number large, its unit small
  const std::size_t space = shown.find(' ');
  if (!none && space != std::string::npos)
    shown = shown.substr(0, space) + "<i>" + shown.substr(space + 1) + "</i>";
  return fmt::format("<div><dt>{}</dt><dd class=\"v{}\">{}</dd><dd class=\"s\">{}</dd></div>\n", label,
                     none ? " none" : "", shown, html_text(note));
}

std::string four_facts(const Report& r) {
  const Figures f = figures(r.analysis);
  const Coverage& c = r.analysis.coverage;
  const std::string tolerance =
      f.judged == 0 ? "not measured" : fmt::format("{} of {}", f.in_tolerance, f.judged);
  const std::string slowest = f.rate_slowest_bits_per_second
                                  ? fmt::format("slowest {}", rate_text(f.rate_slowest_bits_per_second))
                                  : "";
  const std::string p99 = f.latency_p99_ns ? fmt::format("worst p99 {}", time_text(f.latency_p99_ns)) : "";
  return "<dl class=\"facts\">\n" + fact("In tolerance", tolerance, "\u2265 95 % of expected") +
         fact("Median endpoint", rate_text(f.rate_median_bits_per_second), slowest) +
         fact("Latency, median", time_text(f.latency_p50_ns), p99) +
         fact("Endpoints measured",
              c.planned > 0 ? fmt::format("{} of {}", c.measured, c.planned) : "not measured",
              fmt::format("{} of {} nodes", c.nodes_answered, c.nodes_planned)) +
         "</dl>\n";
}

std::string verdict_section(const Report& r) {
  const Analysis& a = r.analysis;
  const std::string_view tone = verdict_glyph(a.verdict);
  std::string eyebrow;
  for (const std::string& part : {kind_of_run(r.meta), r.meta.cluster, minute_text(r.meta.started_utc)}) {
    if (!part.empty()) eyebrow += "<span>" + html_text(part) + "</span>";
  }
  const std::string summary = with_full_stop(criteria_sentence(a));
  std::string say = a.sentence.empty() ? summary : with_full_stop(a.sentence);
  std::string out = fmt::format(
      "<section id=\"verdict\"><div><p class=\"eyebrow\">{}</p><h1 class=\"{}\">{}</h1>\n<p "
      "class=\"say\">{}</p>\n",
      eyebrow, tone, headline(r), html_text(say));
  if (!a.findings.empty()) {
    out += "<ul class=\"why\">\n";
    for (std::size_t i = 0; i < std::min<std::size_t>(3, a.findings.size()); ++i) {
      const Finding& f = a.findings[i];
      out += fmt::format("<li><a href=\"#{}\">{}<span>{}</span></a></li>\n", html_text(f.id),
                         glyph(to_text(f.severity), to_text(f.severity)), html_text(f.title));
    }
    out += "</ul>\n";
    if (a.findings.size() > 3)
      out += fmt::format("<p class=\"mut\"><a href=\"#findings\">{}</a>: {}</p>\n",
                         plural(a.findings.size() - 3, "more finding"), severity_counts(a.findings, 3));
  }
  return out + four_facts(r) + "</div>\n<div>" + criteria_table(r) + "</div></section>\n";
}

std::string section(std::string_view id, std::string_view title, std::string_view lead,
                    const std::string& body) {
  if (body.empty()) return "";
  const std::string first = lead.empty() ? "" : fmt::format("<p class=\"lead\">{}</p>\n", lead);
  return fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}{}</section>\n", id, title, first, body);
}

std::string findings_section(const Report& r) {
  const std::string map = map_figure(r);
  // Beside the list while the map is narrow enough and there is a list.
  const bool small = r.inventory.nodes.size() <= 96 && !r.analysis.findings.empty();
  const std::string body = fmt::format("<div class=\"{}\"><div>{}</div><div{}>{}</div></div>\n",
                                       small && !map.empty() ? "two" : "one", findings_list(r),
                                       small ? " class=\"stay\"" : "", map);
  return section("findings", "Findings",
                 r.analysis.findings.empty() ? "" : "Endpoints with one common cause are one finding.", body);
}

std::string record_section(const Report& r) {
  std::string body;
  if (r.analysis.simulated) {
    body = "<p class=\"lead\">A simulated run accepts nothing.</p>\n";
  } else if (!r.meta.plan.starts_with("accept")) {
    body = fmt::format("<p class=\"lead\">Plan {} is a check, not an acceptance test.</p>\n",
                       html_text(r.meta.plan.empty() ? "of this run" : r.meta.plan));
  }
  body += "<div class=\"rec\"><h3>For the supplier</h3><h3>For the customer</h3>\n";
  for (const char* line : {"Name", "Signature", "Date", "Remarks"})
    body += fmt::format("<div>{0}</div><div>{0}</div>\n", line);
  return section("record", "Acceptance record", "", body + "</div>\n");
}

}  // namespace

std::string render_html(const Report& r, const RenderOptions&) {
  const Analysis& a = r.analysis;
  const std::string_view tone = verdict_glyph(a.verdict);
  std::string title = fmt::format("{}: {}", to_text(a.verdict), headline(r));
  if (!r.meta.cluster.empty()) title += " - " + r.meta.cluster;
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}'; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n"
      "<meta name=\"generator\" content=\"railgauge "
      "{}\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      page_style_hash(), html_text(r.meta.version), html_text(title), page_style());
  out += "<a class=\"skip\" href=\"#findings\">Skip to findings</a>\n" + page_symbols();
  if (a.simulated) out += fmt::format("<div class=\"sim\">Simulated: {}</div>\n", kSimulatedText);
  const std::string skipped = skipped_table(r), rails = rail_strips(r), pairs = pairs_table(r);
  out += fmt::format(
      "<header class=\"top\"><div class=\"brand\"><span class=\"pill "
      "{0}\">{1}{2}</span><span>{3}</span></div>\n<nav aria-label=\"Sections\"><a "
      "href=\"#findings\">Findings</a>{4}"
      "<a href=\"#endpoints\">Endpoints</a>{5}<a href=\"#run\">Method</a><a "
      "href=\"#record\">Record</a></nav></header>\n<main>\n",
      tone, glyph(tone, ""), to_text(a.verdict), html_text(r.meta.cluster),
      rails.empty() ? "" : "<a href=\"#rails\">Rails</a>",
      skipped.empty() ? "" : "<a href=\"#skipped\">Skipped</a>");
  out += verdict_section(r) + findings_section(r);
  if (!rails.empty()) {
    out += section("rails", "Rails and pairs",
                   "Each rail's endpoints by their slower direction, in % of expected. Bars count on a "
                   "logarithmic scale, so that one slow endpoint shows.",
                   fmt::format("<div class=\"two\"><div>{}</div><div>{}</div></div>\n", rails, pairs));
  }
  out += section("endpoints", "Endpoints", "",
                 a.endpoints.empty() ? "<p>No endpoint was measured.</p>\n" : endpoints_table(r));
  out += section("skipped", "Not measured",
                 "What was planned or asked for and could not be measured. Nothing here counts as good.",
                 skipped);
  out += section("run", "Run and method", "", run_section(r)) + record_section(r);
  out += fmt::format(
      "</main>\n<footer>Railgauge {}{}{}. This page holds no script and loads "
      "nothing.</footer>\n</body>\n</html>\n",
      html_text(r.meta.version), r.meta.build_id.empty() ? "" : ", build ", html_text(r.meta.build_id));
  return out;
}

}  // namespace railgauge
