#include "fabric/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fabric/report/text.h"

namespace railgauge {

std::string_view headline(const Report& report) {
  // A model cannot be accepted, only hardware.
  const bool acceptance = report.meta.plan.starts_with("accept") && !report.analysis.simulated;
  const std::vector<Finding>& findings = report.analysis.findings;
  const auto faults = std::count_if(findings.begin(), findings.end(),
                                    [](const Finding& f) { return f.severity != Severity::note; });
  switch (report.analysis.verdict) {
    case Verdict::pass:
      return acceptance ? "Accept" : "No fault found";
    case Verdict::warn:
      return acceptance ? "Accept with remarks" : "Works, with warnings";
    case Verdict::waived:
      return acceptance ? "Accept with waivers" : "Waived";
    case Verdict::fail:
      if (acceptance) return "Do not accept yet";
      return faults == 0 ? "Criteria not met" : faults == 1 ? "Fault found" : "Faults found";
    case Verdict::inconclusive:
      break;
  }
  return "Not decided";
}

std::string_view criterion_word(Verdict v) {
  switch (v) {
    case Verdict::pass:
      return "met";
    case Verdict::warn:
      return "warning";
    case Verdict::fail:
      return "NOT MET";
    case Verdict::waived:
      return "waived";
    case Verdict::inconclusive:
      break;
  }
  return "not decided";
}

std::string criteria_sentence(const Analysis& analysis) {
  const std::size_t all = analysis.criteria.size();
  const auto count = [&](Verdict v) {
    return static_cast<std::size_t>(std::count_if(analysis.criteria.begin(), analysis.criteria.end(),
                                                  [v](const Criterion& c) { return c.verdict == v; }));
  };
  if (all == 0) return "no criterion was judged";
  const auto part = [&](Verdict v, const char* what) {
    const std::size_t n = count(v);
    return fmt::format("{} of {} {} {}", n, all, all == 1 ? "criterion" : "criteria",
                       fmt::format("{} {}", n == 1 ? "is" : "are", what));
  };
  if (count(Verdict::fail) > 0) return part(Verdict::fail, "not met");
  if (count(Verdict::inconclusive) > 0) return part(Verdict::inconclusive, "not decided");
  if (count(Verdict::warn) > 0) return part(Verdict::warn, "met with a warning");
  if (count(Verdict::waived) > 0) return part(Verdict::waived, "waived");
  return all == 1 ? "the criterion is met" : fmt::format("all {} criteria are met", all);
}

std::string place_text(const Where& where) {
  std::string out;
  const auto add = [&](const std::string& part, std::string_view separator) {
    if (!out.empty()) out += separator;
    out += part;
  };
  if (where.link) out = fmt::format("{} - {}", where.link->a, where.link->b);
  if (where.node && !where.link) out = *where.node;
  if (where.rail) add(fmt::format("rail {}", *where.rail), where.link ? ", " : " ");
  if (where.nic) add(*where.nic, ", ");
  if (where.gpu) add(fmt::format("GPU {}", *where.gpu), ", ");
  return out;
}

std::string comparison_text(const Finding& f) {
  std::string out;
  if (f.measured) out = quantity_text(f.measured->value, f.measured->unit) + " measured";
  if (f.expected) {
    if (!out.empty()) out += ", ";
    out += quantity_text(f.expected->value, f.expected->unit) + " expected";
  }
  if (f.measured && f.expected && f.measured->unit == f.expected->unit) {
    const std::string ratio = ratio_text(f.measured->value, f.expected->value, f.measured->unit);
    if (!ratio.empty()) out += ", " + ratio;
  }
  return out;
}

std::string facts_text(const Finding& f) {
  const std::string place = place_text(f.where), numbers = comparison_text(f);
  return f.code + (place.empty() ? "" : " at " + place) + (numbers.empty() ? "" : ": " + numbers);
}

std::string measured_text(const Criterion& c) { return c.measured.empty() ? "not measured" : c.measured; }

std::string severity_counts(const std::vector<Finding>& findings, std::size_t from) {
  std::string out;
  for (const Severity s : {Severity::critical, Severity::major, Severity::minor, Severity::note}) {
    const auto n =
        std::count_if(findings.begin() + static_cast<std::ptrdiff_t>(std::min(from, findings.size())),
                      findings.end(), [s](const Finding& f) { return f.severity == s; });
    if (n == 0) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", n, to_text(s));
  }
  return out;
}

std::string coverage_text(const Coverage& c) {
  return fmt::format("{} of {} endpoints, {} of {} nodes", c.measured, c.planned, c.nodes_answered,
                     c.nodes_planned);
}

std::string proof_text(const Analysis& a) {
  if (a.proof_worst_share < 0) return "";
  std::string out = fmt::format("each flow's own NIC counters saw at least {} of its payload",
                                percent_text(a.proof_worst_share));
  if (a.proof_worst_other >= 0)
    out += fmt::format(", NICs without a flow moved at most {:.1f} %",
                       std::ceil(a.proof_worst_other * 1000) / 10);
  return out;
}

std::string payload_text(const RunMeta& m) {
  if (m.wall_ns <= 0 || m.payload_ns <= 0) return "";
  const double share = static_cast<double>(m.payload_ns) / static_cast<double>(m.wall_ns);
  return fmt::format("payload flowed in {:.0f} % of {}", std::floor(share * 100),
                     time_text(static_cast<double>(m.wall_ns)));
}

std::string method_line(const Report& r) {
  std::string out = "goodput at the receiver, stalls and errors count as zero";
  if (r.analysis.pooled_sigma > 0)
    out += fmt::format("; run-to-run spread {:.2f} %", r.analysis.pooled_sigma * 100);
  if (r.analysis.proof_worst_share >= 0)
    out += fmt::format("; NIC counters confirm {}", percent_text(r.analysis.proof_worst_share));
  return out;
}

namespace {

std::optional<double> slower(const EndpointResult& e) {
  if (e.send_bits_per_second && e.receive_bits_per_second)
    return std::min(*e.send_bits_per_second, *e.receive_bits_per_second);
  return e.send_bits_per_second ? e.send_bits_per_second : e.receive_bits_per_second;
}

std::optional<double> median(std::vector<double> v) {
  if (v.empty()) return std::nullopt;
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  if (v.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(v.begin(), middle)) / 2;
}

}  // namespace

std::optional<double> share_of_expected(const EndpointResult& e) {
  const std::optional<double> rate = slower(e);
  if (!rate || !e.expected_bits_per_second || !(*e.expected_bits_per_second > 0)) return std::nullopt;
  return *rate / *e.expected_bits_per_second;
}

Figures figures(const Analysis& analysis) {
  Figures f;
  std::vector<double> rates, latencies;
  for (const EndpointResult& e : analysis.endpoints) {
    if (const auto share = share_of_expected(e)) {
      ++f.judged;
      if (*share >= kTolerance) ++f.in_tolerance;
    }
    if (const auto rate = slower(e)) {
      rates.push_back(*rate);
      if (!f.rate_slowest_bits_per_second || *rate < *f.rate_slowest_bits_per_second) {
        f.rate_slowest_bits_per_second = rate;
        f.slowest =
            e.rail >= 0 ? fmt::format("{} rail {}", e.node, e.rail) : fmt::format("{} {}", e.node, e.device);
      }
    }
    if (e.latency_p50_ns) latencies.push_back(*e.latency_p50_ns);
    if (e.latency_p99_ns) f.latency_p99_ns = std::max(f.latency_p99_ns.value_or(0), *e.latency_p99_ns);
  }
  f.rate_median_bits_per_second = median(rates);
  f.latency_p50_ns = median(latencies);
  return f;
}

}  // namespace railgauge
