// What is to be measured: a built-in plan or a YAML file. plan.json is the struct Plan.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/cases/case.h"
#include "fabric/cases/schedule.h"
#include "fabric/diagnose/diagnose.h"
#include "proto/result.h"

namespace railgauge {

struct PlanCase {
  std::string case_id;
  std::vector<std::uint64_t> sizes_bytes;  // empty: the case's default for the slowest endpoint
  std::int32_t repeats = 1;                // of each round; fewer where the time box forces it
  std::int64_t box_ns = 0;                 // of each flow
  std::string pairs = "automatic";         // parse_pairing
};

struct Plan {
  std::string name;
  std::int64_t time_box_ns = 0;  // of the whole run, start-up and report included
  std::uint64_t seed = 1;        // of random matchings
  std::vector<PlanCase> cases;
  Gates gates;
};

// "quick" under two minutes, "nightly" within 15, "accept" within an hour (--time-box decides).
std::vector<std::string> built_in_plan_names();
// Errors (input): no such built-in plan; the message has the names.
Result<Plan> built_in_plan(std::string_view name);
// A case as a plan has it where nothing is said.
PlanCase default_plan_case(const Case& c);
// YAML keys: name, time_box, seed, cases: [{case, sizes, repeats, box, pairs}], gates: {model_warn,
// model_fail, peer_floor, peer_sigmas, peer_fail, peer_members, coverage, confirm_repeats}, criteria: as
// read_criterion() has them. A case that a criterion quotes has at least kQuotedRepeats repeats. Errors
// (input): "FILE:LINE: KEY: reason".
Result<Plan> parse_plan(const std::string& text, const std::string& file);
// A built-in name, else a file.
Result<Plan> find_plan(const std::string& name_or_path);

// Rounds of the plan for these endpoints, ids from 0. Repeats are cut (never below 1) until measuring takes
// at most 70 % of the time box: the rest is start-up and confirmation. Empty rounds: no two endpoints may be
// paired.
Schedule schedule_of(const Plan& plan, std::vector<Endpoint> endpoints);

struct Estimate {
  std::size_t rounds = 0;
  std::int64_t measuring_ns = 0, startup_ns = 0;
  std::size_t endpoints = 0, covered = 0;  // covered: has at least one flow
  std::size_t rounds_in_time = 0;          // of rounds: those that end within the plan's time box
  // Cases whose repeats the time box has cut, with the repeats left.
  std::vector<std::pair<std::string, std::int32_t>> cut;
};
// Of a schedule that schedule_of() made from this plan.
Estimate estimate(const Plan& plan, const Schedule& schedule);

template <class V>
void describe(V& v, PlanCase& c) {
  v("case", c.case_id);
  v("sizes_bytes", c.sizes_bytes);
  v("repeats", c.repeats);
  v("box_ns", c.box_ns);
  v("pairs", c.pairs);
}
template <class V>
void describe(V& v, Gates& g) {
  v("model_warn", g.model_warn);
  v("model_fail", g.model_fail);
  v("peer_floor", g.peer_floor);
  v("peer_sigmas", g.peer_sigmas);
  v("peer_fail", g.peer_fail);
  v("peer_members", g.peer_members);
  v("coverage", g.coverage);
  v("confirm_repeats", g.confirm_repeats);
  // Absent in plans of the first version, and where nothing is stated.
  std::optional<std::vector<StatedCriterion>> stated;
  if (!g.stated.empty()) stated = g.stated;
  v("stated", stated);
  g.stated = stated.value_or(std::vector<StatedCriterion>());
}
template <class V>
void describe(V& v, Plan& p) {
  v("name", p.name);
  v("time_box_ns", p.time_box_ns);
  v("seed", p.seed);
  v("cases", p.cases);
  v("gates", p.gates);
}

}  // namespace railgauge
