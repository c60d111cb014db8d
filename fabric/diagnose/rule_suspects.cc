// Who is accused by the screening: the fewest ends that explain the slow flows, and the pairs that are left.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fabric/diagnose/blame.h"
#include "fabric/diagnose/statistics.h"
#include "fabric/diagnose/wording.h"

namespace railgauge {
namespace {

constexpr double kSideShow =
    1.0 / 3;  // a direction that lost less than this part of the other's loss is its echo (acknowledgements)
constexpr std::size_t kSmallFleet = 4;

struct Graph {
  std::vector<Edge> edges;
  std::vector<std::size_t> pair_of;
};

Graph graph_of(const Inquiry& q) {
  Graph g;
  for (std::size_t i = 0; i < q.picture.pairs.size(); ++i) {
    const Pair& p = q.picture.pairs[i];
    const double reference = q.picture.reference(p.source, p.target);
    if (p.repeats == 0 || q.explained[i] || reference <= 0) continue;
    g.edges.push_back({p.source, p.target, p.rate / reference, q.is_open(i), p.rate});
    g.pair_of.push_back(i);
  }
  return g;
}

Suspect suspect_of(const Inquiry& q, const Graph& g, const std::vector<std::size_t>& edges) {
  Suspect s;
  std::vector<double> ratios;
  s.disturbed = true;
  for (const std::size_t i : edges) {
    ratios.push_back(g.edges[i].ratio);
    s.pairs.push_back(g.pair_of[i]);
    s.disturbed = s.disturbed && q.picture.pairs[g.pair_of[i]].disturbed;
  }
  s.ratio = median(ratios);
  return s;
}

// A finding of the NIC's place takes the slow flows as its evidence.
bool taken_by_placement(Inquiry& q, std::int32_t endpoint, const Suspect& s, const std::string& text) {
  const int at = q.placed[static_cast<std::size_t>(endpoint)];
  if (at < 0) return false;
  for (const std::size_t i : s.pairs) q.explained[i] = true;
  if (s.disturbed) return true;
  Draft& d = q.drafts[static_cast<std::size_t>(at)];
  d.finding.evidence.push_back(text);
  if (s.ratio < q.picture.gates.model_warn)
    d.model = std::max(d.model, s.ratio < q.picture.gates.model_fail ? Verdict::fail : Verdict::warn);
  d.weight = std::max(d.weight, 1 - s.ratio);
  d.state = "slow";
  return true;
}

void accuse_ends(Inquiry& q, const Graph& g, const Blame& blame) {
  std::map<std::int32_t, double> loss;
  std::vector<Suspect> ends;
  for (const BlamedEnd& e : blame.ends) {
    Suspect s = suspect_of(q, g, e.edges);
    s.endpoint = e.endpoint;
    s.direction = e.direction;
    loss[e.endpoint] = std::max(loss[e.endpoint], 1 - s.ratio);
    ends.push_back(std::move(s));
  }
  for (Suspect& s : ends) {
    if (1 - s.ratio < kSideShow * loss[s.endpoint]) {
      for (const std::size_t i : s.pairs) q.explained[i] = true;
      continue;
    }
    const std::string text =
        fmt::format("{} {} only {} of what is expected: this explains it",
                    end_name(q.picture.endpoint(s.endpoint)), verb(s.direction), percent_in_words(s.ratio));
    if (!taken_by_placement(q, s.endpoint, s, text)) q.suspects.push_back(std::move(s));
  }
}

// Good flows that exonerate this end: a pair's end has none where nothing else tells about it.
bool cleared(const Graph& g, std::size_t edge, Direction side) {
  std::vector<std::size_t> of_end;
  for (std::size_t i = 0; i < g.edges.size(); ++i) {
    const bool same = side == Direction::send ? g.edges[i].source == g.edges[edge].source
                                              : g.edges[i].target == g.edges[edge].target;
    if (same) of_end.push_back(i);
  }
  const auto kept = telling(g.edges, of_end);
  return std::any_of(kept.begin(), kept.end(), [&g](std::size_t i) { return !g.edges[i].bad; });
}

void accuse_pairs(Inquiry& q, const Graph& g, const Blame& blame) {
  for (const std::size_t edge : blame.leftover) {
    if (q.explained[g.pair_of[edge]]) continue;
    Suspect s = suspect_of(q, g, {edge});
    s.kind = Suspect::Kind::pair;
    s.source = g.edges[edge].source;
    s.target = g.edges[edge].target;
    s.either_end = !cleared(g, edge, Direction::send) || !cleared(g, edge, Direction::receive);
    const std::string text = fmt::format("{} reaches only {} of what is expected: this explains it",
                                         pair_name(q.picture, s.source, s.target), percent_in_words(s.ratio));
    if (taken_by_placement(q, s.source, s, text) || taken_by_placement(q, s.target, s, text)) continue;
    q.suspects.push_back(std::move(s));
  }
}

}  // namespace

namespace rule {

void suspects(Inquiry& q) {
  const Graph g = graph_of(q);
  const Blame blame = blame_ends(g.edges, q.picture.endpoints());
  accuse_ends(q, g, blame);
  accuse_pairs(q, g, blame);
  // The gravest first: only so many are measured again.
  std::stable_sort(q.suspects.begin(), q.suspects.end(),
                   [](const Suspect& a, const Suspect& b) { return a.ratio < b.ratio; });
  std::set<std::int32_t> accused;
  for (const Suspect& s : q.suspects) {
    if (s.kind == Suspect::Kind::end) accused.insert(s.endpoint);
  }
  q.too_many = accused.size() > kSmallFleet && accused.size() * 2 > q.picture.endpoints();
}

}  // namespace rule
}  // namespace railgauge
