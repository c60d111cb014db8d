#include "orchestrator/plan.h"

#include <algorithm>
#include <map>
#include <set>

namespace railgauge {
namespace {

constexpr Nanos kBetweenRounds =
    Nanos::ms(40);  // barrier, ramp and drain; measured 20-60 ms with 16 ranks on 2 cores
constexpr Nanos kStartup = Nanos::s(4);  // probe, mpirun, connections, diagnosis and report

CaseRequest request_for(const Plan& plan, const PlanCase& wanted, Bytes size, std::int32_t repeats,
                        const Groups& groups) {
  CaseRequest request;
  request.size = size;
  request.box = Nanos::ns(wanted.box_ns);
  request.repeats = repeats;
  const auto pairing = parse_pairing(wanted.pairs);
  RG_CHECK(pairing.has_value());  // checked when the plan was read
  request.pairing = *pairing;
  request.pairing.seed = plan.seed;
  for (const auto& group : groups) request.members = std::max(request.members, group.size());
  request.groups = groups.size();
  return request;
}

std::vector<Round> rounds_with(const Plan& plan, std::int32_t most_repeats, const Groups& groups,
                               BitRate slowest) {
  std::vector<Round> rounds;
  for (const PlanCase& wanted : plan.cases) {
    const Case* c = find_case(wanted.case_id);
    RG_CHECK(c != nullptr);
    std::vector<std::uint64_t> sizes = wanted.sizes_bytes;
    if (sizes.empty()) sizes.push_back(c->default_size(slowest).count());
    for (const std::uint64_t size : sizes) {
      const std::int32_t repeats = std::min(wanted.repeats, most_repeats);
      for (Round round : c->expand(*c, request_for(plan, wanted, Bytes::b(size), repeats, groups))) {
        // A rule made for the largest group may have nothing to do in a smaller one.
        if (round.rule.group >= 0 && expand(round.rule, groups).empty()) continue;
        round.id = static_cast<std::int32_t>(rounds.size());
        rounds.push_back(std::move(round));
      }
    }
  }
  return rounds;
}

std::int64_t measuring_time(const std::vector<Round>& rounds) {
  std::int64_t total = 0;
  for (const Round& r : rounds) total += r.duration_ns + kBetweenRounds.count();
  return total;
}

}  // namespace

Schedule schedule_of(const Plan& plan, std::vector<Endpoint> endpoints) {
  Schedule schedule;
  schedule.endpoints = std::move(endpoints);
  const Groups groups = groups_of(schedule.endpoints);
  BitRate slowest;
  for (const Endpoint& e : schedule.endpoints) {
    const BitRate rate = BitRate::bits_per_second(e.expected_bits_per_second);
    if (rate.bps() > 0 && (slowest.bps() <= 0 || rate < slowest)) slowest = rate;
  }
  std::int32_t repeats = 1;
  for (const PlanCase& c : plan.cases) repeats = std::max(repeats, c.repeats);
  do {
    schedule.rounds = rounds_with(plan, repeats, groups, slowest);
  } while (repeats-- > 1 && measuring_time(schedule.rounds) * 10 > plan.time_box_ns * 7);
  return schedule;
}

Estimate estimate(const Plan& plan, const Schedule& schedule) {
  Estimate e;
  e.rounds = schedule.rounds.size();
  e.measuring_ns = measuring_time(schedule.rounds);
  e.startup_ns = kStartup.count();
  e.endpoints = schedule.endpoints.size();
  const Groups groups = groups_of(schedule.endpoints);
  std::set<std::int32_t> covered;
  std::map<std::string, std::int32_t> repeats;
  std::int64_t end = kStartup.count();
  for (const Round& r : schedule.rounds) {
    repeats[r.case_id] = std::max(repeats[r.case_id], r.repeat + 1);
    end += r.duration_ns + kBetweenRounds.count();
    if (end > plan.time_box_ns) continue;
    ++e.rounds_in_time;
    if (covered.size() == schedule.endpoints.size()) continue;
    for (const Flow& f : expand(r.rule, groups)) {
      covered.insert(f.source.value);
      covered.insert(f.target.value);
    }
  }
  e.covered = covered.size();
  for (const PlanCase& c : plan.cases) {
    const auto at = repeats.find(c.case_id);
    if (at != repeats.end() && at->second < c.repeats) e.cut.emplace_back(at->first, at->second);
  }
  return e;
}

}  // namespace railgauge
