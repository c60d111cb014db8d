// An end whose latency is far above its class. Software links: the table only, their latency is the
// scheduler's.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fabric/diagnose/statistics.h"
#include "fabric/diagnose/wording.h"

namespace railgauge::rule {
namespace {

constexpr double kShare = 0.20;    // above the class median at least by this part of it,
constexpr double kDeviations = 6;  // by so many median deviations,
constexpr double kFloor_ns = 300;  // and by this: below it switch hops and NUMA distance are the cause

bool accused(const Inquiry& q, std::int32_t endpoint) {
  return std::any_of(q.drafts.begin(), q.drafts.end(), [&](const Draft& d) {
    return std::find(d.endpoints.begin(), d.endpoints.end(), endpoint) != d.endpoints.end();
  });
}

}  // namespace

void latency(Inquiry& q) {
  const Picture& p = q.picture;
  if (p.evidence.site.software_links) return;
  std::map<std::int32_t, std::vector<double>> by_end;
  for (const LatencyPair& l : p.latency) {
    if (l.disturbed) continue;
    by_end[l.source].push_back(l.p50);
    by_end[l.target].push_back(l.p50);
  }
  std::map<int, std::vector<double>> by_class;
  for (const auto& [e, values] : by_end) by_class[p.endpoint(e).node_class].push_back(median(values));
  for (const auto& [e, values] : by_end) {
    const std::vector<double>& peers = by_class[p.endpoint(e).node_class];
    if (static_cast<int>(peers.size()) < p.gates.peer_members || accused(q, e)) continue;
    const double usual = median(peers), own = median(values);
    const double limit = usual + std::max({kShare * usual, kDeviations * mad(peers), kFloor_ns});
    if (own <= limit) continue;
    Draft d;
    d.gate = Gate::latency;
    d.other = Verdict::warn;
    d.weight = own / usual - 1;
    d.endpoints = {e};
    Finding& f = d.finding;
    f.code = "latency.high";
    f.severity = Severity::minor;
    f.where = where_of(p.endpoint(e));
    f.direction = Direction::both;
    const auto text = [](double ns) { return to_text(Nanos::ns(static_cast<std::int64_t>(ns))); };
    f.title = fmt::format("{}: median latency {}, its class has {}", end_name(p.endpoint(e)), text(own),
                          text(usual));
    f.measured = Quantity{own, "ns"};
    f.expected = Expected{usual, "ns", fmt::format("class median of {}", peers.size())};
    f.causes = {{"memory or CPU on another NUMA node than the NIC, or power saving of the CPU or the link",
                 "possible"},
                {"retransmissions on a link with errors", "possible"}};
    f.evidence = {fmt::format("median over {} flows; the gate is {}", values.size(), text(limit)),
                  "its bandwidth is as expected"};
    f.actions = {look_at(p, e)};
    f.confirm = "not measured again";
    q.drafts.push_back(std::move(d));
  }
}

}  // namespace railgauge::rule
