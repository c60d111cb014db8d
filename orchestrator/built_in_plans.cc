// The plans that come with the program: pure data. A new case joins a plan by one line in its table.
#include <fmt/format.h>

#include <array>
#include <span>

#include "orchestrator/plan.h"

namespace railgauge {
namespace {

struct PlannedCase {
  std::string_view case_id;
  std::int32_t repeats = 0;  // 0: the case's default
  Nanos box;                 // of each flow; 0: the case's default
};

struct BuiltInPlan {
  std::string_view name;
  Nanos time_box;
  double coverage;
  std::span<const PlannedCase> cases;
};

// Is anything broken? The defaults of the cases.
constexpr std::array kQuick = {
    PlannedCase{"p2p.rail.write_bw", 0, Nanos()},
    PlannedCase{"p2p.rail.latency", 0, Nanos()},
};

// What got worse since yesterday? Repeats enough for a quoted number: 5 minutes on 64 nodes of 8 rails, 10 on
// 1000; fewer repeats where the time box forces it.
constexpr std::array kNightly = {
    PlannedCase{"p2p.rail.write_bw", 6, Nanos::s(3)},
    PlannedCase{"p2p.rail.latency", 2, Nanos::s(1)},
};

// May I sign? As many repeats as the time box holds; every number that is quoted has at least 6.
constexpr std::array kAccept = {
    PlannedCase{"p2p.rail.write_bw", 20, Nanos::s(5)},
    PlannedCase{"p2p.rail.latency", 10, Nanos::s(2)},
};

constexpr std::array kPlans = {
    BuiltInPlan{"quick", Nanos::s(120), 0.98, kQuick},
    BuiltInPlan{"nightly", Nanos::s(15 * 60), 0.98, kNightly},
    BuiltInPlan{"accept", Nanos::s(60 * 60), 1.0, kAccept},
};

PlanCase with_defaults(const PlannedCase& planned) {
  const Case* c = find_case(planned.case_id);
  RG_CHECK(c != nullptr);
  PlanCase out = default_plan_case(*c);
  if (planned.repeats > 0) out.repeats = planned.repeats;
  if (planned.box.count() > 0) out.box_ns = planned.box.count();
  return out;
}

}  // namespace

std::vector<std::string> built_in_plan_names() {
  std::vector<std::string> names;
  for (const BuiltInPlan& p : kPlans) names.emplace_back(p.name);
  return names;
}

Result<Plan> built_in_plan(std::string_view name) {
  std::string known;
  for (const BuiltInPlan& p : kPlans) {
    known += std::string(p.name) + ", ";
    if (p.name != name) continue;
    Plan plan;
    plan.name = p.name;
    plan.time_box_ns = p.time_box.count();
    plan.gates.coverage = p.coverage;
    for (const PlannedCase& c : p.cases) plan.cases.push_back(with_defaults(c));
    return plan;
  }
  return fail(ErrorKind::input,
              fmt::format("{}: no such plan: write {}or the path of a YAML file", name, known));
}

}  // namespace railgauge
