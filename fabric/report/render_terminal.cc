// The summary that people see first: at most 80 columns, verdict first, about one screen.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "fabric/report/render.h"
#include "fabric/report/text.h"
#include "fabric/report/words.h"

namespace railgauge {

namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kFindings = 8;  // more are counted
constexpr std::size_t kCriteria = 12;

std::string_view colour_of(Verdict v) {
  switch (v) {
    case Verdict::pass:
    case Verdict::waived:
      return "32";
    case Verdict::warn:
    case Verdict::inconclusive:
      return "33";
    case Verdict::fail:
      break;
  }
  return "31";
}

std::string_view colour_of(Severity s) {
  switch (s) {
    case Severity::critical:
      return "31";
    case Severity::major:
      return "33";
    case Severity::minor:
    case Severity::note:
      break;
  }
  return "36";
}

// Text of known width, so colours are added last and never count as columns.
class Screen {
 public:
  explicit Screen(bool colour) : colour_(colour) {}
  std::string paint(std::string_view code, const std::string& text) const {
    return colour_ ? fmt::format("\x1b[1;{}m{}\x1b[0m", code, text) : text;
  }
  void line(std::string_view text = {}) {
    out_ += text;
    out_ += '\n';
  }
  // `first` starts the first line, spaces of its width the others.
  void wrapped(std::string_view first, std::string_view text) {
    std::string start(first);
    for (const std::string& part : wrap(visible(text), kColumns - columns(first))) {
      line(start + part);
      start.assign(columns(first), ' ');
    }
  }
  std::string take() { return std::move(out_); }

 private:
  bool colour_;
  std::string out_;
};

void head(Screen& screen, const Report& r) {
  const Analysis& a = r.analysis;
  if (a.simulated) screen.line(screen.paint("35", fmt::format("SIMULATED: {}", kSimulatedText)));
  const std::string left = fmt::format("{}  {}", to_text(a.verdict), headline(r));
  const std::string right =
      fmt::format("{}{}{}, {}", visible(r.meta.cluster), r.meta.cluster.empty() ? "" : "  ",
                  plural(static_cast<std::size_t>(a.coverage.nodes_planned), "node"),
                  plural(static_cast<std::size_t>(a.coverage.planned), "endpoint"));
  const std::size_t room = kColumns - columns(left) - 2;
  const std::string shown = fit(right, room);
  screen.line(screen.paint(colour_of(a.verdict), left) +
              std::string(kColumns - columns(left) - columns(shown), ' ') + shown);
  screen.wrapped("", a.sentence.empty() ? criteria_sentence(a) : a.sentence);
}

void criteria(Screen& screen, const Analysis& a) {
  if (a.criteria.empty()) return;
  screen.line();
  screen.line(fmt::format("Criteria: {}", criteria_sentence(a)));
  // Criteria that need attention first, each group in the order of the analysis.
  std::size_t shown = 0;
  for (const bool calm : {false, true}) {
    for (const Criterion& c : a.criteria) {
      if ((c.verdict == Verdict::pass) != calm || shown == kCriteria) continue;
      ++shown;
      const std::string word = pad(criterion_word(c.verdict), 11);
      const std::string text = fmt::format("{}: {} (required: {})", visible(c.title),
                                           visible(measured_text(c)), visible(c.required));
      std::string start = "  " + screen.paint(colour_of(c.verdict), word) + " ";
      for (const std::string& part : wrap(text, kColumns - 14)) {
        screen.line(start + part);
        start.assign(14, ' ');
      }
    }
  }
  if (a.criteria.size() > shown) screen.line(fmt::format("  ... {} more", a.criteria.size() - shown));
}

void finding(Screen& screen, const Finding& f) {
  const std::string id = fit(visible(f.id), 6);
  const std::string severity = pad(to_text(f.severity), 8);
  const std::size_t indent = 2 + columns(id) + 1 + 8 + 2;
  std::string start = fmt::format("  {} {}  ", id, screen.paint(colour_of(f.severity), severity));
  for (const std::string& part : wrap(visible(f.title), kColumns - indent)) {
    screen.line(start + part);
    start.assign(indent, ' ');
  }
  const std::string margin(indent, ' ');
  screen.wrapped(margin, facts_text(f));
  if (!f.actions.empty()) screen.wrapped(margin + "do: ", f.actions.front().text);
}

void findings(Screen& screen, const Analysis& a) {
  screen.line();
  if (a.findings.empty()) {
    screen.line("Findings: none");
    return;
  }
  screen.line(fmt::format("Findings: {}", severity_counts(a.findings, 0)));
  for (std::size_t i = 0; i < std::min(kFindings, a.findings.size()); ++i) finding(screen, a.findings[i]);
  if (a.findings.size() > kFindings) {
    screen.line(fmt::format("  ... {} more ({})", a.findings.size() - kFindings,
                            severity_counts(a.findings, kFindings)));
  }
}

void numbers(Screen& screen, const Report& r) {
  const Figures f = figures(r.analysis);
  screen.line();
  if (f.rate_median_bits_per_second) {
    screen.wrapped(
        "Rate      ",
        fmt::format("median {}, slowest {} ({}); {} of {} within {:.0f} % of expected",
                    rate_text(f.rate_median_bits_per_second), rate_text(f.rate_slowest_bits_per_second),
                    f.slowest, f.in_tolerance, plural(f.judged, "endpoint"), (1 - kTolerance) * 100));
  } else {
    screen.line("Rate      not measured");
  }
  if (f.latency_p50_ns) {
    screen.wrapped("Latency   ", fmt::format("p50 {} (median endpoint), p99 {} (worst endpoint)",
                                             time_text(f.latency_p50_ns), time_text(f.latency_p99_ns)));
  } else {
    screen.line("Latency   not measured");
  }
  screen.wrapped(
      "Coverage  ",
      coverage_text(r.analysis.coverage) +
          (r.analysis.skipped.empty() ? "" : fmt::format("; {} skipped", r.analysis.skipped.size())));
  screen.wrapped("Method    ", method_line(r));
  const std::string payload = payload_text(r.meta);
  if (!payload.empty()) screen.wrapped("Time      ", payload);
}

}  // namespace

std::string render_terminal(const Report& report, const RenderOptions& options) {
  Screen screen(options.colour);
  head(screen, report);
  criteria(screen, report.analysis);
  findings(screen, report.analysis);
  numbers(screen, report);
  // A path is for copying: it stands alone on its line and is the one thing that is never cut.
  if (!options.page_path.empty()) {
    const std::string path = visible(options.page_path);
    screen.wrapped("Report    ", path);
  }
  return screen.take();
}

}  // namespace railgauge
