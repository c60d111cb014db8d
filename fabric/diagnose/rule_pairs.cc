// Single pairs that no end explains: a route, a collision of hashes, or either end where nobody else can
// tell.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fabric/diagnose/retest.h"
#include "fabric/diagnose/statistics.h"
#include "fabric/diagnose/wording.h"
#include "fabric/expect/expect.h"

namespace railgauge {
namespace {

constexpr double kUnsteadyLoss = 0.10;

struct PairCase {
  const Suspect* suspect = nullptr;
  Retest retest;
};
using Link = std::pair<std::int32_t, std::int32_t>;

double rate_of(const Picture& p, const PairCase& c) {
  return c.retest.outcome == Outcome::confirmed || c.retest.outcome == Outcome::under_load
             ? c.retest.rate()
             : p.pairs[c.suspect->pairs.front()].rate;
}

// Both directions of one link that went the same way.
Draft draft(const Inquiry& q, const std::vector<PairCase>& cases, const char* code) {
  const Picture& p = q.picture;
  const PairCase& worst = *std::min_element(
      cases.begin(), cases.end(),
      [](const PairCase& a, const PairCase& b) { return a.suspect->ratio < b.suspect->ratio; });
  const Suspect& s = *worst.suspect;
  const double rate = rate_of(p, worst), reference = p.reference(s.source, s.target);
  Draft d;
  judge_rate(p, s.source, s.target, rate, d);
  d.weight = 1 - rate / reference;
  Finding& f = d.finding;
  f.code = code;
  f.scope = Scope::link;
  f.where.rail = p.endpoint(s.source).rail;
  // A link has no first end; of one direction the sender comes first.
  const auto [low, high] = std::minmax(s.source, s.target);
  f.where.link = cases.size() > 1 ? LinkEnds{end_name(p.endpoint(low)), end_name(p.endpoint(high))}
                                  : LinkEnds{end_name(p.endpoint(s.source)), end_name(p.endpoint(s.target))};
  if (cases.size() > 1) f.direction = Direction::both;
  f.measured = Quantity{rate, "bit/s"};
  const Expected expected = expected_of_flow(p.endpoint(s.source), p.endpoint(s.target));
  f.expected = Expected{reference, "bit/s", expected.value > 0 ? expected.from : "class median"};
  for (const PairCase& c : cases) {
    f.evidence.push_back(fmt::format("{}: {} in the screening",
                                     pair_name(p, c.suspect->source, c.suspect->target),
                                     rate_in_words(p.pairs[c.suspect->pairs.front()].rate)));
    f.confirm += (f.confirm.empty() ? "" : "; ") + c.retest.text(p);
  }
  return d;
}

void route(Inquiry& q, const std::vector<PairCase>& cases) {
  Draft d = draft(q, cases, "route.slow");
  const Suspect& s = *cases.front().suspect;
  Finding& f = d.finding;
  f.severity = severity_of(d);
  f.title = fmt::format("{}{}: {} of {} ({}), while both reach more with others",
                        pair_name(q.picture, s.source, s.target), cases.size() > 1 ? " and back" : "",
                        rate_in_words(f.measured->value), rate_in_words(f.expected->value),
                        percent_in_words(1 - d.weight));
  f.causes = {{"a link or switch on the route between the two", "likely"},
              {"a static route that many flows share", "possible"}};
  f.evidence.push_back("both ends reach more with other partners: neither NIC is to blame");
  f.actions = {{"Follow the route between the two and compare the counters of its links",
                q.picture.evidence.site.software_links ? "" : "ibtracert"}};
  q.drafts.push_back(std::move(d));
}

void cured(Inquiry& q, const PairCase& c) {
  if (c.suspect->disturbed || 1 - c.suspect->ratio <= kUnsteadyLoss) return;
  const Suspect& s = *c.suspect;
  // A software link has one path: there is nothing to collide on.
  const bool collision = !q.picture.evidence.site.software_links && !s.either_end;
  Draft d = draft(q, {c}, collision ? "route.collision" : "unsteady");
  d.gate = Gate::none;
  d.model = d.peers = Verdict::pass;
  Finding& f = d.finding;
  f.severity = Severity::note;
  f.title = fmt::format("{} reached {} of what is expected once, and all of it with new queue pairs",
                        pair_name(q.picture, s.source, s.target), percent_in_words(s.ratio));
  f.causes = {{collision ? "its flows shared a route with others (hash collision)"
                         : "other load on the link or the hosts at that time",
               collision ? "likely" : "possible"}};
  if (collision) f.actions = {{"Use adaptive routing or more queue pairs if this comes often", ""}};
  q.drafts.push_back(std::move(d));
}

// Nobody else can say which end it is. All rails of two nodes alike: one finding.
void either_end(Inquiry& q, const std::vector<std::vector<PairCase>>& links) {
  const Picture& p = q.picture;
  std::vector<PairCase> all;
  std::set<std::int32_t> rails;
  for (const auto& link : links) {
    all.insert(all.end(), link.begin(), link.end());
    rails.insert(p.endpoint(link.front().suspect->source).rail);
  }
  Draft d = draft(q, all, "rail.slow_either_end");
  const Suspect& s = *all.front().suspect;
  if (d.model != Verdict::pass) d.model = Verdict::inconclusive;
  if (d.peers != Verdict::pass) d.peers = Verdict::inconclusive;
  for (const PairCase& c : all) {
    d.endpoints.push_back(c.suspect->source);
    d.endpoints.push_back(c.suspect->target);
  }
  d.state = "slow";
  Finding& f = d.finding;
  f.severity = severity_of(d);
  const bool back = std::any_of(all.begin(), all.end(), [&](const PairCase& c) {
    return p.endpoint(c.suspect->source).node != p.endpoint(s.source).node;
  });
  f.direction = back ? std::optional(Direction::both) : std::nullopt;
  if (rails.size() > 1) f.where.rail = std::nullopt;
  if (rails.size() > 1) f.where.link = LinkEnds{p.endpoint(s.source).node, p.endpoint(s.target).node};
  f.title =
      rails.size() > 1
          ? fmt::format("{} to {}{}: {} rails are slow; either node may be the cause", f.where.link->a,
                        f.where.link->b, back ? " and back" : "", rails.size())
          : fmt::format("{}{}: {} of {} ({}); either end may be the cause", pair_name(p, s.source, s.target),
                        back ? " and back" : "", rate_in_words(f.measured->value),
                        rate_in_words(f.expected->value), percent_in_words(1 - d.weight));
  if (!back) {
    f.causes = {{fmt::format("{} sends too slowly", end_name(p.endpoint(s.source))), "possible"},
                {fmt::format("{} receives too slowly", end_name(p.endpoint(s.target))), "possible"}};
  } else {
    f.causes = {{fmt::format("NIC, PCIe path or cable of {}", end_name(p.endpoint(s.source))), "possible"},
                {fmt::format("NIC, PCIe path or cable of {}", end_name(p.endpoint(s.target))), "possible"}};
  }
  f.evidence.push_back("no third node has a NIC of this kind on this rail: nothing tells the two ends apart");
  f.actions = {{"Measure again with a third node on this rail, or by loopback on each", ""},
               look_at(p, s.source),
               look_at(p, s.target)};
  q.drafts.push_back(std::move(d));
}

}  // namespace

namespace rule {

void pairs(Inquiry& q) {
  const Picture& p = q.picture;
  std::map<Link, std::vector<PairCase>> routes, either;
  for (const Suspect& s : q.suspects) {
    if (s.kind != Suspect::Kind::pair) continue;
    PairCase c{&s, retest(q, s)};
    if (c.retest.outcome == Outcome::unmeasured && s.disturbed) continue;
    if (c.retest.outcome == Outcome::cured) {
      cured(q, c);
      continue;
    }
    (s.either_end ? either : routes)[std::minmax(s.source, s.target)].push_back(std::move(c));
  }
  for (const auto& [link, cases] : routes) route(q, cases);
  std::map<std::pair<std::string, std::string>, std::vector<std::vector<PairCase>>> by_nodes;
  for (auto& [link, cases] : either)
    by_nodes[std::minmax(p.endpoint(link.first).node, p.endpoint(link.second).node)].push_back(
        std::move(cases));
  for (auto& [nodes, links] : by_nodes) {
    std::set<int> rails;
    for (const Pair& x : p.pairs) {
      if (std::pair<std::string, std::string>(
              std::minmax(p.endpoint(x.source).node, p.endpoint(x.target).node)) == nodes)
        rails.insert(p.endpoint(x.source).rail);
    }
    if (links.size() > 1 && links.size() == rails.size()) {
      either_end(q, links);
      continue;
    }
    for (auto& link : links) either_end(q, {link});
  }
}

}  // namespace rule
}  // namespace railgauge
