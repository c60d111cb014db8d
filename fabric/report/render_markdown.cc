// report.md: for a comment on a ticket or a job summary (64 KB at most there), the same words as the other
// formats.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "fabric/report/render.h"
#include "fabric/report/text.h"
#include "fabric/report/words.h"

namespace railgauge {

namespace {

constexpr std::size_t kFindings = 20;
constexpr std::size_t kCriteria = 40;
constexpr std::size_t kTextColumns = 300;  // of any one text: a hostile name must not fill the comment

// HTML references keep both Markdown and the HTML inside it from reading anything in a name.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : fit(visible(text), kTextColumns)) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c & '\x80') != 0 || std::string_view(" .,:;%/-()=").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("&#{};", static_cast<int>(c));
    }
  }
  return out;
}

std::string code(std::string_view text) {
  return "<code>" + html_text(fit(visible(text), kTextColumns)) + "</code>";
}

std::string finding(const Finding& f) {
  std::string out = fmt::format("<details><summary><b>{} {}</b>: {}</summary>\n\n", markdown_text(f.id),
                                to_text(f.severity), html_text(fit(visible(f.title), kTextColumns)));
  out += markdown_text(facts_text(f)) + "\n\n";
  const auto list = [&](const auto& items, std::size_t most, const auto& text) {
    std::size_t n = 0;
    for (const auto& item : items) {
      if (n++ == most) break;
      out += "- " + text(item) + "\n";
    }
  };
  list(f.evidence, 6, [](const std::string& e) { return markdown_text(e); });
  list(f.causes, 3,
       [](const Cause& c) { return markdown_text(fmt::format("{} cause: {}", c.likelihood, c.text)); });
  list(f.actions, 4, [](const Action& a) {
    return "do: " + markdown_text(a.text) + (a.command.empty() ? "" : " " + code(a.command));
  });
  return out + "\n</details>\n";
}

}  // namespace

std::string render_markdown(const Report& r, const RenderOptions&) {
  const Analysis& a = r.analysis;
  std::string out = fmt::format("## {}: {}\n\n", to_text(a.verdict), headline(r));
  if (a.simulated) out += fmt::format("**SIMULATED: {}.**\n\n", kSimulatedText);
  out += markdown_text(a.sentence.empty() ? criteria_sentence(a) : a.sentence) + "\n\n";
  out += "| Result | Criterion | Required | Measured |\n|---|---|---|---|\n";
  for (std::size_t i = 0; i < std::min(kCriteria, a.criteria.size()); ++i) {
    const Criterion& c = a.criteria[i];
    out += fmt::format("| {} | {} | {} | {} |\n", criterion_word(c.verdict), markdown_text(c.title),
                       markdown_text(c.required), markdown_text(measured_text(c)));
  }
  out += a.findings.empty() ? "\nNo findings.\n\n" : fmt::format("\n{}\n\n", severity_counts(a.findings, 0));
  // 64 KB is the limit of a comment; the tail below is short.
  constexpr std::size_t kBytes = 60'000;
  std::size_t shown = 0;
  for (; shown < std::min(kFindings, a.findings.size()); ++shown) {
    const std::string text = finding(a.findings[shown]);
    if (out.size() + text.size() > kBytes) break;
    out += text;
  }
  if (shown < a.findings.size())
    out += fmt::format("\n... {} more ({})\n", a.findings.size() - shown, severity_counts(a.findings, shown));
  out += fmt::format("\nCoverage: {}. {}.\n", coverage_text(a.coverage), markdown_text(method_line(r)));
  return out;
}

}  // namespace railgauge
