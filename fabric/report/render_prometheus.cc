// report.prom for node_exporter's textfile collector: verdict, criteria, findings and rails as gauges. Rates
// are bytes per second here, the base unit of Prometheus. Samples of one run number below 2,000 whatever the
// size of the fabric.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fabric/report/metrics.h"
#include "fabric/report/render.h"
#include "fabric/report/words.h"

namespace railgauge {

namespace {

constexpr std::size_t kCriteria = 100;
constexpr std::size_t kFindings = 100;
constexpr std::size_t kEndpoints = 200;
constexpr std::size_t kRails = 64;

double bytes(double bits) { return bits / 8; }
double seconds(double ns) { return ns * 1e-9; }

// One series per verdict, 1 at the one that holds: an alert then needs no knowledge of our order.
void verdict_states(Metrics& m, const Labels& labels, Verdict holds) {
  for (const Verdict v : all_values(Verdict{})) {
    Labels with = labels;
    with.emplace_back("verdict", to_text(v));
    m.sample(with, v == holds ? 1 : 0);
  }
}

// Seconds since 1970 of "2026-03-14T02:10:00Z"; absent: another shape.
std::optional<double> unix_time(std::string_view utc) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  if (utc.size() != kShape.size()) return std::nullopt;
  for (std::size_t i = 0; i < utc.size(); ++i) {
    const bool digit = utc[i] >= '0' && utc[i] <= '9';
    if (kShape[i] == '0' ? !digit : utc[i] != kShape[i]) return std::nullopt;
  }
  const auto part = [utc](std::size_t at, std::size_t n) {
    int value = 0;
    std::from_chars(utc.data() + at, utc.data() + at + n, value);
    return value;
  };
  // Days from the civil calendar, years starting in March (H. Hinnant, chrono-compatible date algorithms).
  const int month = part(5, 2), year = part(0, 4) - (month <= 2 ? 1 : 0);
  const int era_year = year % 400;
  const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + part(8, 2) - 1;
  const int days =
      year / 400 * 146097 + era_year * 365 + era_year / 4 - era_year / 100 + day_of_year - 719468;
  return 86400.0 * days + 3600 * part(11, 2) + 60 * part(14, 2) + part(17, 2);
}

void run(Metrics& m, const Report& r) {
  const Analysis& a = r.analysis;
  m.family("railgauge_run_info", "The run these metrics are of; always 1.");
  m.sample({{"cluster", r.meta.cluster}, {"plan", r.meta.plan}, {"version", r.meta.version}}, 1);
  if (const auto started = unix_time(r.meta.started_utc)) {
    m.family("railgauge_run_completed_timestamp_seconds", "When the run ended, seconds since 1970.");
    m.sample({}, *started + seconds(static_cast<double>(r.meta.wall_ns)));
  }
  m.family("railgauge_run_duration_seconds", "How long the run took.");
  m.sample({}, seconds(static_cast<double>(r.meta.wall_ns)));
  m.family("railgauge_run_simulated", "1 where the numbers come from a model, not from hardware.");
  m.sample({}, a.simulated ? 1 : 0);
  m.family("railgauge_run_verdict", "1 at the verdict of the run.");
  verdict_states(m, {}, a.verdict);
  m.family("railgauge_endpoints", "Endpoints that were planned and measured.");
  m.sample({{"state", "planned"}}, a.coverage.planned);
  m.sample({{"state", "measured"}}, a.coverage.measured);
  m.family("railgauge_nodes", "Nodes that were planned and answered.");
  m.sample({{"state", "planned"}}, a.coverage.nodes_planned);
  m.sample({{"state", "answered"}}, a.coverage.nodes_answered);
}

void criteria(Metrics& m, const Analysis& a) {
  if (a.criteria.empty()) return;
  m.family("railgauge_criterion_verdict", "1 at the verdict of each criterion.");
  for (std::size_t i = 0; i < std::min(kCriteria, a.criteria.size()); ++i)
    verdict_states(m, {{"criterion", a.criteria[i].id}}, a.criteria[i].verdict);
}

Labels place_labels(const Finding& f) {
  Labels labels = {{"finding", f.id},
                   {"code", f.code},
                   {"severity", std::string(to_text(f.severity))},
                   {"scope", std::string(to_text(f.scope))},
                   {"place", place_text(f.where)}};
  if (f.where.node) labels.emplace_back("node", *f.where.node);
  if (f.where.rail) labels.emplace_back("rail", std::to_string(*f.where.rail));
  if (f.direction) labels.emplace_back("direction", to_text(*f.direction));
  return labels;
}

// The findings' figures of one unit, in the base unit.
void figures_of(Metrics& m, const Analysis& a, std::string_view unit, const std::string& name,
                double (*convert)(double)) {
  std::vector<const Finding*> chosen;
  for (std::size_t i = 0; i < std::min(kFindings, a.findings.size()); ++i) {
    const Finding& f = a.findings[i];
    if ((f.measured && f.measured->unit == unit) || (f.expected && f.expected->unit == unit))
      chosen.push_back(&f);
  }
  if (chosen.empty()) return;
  m.family(name, "Measured and expected of each finding that has a figure.");
  for (const Finding* f : chosen) {
    if (f->measured && f->measured->unit == unit)
      m.sample({{"finding", f->id}, {"figure", "measured"}}, convert(f->measured->value));
    if (f->expected && f->expected->unit == unit)
      m.sample({{"finding", f->id}, {"figure", "expected"}}, convert(f->expected->value));
  }
}

void findings(Metrics& m, const Analysis& a) {
  m.family("railgauge_findings", "Number of findings by severity.");
  for (const Severity s : all_values(Severity{})) {
    const auto n = std::count_if(a.findings.begin(), a.findings.end(),
                                 [s](const Finding& f) { return f.severity == s; });
    m.sample({{"severity", std::string(to_text(s))}}, static_cast<double>(n));
  }
  if (a.findings.empty()) return;
  m.family("railgauge_finding_info", "Each finding, the gravest 100, with its code and place; always 1.");
  for (std::size_t i = 0; i < std::min(kFindings, a.findings.size()); ++i)
    m.sample(place_labels(a.findings[i]), 1);
  figures_of(m, a, "bit/s", "railgauge_finding_rate_bytes_per_second", bytes);
  figures_of(m, a, "ns", "railgauge_finding_time_seconds", seconds);
}

void rails(Metrics& m, const Analysis& a) {
  std::map<int, Analysis> by_rail;
  for (const EndpointResult& e : a.endpoints) {
    if (e.rail >= 0 && static_cast<std::size_t>(e.rail) < kRails) by_rail[e.rail].endpoints.push_back(e);
  }
  if (by_rail.empty()) return;
  std::map<int, Figures> of;
  for (const auto& [rail, part] : by_rail) of[rail] = figures(part);
  m.family("railgauge_rail_rate_bytes_per_second", "Slower direction of the endpoints of a rail.");
  for (const auto& [rail, f] : of) {
    const std::string name = std::to_string(rail);
    if (f.rate_median_bits_per_second)
      m.sample({{"rail", name}, {"statistic", "median"}}, bytes(*f.rate_median_bits_per_second));
    if (f.rate_slowest_bits_per_second)
      m.sample({{"rail", name}, {"statistic", "slowest"}}, bytes(*f.rate_slowest_bits_per_second));
  }
  m.family("railgauge_rail_latency_seconds",
           "Half round trip: p50 of the median endpoint, p99 of the worst.");
  for (const auto& [rail, f] : of) {
    const std::string name = std::to_string(rail);
    if (f.latency_p50_ns) m.sample({{"rail", name}, {"statistic", "p50"}}, seconds(*f.latency_p50_ns));
    if (f.latency_p99_ns) m.sample({{"rail", name}, {"statistic", "p99"}}, seconds(*f.latency_p99_ns));
  }
}

// Only those out of tolerance, slowest first: 16,000 series that all say 0.99 help nobody.
void slow_endpoints(Metrics& m, const Analysis& a) {
  std::vector<std::pair<double, const EndpointResult*>> slow;
  for (const EndpointResult& e : a.endpoints) {
    const auto share = share_of_expected(e);
    if (share && *share < kTolerance) slow.emplace_back(*share, &e);
  }
  std::stable_sort(slow.begin(), slow.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  if (slow.empty()) return;
  m.family("railgauge_endpoint_of_expected_ratio",
           "Slower direction over what is expected, of the slowest 200 endpoints below 0.95.");
  for (std::size_t i = 0; i < std::min(kEndpoints, slow.size()); ++i) {
    const EndpointResult& e = *slow[i].second;
    m.sample({{"node", e.node}, {"rail", std::to_string(e.rail)}, {"nic", e.device}}, slow[i].first);
  }
}

}  // namespace

std::string render_prometheus(const Report& r, const RenderOptions&) {
  Metrics m;
  run(m, r);
  criteria(m, r.analysis);
  findings(m, r.analysis);
  rails(m, r.analysis);
  slow_endpoints(m, r.analysis);
  return m.take();
}

}  // namespace railgauge
