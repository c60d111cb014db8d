#include "fabric/diagnose/stated_criteria.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "fabric/diagnose/statistics.h"
#include "fabric/diagnose/wording.h"

namespace railgauge {
namespace {

using Ends = std::pair<std::int32_t, std::int32_t>;  // source, target

// A flow of the case over its repeats.
struct Course {
  std::vector<double> calm, all;
  bool measured() const { return !all.empty(); }
  bool busy() const { return measured() && calm.empty(); }
  bool sound() const { return !calm.empty() && all.size() >= static_cast<std::size_t>(kQuotedRepeats); }
  double figure() const { return median(calm.empty() ? all : calm); }
};

bool is_of(const Round& r, const StatedCriterion& c) {
  return r.purpose == RoundPurpose::screen && r.case_id == c.case_id &&
         (c.size_bytes == 0 || r.size_bytes == c.size_bytes);
}

std::optional<double> value_of(const FlowResult& f, Statistic statistic, bool latency) {
  if (f.failed) return std::nullopt;
  if (latency)
    return f.latency_count == 0 ? std::nullopt : std::optional(statistic == Statistic::p99 ? f.p99 : f.p50);
  if (!f.received) return std::nullopt;
  return statistic == Statistic::goodput ? f.rate : f.window_median;
}

// Every flow that the schedule has for the case; without values where it was not measured.
std::map<Ends, Course> courses_of(const Picture& p, const StatedCriterion& c) {
  std::map<Ends, Course> courses;
  const Groups groups = groups_of(p.evidence.schedule.endpoints);
  for (const Round& r : p.evidence.schedule.rounds) {
    if (!is_of(r, c)) continue;
    for (const Flow& f : expand(r.rule, groups)) courses[{f.source.value, f.target.value}];
  }
  for (const FlowResult& f : p.all) {
    if (!is_of(*f.round, c)) continue;
    const auto value = value_of(f, c.statistic, c.limit.unit == "ns");
    if (!value) continue;
    Course& course = courses[{f.source, f.target}];
    course.all.push_back(*value);
    if (!f.disturbed) course.calm.push_back(*value);
  }
  return courses;
}

// The figure of the flow that the criterion is about; absent: no values.
std::optional<double> chosen(std::vector<double> values, const StatedCriterion& c) {
  if (values.empty()) return std::nullopt;
  if (c.flow == FlowChoice::median) return median(values);
  return c.bound == Bound::at_least ? *std::min_element(values.begin(), values.end())
                                    : *std::max_element(values.begin(), values.end());
}

// Figures of the sound flows, with `doubtful` for every other one.
std::vector<double> figures(const std::map<Ends, Course>& courses, std::optional<double> doubtful) {
  std::vector<double> values;
  for (const auto& [ends, course] : courses) {
    if (course.sound()) {
      values.push_back(course.figure());
    } else if (doubtful) {
      values.push_back(*doubtful);
    }
  }
  return values;
}

// What is shown: of the sound flows; where there is none, of all that gave a value.
std::optional<double> shown(const std::map<Ends, Course>& courses, const StatedCriterion& c) {
  std::vector<double> values = figures(courses, std::nullopt);
  if (!values.empty()) return chosen(std::move(values), c);
  for (const auto& [ends, course] : courses) {
    if (course.measured()) values.push_back(course.figure());
  }
  return chosen(std::move(values), c);
}

bool meets(double value, const StatedCriterion& c) {
  return c.bound == Bound::at_least ? value >= c.limit.value : value <= c.limit.value;
}

Verdict verdict_of(const std::map<Ends, Course>& courses, const StatedCriterion& c) {
  if (courses.empty()) return Verdict::inconclusive;
  constexpr double kHuge = std::numeric_limits<double>::max() / 4;  // an even count takes the mean of two
  const double best = c.bound == Bound::at_least ? kHuge : 0;
  const double worst = c.bound == Bound::at_least ? 0 : kHuge;
  if (!meets(*chosen(figures(courses, best), c), c)) return c.missed;
  return meets(*chosen(figures(courses, worst), c), c) ? Verdict::pass : Verdict::inconclusive;
}

std::string in_words(const Quantity& q) {
  return q.unit == "ns" ? to_text(Nanos::ns(static_cast<std::int64_t>(q.value + 0.5)))
                        : rate_in_words(q.value);
}

// What is behind the figure, and what is missing.
std::string basis(const std::map<Ends, Course>& courses) {
  std::size_t missing = 0, few = 0, busy = 0, repeats = SIZE_MAX;
  for (const auto& [ends, course] : courses) {
    if (course.measured()) repeats = std::min(repeats, course.all.size());
    if (!course.measured()) {
      ++missing;
    } else if (course.all.size() < static_cast<std::size_t>(kQuotedRepeats)) {
      ++few;
    } else if (course.busy()) {
      ++busy;
    }
  }
  std::string text = fmt::format("{} flows", courses.size());
  if (repeats != SIZE_MAX) text += fmt::format(", {} repeats or more", repeats);
  if (missing > 0) text += fmt::format("; {} not measured", missing);
  if (few > 0) text += fmt::format("; {} with fewer than {} repeats", few, kQuotedRepeats);
  if (busy > 0) text += fmt::format("; {} on hosts too busy to judge", busy);
  return text;
}

// Flow that the figure is of: the worst one; of a median none.
std::optional<Ends> flow_at(const std::map<Ends, Course>& courses, const StatedCriterion& c, double value) {
  if (c.flow == FlowChoice::median) return std::nullopt;
  for (const auto& [ends, course] : courses) {
    if (course.measured() && course.figure() == value) return ends;
  }
  return std::nullopt;
}

void link_findings(const std::vector<Draft>& drafts, Ends ends, Criterion& out) {
  for (const Draft& d : drafts) {
    const bool touches = std::any_of(d.endpoints.begin(), d.endpoints.end(),
                                     [&](std::int32_t e) { return e == ends.first || e == ends.second; });
    if (touches) out.findings.push_back(d.finding.id);
  }
}

std::string size_text(const Picture& p, const StatedCriterion& c) {
  for (const Round& r : p.evidence.schedule.rounds) {
    if (is_of(r, c)) return to_text(Bytes::b(r.size_bytes));
  }
  return to_text(Bytes::b(c.size_bytes));
}

Criterion judged(const Picture& p, const std::vector<Draft>& drafts, const StatedCriterion& c) {
  const std::map<Ends, Course> courses = courses_of(p, c);
  Criterion out;
  out.id = c.id;
  out.title = fmt::format("{}, {}: {} of the {} flow", c.case_id, size_text(p, c), to_text(c.statistic),
                          to_text(c.flow));
  out.required = fmt::format("{} {}", to_text(c.bound), in_words(c.limit));
  out.from = c.from;
  out.limit = c.limit;
  out.verdict = verdict_of(courses, c);
  const auto figure = shown(courses, c);
  if (!figure) {
    out.required += "; " + basis(courses);
    return out;
  }
  out.figure = Quantity{*figure, c.limit.unit};
  out.measured = in_words(*out.figure);
  // 44.98 reads as 45: a missed limit must not look met.
  if (!meets(*figure, c) && out.measured == in_words(c.limit))
    out.measured += fmt::format(" ({:.3g} % off)", 100 * std::abs(1 - *figure / c.limit.value));
  const auto ends = flow_at(courses, c, *figure);
  if (ends) out.measured += fmt::format(" ({})", pair_name(p, ends->first, ends->second));
  out.measured += "; " + basis(courses);
  if (ends && out.verdict != Verdict::pass) link_findings(drafts, *ends, out);
  return out;
}

}  // namespace

std::string_view to_text(Statistic s) {
  constexpr std::array<std::string_view, 3> kText = {"goodput", "median", "p99"};
  return kText.at(static_cast<std::size_t>(s));
}
std::span<const Statistic> all_values(Statistic) {
  static constexpr std::array kAll = {Statistic::goodput, Statistic::median, Statistic::p99};
  return kAll;
}

std::string_view to_text(FlowChoice f) { return f == FlowChoice::worst ? "worst" : "median"; }
std::span<const FlowChoice> all_values(FlowChoice) {
  static constexpr std::array kAll = {FlowChoice::worst, FlowChoice::median};
  return kAll;
}

std::string_view to_text(Bound b) { return b == Bound::at_least ? "at least" : "at most"; }
std::span<const Bound> all_values(Bound) {
  static constexpr std::array kAll = {Bound::at_least, Bound::at_most};
  return kAll;
}

std::vector<Criterion> stated_criteria(const Picture& p, const std::vector<Draft>& drafts,
                                       std::vector<Skip>& skipped) {
  std::vector<Criterion> all;
  const std::vector<Round>& rounds = p.evidence.schedule.rounds;
  for (const StatedCriterion& c : p.gates.stated) {
    if (std::any_of(rounds.begin(), rounds.end(), [&](const Round& r) { return is_of(r, c); })) {
      all.push_back(judged(p, drafts, c));
    } else {
      skipped.push_back({c.id, SkipReason::not_applicable,
                         fmt::format("{} has no round on this fabric ({})", c.case_id, c.from)});
    }
  }
  return all;
}

}  // namespace railgauge
