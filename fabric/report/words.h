// Words and figures that all formats share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/report/report.h"

namespace railgauge {

// The verdict as one would say it: "Accept", "Do not accept yet" for plan accept; "No fault found", "Fault
// found" for a check; "Not decided".
std::string_view headline(const Report& report);

// "met", "warning", "NOT MET", "not decided", "waived"
std::string_view criterion_word(Verdict v);

// "1 of 4 criteria is not met", "all 4 criteria are met", "no criterion was judged"
std::string criteria_sentence(const Analysis& analysis);

// "h3 rail 2, rail2", "h1 - h2, rail 0"; "" for the whole fleet.
std::string place_text(const Where& where);

// "95.6 Mbit/s measured, 191 Mbit/s expected, 50 %"; parts that are absent are left out; "" if both are.
std::string comparison_text(const Finding& finding);

// "rail.slow at h3 rail 2, rail2: 95.6 Mbit/s measured, 191 Mbit/s expected, 50 %": what scripts and people
// compare over formats. Without figures the colon is left out, for the whole fleet the place.
std::string facts_text(const Finding& finding);

// What was measured against the gate, or "not measured".
std::string measured_text(const Criterion& criterion);

inline constexpr std::string_view kSimulatedText = "these numbers come from a model, not from hardware";

// "a, b and c": count of findings per severity, "3 critical, 1 minor"; from: the first to count. "" if none.
std::string severity_counts(const std::vector<Finding>& findings, std::size_t from);

// How the numbers were taken and how far they can be trusted, in one line.
std::string method_line(const Report& report);
// "16 of 16 endpoints, 4 of 4 nodes"
std::string coverage_text(const Coverage& coverage);
// "each flow's own NIC counters saw at least 99.2 % of its payload, other NICs moved at most 0.4 %"; ""
// unknown.
std::string proof_text(const Analysis& analysis);
// "payload flowed in 68 % of 41.2 s"; "" unknown.
std::string payload_text(const RunMeta& meta);

inline constexpr double kTolerance =
    0.95;  // of expected; figures and the map's mark. Verdicts come from the criteria.

// Slower of both directions against expected; absent: no direction or no expectation was measured.
std::optional<double> share_of_expected(const EndpointResult& endpoint);

// Over all endpoints; absent = nothing measured.
struct Figures {
  std::size_t judged = 0;                             // endpoints with a share of expected
  std::size_t in_tolerance = 0;                       // of them, at kTolerance or above
  std::optional<double> rate_median_bits_per_second;  // of the slower directions
  std::optional<double> rate_slowest_bits_per_second;
  std::string slowest;                   // "h3 rail 2"
  std::optional<double> latency_p50_ns;  // median over endpoints
  std::optional<double> latency_p99_ns;  // worst of the endpoints' p99
};
Figures figures(const Analysis& analysis);

}  // namespace railgauge
