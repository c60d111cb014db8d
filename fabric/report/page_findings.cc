// Glyphs, criteria and findings of report.html.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "fabric/report/page.h"
#include "fabric/report/text.h"
#include "fabric/report/words.h"

namespace railgauge {

namespace {

constexpr std::size_t kOpenUpTo = 8;  // findings shown open; with more, only critical ones among the first
constexpr std::size_t kFindings = 500;

// Measured against expected as a bar; a time longer than expected fills it.
std::string meter(const Finding& f) {
  if (!f.measured || !f.expected || f.measured->unit != f.expected->unit) return "";
  const std::string ratio = ratio_text(f.measured->value, f.expected->value, f.measured->unit);
  if (ratio.empty()) return "";
  const double share = std::clamp(f.measured->value / f.expected->value, 0.0, 1.0);
  return fmt::format(
      R"(<span class="m"><svg viewBox="0 0 66 5" aria-hidden="true">)"
      R"(<rect class="mt" width="66" height="5"/><rect class="mv" width="{:.1f}" height="5"/></svg>{}</span>)",
      share * 66, ratio);
}

std::string three_numbers(const Finding& f) {
  std::string out;
  const auto add = [&](std::string_view label, const std::string& value, std::string_view note) {
    out += fmt::format(R"(<div><dt>{}</dt><dd>{}</dd>)", label, html_text(value));
    if (!note.empty()) out += fmt::format(R"(<dd class="s">{}</dd>)", html_text(note));
    out += "</div>";
  };
  if (f.measured)
    add("Measured", quantity_text(f.measured->value, f.measured->unit),
        f.direction ? to_text(*f.direction) : "");
  if (f.expected) add("Expected", quantity_text(f.expected->value, f.expected->unit), f.expected->from);
  if (f.explained_by)
    add("Explained", quantity_text(f.explained_by->value, f.explained_by->unit), f.explained_by->by);
  return out.empty() ? "" : "<dl class=\"three\">" + out + "</dl>\n";
}

std::string actions_list(const Finding& f) {
  if (f.actions.empty()) return "";
  std::string out = "<h3>What to do</h3><ol>\n";
  for (const Action& a : f.actions) {
    out += "<li>" + html_text(a.text);
    if (!a.command.empty()) out += "<code class=\"cmd\">" + html_text(a.command) + "</code>";
    out += "</li>\n";
  }
  return out + "</ol>\n";
}

std::string finding(const Finding& f, bool open) {
  const std::string place = place_text(f.where);
  std::string out = fmt::format(
      R"(<details class="f" id="{}"{}><summary>{}<b>{}</b>{}<span class="at">{}{}{}</span></summary><div class="fb">)",
      html_text(f.id), open ? " open" : "", glyph(to_text(f.severity), to_text(f.severity)),
      html_text(f.title), meter(f), html_text(f.id), place.empty() ? " \u00b7 whole fleet" : " \u00b7 ",
      html_text(place));
  out += "\n" + three_numbers(f);
  if (!f.evidence.empty()) {
    out += "<h3>Evidence</h3><ul>\n";
    for (const std::string& e : f.evidence) out += "<li>" + html_text(e) + "</li>\n";
    if (!f.confirm.empty()) out += "<li>" + html_text(f.confirm) + "</li>\n";
    out += "</ul>\n";
  } else if (!f.confirm.empty()) {
    out += "<h3>Evidence</h3><ul><li>" + html_text(f.confirm) + "</li></ul>\n";
  }
  if (!f.causes.empty()) {
    out += "<h3>Probable cause</h3><ul>\n";
    for (const Cause& c : f.causes)
      out += fmt::format("<li><span class=\"tag\">{}</span>{}</li>\n", html_text(c.likelihood),
                         html_text(c.text));
    out += "</ul>\n";
  }
  out += actions_list(f);
  out += fmt::format("<p class=\"id\">{} \u00b7 {} \u00b7 {} \u00b7 {}</p></div></details>\n",
                     html_text(f.id), html_text(f.code), to_text(f.severity), to_text(f.scope));
  return out;
}

}  // namespace

std::string glyph(std::string_view name, std::string_view label) {
  return fmt::format(
      R"(<svg class="gl {0}" viewBox="0 0 16 16" role="img" aria-label="{1}"><use href="#g-{0}"/></svg>)",
      name, label);
}

std::string page_symbols() {
  return R"svg(<svg class="defs" aria-hidden="true"><defs>
<g id="g-critical"><path class="gf" d="M5 1h6l4 4v6l-4 4H5l-4-4V5z"/><path class="gk" d="M5.6 5.6l4.8 4.8m0-4.8l-4.8 4.8"/></g>
<g id="g-fail"><use href="#g-critical"/></g>
<g id="g-major"><path class="gf" d="M8 1.2L15.4 14.6H.6z"/><path class="gk" d="M8 6.2v3.6m0 2.4v.1"/></g>
<g id="g-warn"><use href="#g-major"/></g>
<g id="g-minor"><path class="gf" d="M8 .6L15.4 8 8 15.4.6 8z"/><path class="gk" d="M8 4.6v4m0 2.7v.1"/></g>
<g id="g-note"><circle class="gs" cx="8" cy="8" r="6.5"/><path class="gs" d="M8 7.4v3.8m0-6.4v.1"/></g>
<g id="g-open"><circle class="gs" cx="8" cy="8" r="6.5"/>
<path class="gs" d="M6.1 6.4a1.9 1.9 0 1 1 2.6 1.8q-.7.3-.7 1.1m0 2.3v.1"/></g>
<g id="g-pass"><path class="gs" d="M2.6 8.6l3.6 3.7 7.2-8.4"/></g>
<g id="g-waived"><path class="gs" d="M2 14l1-3.6L11.2 2.2l2.6 2.6L5.6 13z"/></g>
</defs></svg>
)svg";
}

std::string_view verdict_glyph(Verdict v) {
  switch (v) {
    case Verdict::pass:
      return "pass";
    case Verdict::warn:
      return "warn";
    case Verdict::fail:
      return "fail";
    case Verdict::waived:
      return "waived";
    case Verdict::inconclusive:
      break;
  }
  return "open";
}

std::string criteria_table(const Report& r) {
  std::string out =
      "<table class=\"t crit\"><caption>Criteria</caption><thead><tr><th scope=\"col\">Result</th><th "
      "scope=\"col\">Criterion</th><th scope=\"col\">Required</th>"
      "<th scope=\"col\">Measured</th></tr></thead><tbody>\n";
  if (r.analysis.criteria.empty()) out += "<tr><td colspan=\"4\">No criterion was judged.</td></tr>\n";
  for (const Criterion& c : r.analysis.criteria) {
    const std::string_view shape = verdict_glyph(c.verdict);
    const std::string_view tone = c.verdict == Verdict::fail                                   ? "no"
                                  : c.verdict == Verdict::pass || c.verdict == Verdict::waived ? ""
                                                                                               : "am";
    out += fmt::format(
        "<tr{}><td>{}<span class=\"{}\">{}</span></td><td><span "
        "title=\"{}\">{}</span></td><td>{}</td><td><span class=\"{}\">{}</span>",
        c.verdict == Verdict::fail ? " class=\"bad\"" : "", glyph(shape, ""), tone, criterion_word(c.verdict),
        html_text(c.from), html_text(c.title), html_text(c.required), tone, html_text(measured_text(c)));
    if (!c.findings.empty()) out += "<br>";
    for (const std::string& id : c.findings)
      out += fmt::format("<a class=\"fl\" href=\"#{0}\">{0}</a>", html_text(id));
    out += "</td></tr>\n";
  }
  return out + "</tbody></table>\n";
}

std::string findings_list(const Report& r) {
  const std::vector<Finding>& all = r.analysis.findings;
  if (all.empty()) return "<p>No findings: nothing that was measured differs from what it should be.</p>\n";
  std::string out = "<div class=\"fs\">\n";
  for (std::size_t i = 0; i < std::min(all.size(), kFindings); ++i) {
    out +=
        finding(all[i], all.size() <= kOpenUpTo || (i < kOpenUpTo && all[i].severity == Severity::critical));
  }
  out += "</div>\n";
  if (all.size() > kFindings) {
    out += fmt::format("<p>{} more ({}) are in report.json.</p>\n", count_text(all.size() - kFindings),
                       severity_counts(all, kFindings));
  }
  return out;
}

}  // namespace railgauge
