// Flows that broke or could not start. All flows of one end: the end cannot be reached; single pairs: the
// flow failed.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fabric/diagnose/blame.h"
#include "fabric/diagnose/wording.h"

namespace railgauge {
namespace {

constexpr std::size_t kScattered = 3;  // more pairs than this that failed seldom have a common cause

struct Tally {
  int failed = 0, tried = 0;
  int cured = 0;       // of the failed: worked when measured again
  bool again = false;  // failed when measured again
  bool calm = false;   // one of the failures was not on a busy host
  std::string error;   // of the last failure

  bool all_cured() const { return failed > 0 && cured == failed; }
  bool seldom() const { return !again && failed * 2 < tried; }  // one failure of several tries may be chance
  Tally& operator+=(const Tally& t) {
    failed += t.failed;
    tried += t.tried;
    cured += t.cured;
    again = again || t.again;
    calm = calm || t.calm;
    if (!t.error.empty()) error = t.error;
    return *this;
  }
};

struct Unreachable {
  bool send = false, receive = false;
  Tally sum;
};

Direction direction_of(const Unreachable& u) {
  return u.send && u.receive ? Direction::both : u.send ? Direction::send : Direction::receive;
}

// Once and not again is a note, with no gate.
Draft base(const char* code, const Tally& t) {
  Draft d;
  if (!t.all_cured()) {
    d.gate = Gate::flows;
    d.other = Verdict::fail;
  }
  d.weight = t.tried > 0 ? static_cast<double>(t.failed) / t.tried : 1;
  d.finding.code = t.all_cured() ? "unsteady" : code;
  d.finding.measured = Quantity{static_cast<double>(t.failed), "failed flows"};
  d.finding.expected = Expected{0, "failed flows", fmt::format("{} flows tried", t.tried)};
  d.finding.evidence = {fmt::format("{} of {} flows failed{}{}", t.failed, t.tried,
                                    t.error.empty() ? "" : ", the last with: ", t.error)};
  d.finding.confirm = fmt::format("{} flows, each with a deadline; {}", t.tried,
                                  t.again         ? "measured again under the same load: failed again"
                                  : t.all_cured() ? "measured again under the same load: worked"
                                                  : "not measured again");
  return d;
}

void grade(Draft& d, const Tally& t, bool seldom) {
  if (t.all_cured()) return;
  d.other = seldom ? Verdict::warn : Verdict::fail;
  d.finding.severity = seldom ? Severity::minor : Severity::major;
}

void unreachable(Inquiry& q, const std::map<std::int32_t, Unreachable>& ends) {
  for (const auto& [e, u] : ends) {
    const std::string name = end_name(q.picture.endpoint(e));
    if (const int at = q.placed[static_cast<std::size_t>(e)]; at >= 0) {
      q.drafts[static_cast<std::size_t>(at)].finding.evidence.push_back(
          fmt::format("{}: {} of {} flows failed; this explains them", name, u.sum.failed, u.sum.tried));
      continue;
    }
    Draft d = base("rail.unreachable", u.sum);
    d.finding.severity = Severity::critical;
    d.finding.where = where_of(q.picture.endpoint(e));
    d.finding.direction = direction_of(u);
    d.finding.title =
        fmt::format("{} cannot be reached: {} of {} flows failed", name, u.sum.failed, u.sum.tried);
    d.finding.evidence.push_back("the same partners work with the other ends of this rail");
    d.finding.causes = {{"the link went down after the probe, or its cable or switch port is bad", "likely"},
                        {"wrong address, subnet or partition key", "possible"}};
    d.finding.actions = {look_at_link(q.picture, e)};
    d.endpoints = {e};
    d.state = "down";
    q.drafts.push_back(std::move(d));
  }
}

void failed_pairs(Inquiry& q, const std::vector<Edge>& edges, const std::vector<Tally>& tallies,
                  std::vector<std::size_t> leftover) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> by_link;
  for (const std::size_t i : leftover) by_link[std::minmax(edges[i].source, edges[i].target)].push_back(i);
  for (const auto& [link, list] : by_link) {
    Tally sum;
    for (const std::size_t i : list) sum += tallies[i];
    int at = q.placed[static_cast<std::size_t>(link.first)];
    if (at < 0) at = q.placed[static_cast<std::size_t>(link.second)];
    const std::string name = pair_name(q.picture, edges[list.front()].source, edges[list.front()].target);
    if (at >= 0) {
      q.drafts[static_cast<std::size_t>(at)].finding.evidence.push_back(
          fmt::format("{}: {} of {} flows failed; this explains them", name, sum.failed, sum.tried));
      continue;
    }
    Draft d = base("flow.failed", sum);
    grade(d, sum, sum.seldom());
    d.finding.scope = Scope::link;
    d.finding.where.rail = q.picture.endpoint(link.first).rail;
    d.finding.where.link =
        LinkEnds{end_name(q.picture.endpoint(link.first)), end_name(q.picture.endpoint(link.second))};
    if (list.size() == 2) d.finding.direction = Direction::both;
    d.finding.title = fmt::format("{}: {} of {} flows failed{}", name, sum.failed, sum.tried,
                                  sum.all_cured() ? ", and not again" : "");
    d.finding.causes = {{"the route between the two, or one of its links", "possible"},
                        {"a time-out under load at either end", "possible"}};
    d.finding.actions = {look_at_link(q.picture, link.first)};
    q.drafts.push_back(std::move(d));
  }
}

// Single failures all over have one cause: one finding.
void scattered(Inquiry& q, const std::vector<Edge>& edges, const std::vector<Tally>& tallies,
               const std::vector<std::size_t>& rare) {
  Tally sum;
  for (const std::size_t i : rare) sum += tallies[i];
  Draft d = base("flow.failed", sum);
  grade(d, sum, true);
  d.finding.scope = Scope::fleet;
  d.finding.title = fmt::format("{} flows of {} pairs failed, each {}", sum.failed, rare.size(),
                                sum.all_cured() ? "once, and not again" : "once or seldom");
  for (const std::size_t i : rare) {
    if (d.finding.evidence.size() == 6) break;
    d.finding.evidence.push_back(fmt::format("{}: {} of {} failed",
                                             pair_name(q.picture, edges[i].source, edges[i].target),
                                             tallies[i].failed, tallies[i].tried));
  }
  d.finding.causes = {{"time-outs under load, or a switch that all of them share", "possible"}};
  d.finding.actions = {{"Read the logs of the ranks: logs/ of the run directory", "ls logs"}};
  q.drafts.push_back(std::move(d));
}

}  // namespace

namespace rule {

void failures(Inquiry& q) {
  std::vector<Edge> edges;
  std::vector<Tally> tallies;
  for (const FlowResult& f : q.picture.all) {
    if (!f.failed && !f.received) continue;
    if (edges.empty() || edges.back().source != f.source || edges.back().target != f.target) {
      edges.push_back({f.source, f.target, 1, false, 1});
      tallies.push_back({});
    }
    Tally t;
    t.tried = 1;
    if (f.failed) {
      t.failed = 1;
      t.cured = f.cured ? 1 : 0;
      t.again = f.failed_again;
      t.calm = !f.disturbed;
      t.error = f.error;
    }
    tallies.back() += t;
  }
  std::vector<std::size_t> rare;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Tally& t = tallies[i];
    if (t.failed == 0) continue;
    if (!t.all_cured() && !t.seldom()) {
      edges[i] = {edges[i].source, edges[i].target, 0.01, true, 0};
    } else {
      rare.push_back(i);
    }
  }
  const Blame blame = blame_ends(edges, q.picture.endpoints());
  std::map<std::int32_t, Unreachable> ends;
  for (const BlamedEnd& e : blame.ends) {
    Unreachable& u = ends[e.endpoint];
    (e.direction == Direction::send ? u.send : u.receive) = true;
    for (const std::size_t i : e.edges) u.sum += tallies[i];
  }
  unreachable(q, ends);
  // A deadline missed once on a busy host tells about the host's load, and so it does on the software links
  // of a lab; the criterion counts it.
  const bool software = q.picture.evidence.site.software_links;
  std::erase_if(rare, [&](std::size_t i) {
    return !tallies[i].calm || (software && tallies[i].all_cured()) || ends.contains(edges[i].source) ||
           ends.contains(edges[i].target);
  });
  std::vector<std::size_t> leftover = blame.leftover;
  if (rare.size() > kScattered) {
    scattered(q, edges, tallies, rare);
  } else {
    leftover.insert(leftover.end(), rare.begin(), rare.end());
  }
  failed_pairs(q, edges, tallies, std::move(leftover));
}

}  // namespace rule
}  // namespace railgauge
