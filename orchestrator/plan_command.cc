// `railgauge plan`: what would run. Starts nothing.
#include <fmt/format.h>

#include <algorithm>

#include "fabric/report/text.h"
#include "orchestrator/lab/lab_spec.h"
#include "orchestrator/plan.h"
#include "orchestrator/run.h"
#include "orchestrator/target.h"

namespace railgauge {
namespace {

// Criteria whose case has fewer repeats in its time box than a quoted number needs.
void warn_of_few_repeats(const Plan& plan, const Schedule& schedule) {
  for (const StatedCriterion& c : plan.gates.stated) {
    std::int32_t repeats = 0;
    for (const Round& r : schedule.rounds) {
      if (r.case_id == c.case_id) repeats = std::max(repeats, r.repeat + 1);
    }
    if (repeats == 0 || repeats >= kQuotedRepeats) continue;
    fmt::print("criterion {}: {} of {} repeats fit into the limit; it would stay INCONCLUSIVE\n", c.id,
               repeats, kQuotedRepeats);
  }
}

}  // namespace

Result<int> plan_command(const RunOptions& options) {
  auto plan = find_plan(options.plan_or_default());
  if (!plan) return tl::make_unexpected(plan.error());
  if (options.time_box) plan->time_box_ns = options.time_box->count();
  const auto target = target_of(options);
  if (!target) return tl::make_unexpected(target.error());
  if (!target->named_lab.empty()) return fail(ErrorKind::input, "plan: give the shape of the lab: --lab 4x4");
  // Rails run at the same time, so that a host file alone, one rail each, gives the right rounds and minutes.
  std::vector<Endpoint> endpoints;
  const auto add = [&endpoints](const std::string& node, int rails, BitRate rate) {
    for (int rail = 0; rail < rails; ++rail) {
      Endpoint e;
      e.node = node;
      e.rail = rail;
      e.expected_bits_per_second = rate.bps();
      endpoints.push_back(e);
    }
  };
  if (target->lab) {
    for (const LabHost& h : hosts_of(*target->lab)) add(h.name, h.rails, h.rate);
  } else {
    for (const std::string& h : target->hosts) add(h, 1, BitRate());
  }
  const Schedule schedule = schedule_of(*plan, std::move(endpoints));
  const Estimate e = estimate(*plan, schedule);
  const double minutes = Nanos::ns(e.measuring_ns + e.startup_ns).seconds() / 60;
  fmt::print("plan {}: {} rounds on {} nodes{}\n", visible(plan->name), e.rounds, target->hosts.size(),
             target->lab ? "" : ", NICs not known before the probe");
  fmt::print("start-up {:.1f} min, measuring {:.1f} min, suspects add up to half a minute; limit {}\n",
             Nanos::ns(e.startup_ns).seconds() / 60, Nanos::ns(e.measuring_ns).seconds() / 60,
             to_text(Nanos::ns(plan->time_box_ns)));
  for (const auto& [name, repeats] : e.cut)
    fmt::print("repeats of {} cut to {} by the limit\n", name, repeats);
  if (e.rounds_in_time < e.rounds) {
    fmt::print("only {} of {} rounds end within the limit; the run would stay INCONCLUSIVE\n",
               e.rounds_in_time, e.rounds);
  }
  fmt::print("node-hours {:.2f}; GPU-hours: times the GPUs of a node\n",
             minutes / 60 * static_cast<double>(target->hosts.size()));
  fmt::print("coverage {} of {} {}\n", e.covered, e.endpoints, target->lab ? "NICs" : "nodes");
  warn_of_few_repeats(*plan, schedule);
  if (e.rounds == 0)
    return fail(ErrorKind::input, "nothing to measure: two nodes with a NIC on one rail are needed");
  return 0;
}

}  // namespace railgauge
