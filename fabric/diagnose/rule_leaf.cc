// Flows between leaves slow while flows below each leaf are not: uplinks of a leaf, or too little bisection
// for the load.
#include <fmt/format.h>

#include <map>
#include <set>

#include "fabric/diagnose/statistics.h"
#include "fabric/diagnose/wording.h"

namespace railgauge::rule {
namespace {

constexpr double kMost = 0.8;

struct LeafTally {
  std::size_t same = 0, same_open = 0, cross = 0, cross_open = 0;
  std::set<std::int32_t> ends;
  std::vector<std::size_t> open;
};

bool most(std::size_t part, std::size_t all) {
  return static_cast<double>(part) >= kMost * static_cast<double>(all);
}

Draft draft(const Inquiry& q, const std::vector<std::size_t>& open, const char* code) {
  const Picture& p = q.picture;
  std::vector<double> rates, ratios, references;
  for (const std::size_t i : open) {
    const double reference = p.reference(p.pairs[i].source, p.pairs[i].target);
    rates.push_back(p.pairs[i].rate);
    references.push_back(reference);
    if (reference > 0) ratios.push_back(p.pairs[i].rate / reference);
  }
  Draft d;
  d.weight = 1 - median(ratios);
  d.finding.code = code;
  d.finding.measured = Quantity{median(rates), "bit/s"};
  d.finding.expected =
      Expected{median(references), "bit/s", p.endpoint(p.pairs[open.front()].source).expected_from};
  d.finding.confirm = "judged from the rounds of the screening that cross leaves";
  return d;
}

}  // namespace

void leaf(Inquiry& q) {
  const Picture& p = q.picture;
  std::map<std::string, LeafTally> leaves;
  std::vector<std::size_t> crossing_open;
  std::size_t crossing = 0, same = 0, same_open = 0;
  for (std::size_t i = 0; i < p.pairs.size(); ++i) {
    const Pair& pair = p.pairs[i];
    const std::string &a = p.endpoint(pair.source).leaf, &b = p.endpoint(pair.target).leaf;
    // A NIC with a finding of its place is on a leaf where it does not belong.
    const bool placed = q.placed[static_cast<std::size_t>(pair.source)] >= 0 ||
                        q.placed[static_cast<std::size_t>(pair.target)] >= 0;
    if (pair.repeats == 0 || pair.disturbed || a.empty() || b.empty() || placed) continue;
    const bool open = q.is_open(i);
    leaves[a].ends.insert(pair.source);
    leaves[b].ends.insert(pair.target);
    if (a == b) {
      ++same;
      ++leaves[a].same;
      if (open) ++same_open;
      if (open) ++leaves[a].same_open;
      continue;
    }
    ++crossing;
    if (open) crossing_open.push_back(i);
    for (const std::string& l : {a, b}) {
      ++leaves[l].cross;
      if (!open) continue;
      ++leaves[l].cross_open;
      leaves[l].open.push_back(i);
    }
  }
  if (crossing_open.empty() || same == 0) return;
  const auto bisection = p.evidence.site.bisection;
  if (most(crossing_open.size(), crossing) && !most(same_open, same)) {
    Draft d = draft(q, crossing_open, leaves.size() == 2 ? "leaf.slow" : "fabric.cross_leaf");
    Finding& f = d.finding;
    const double ratio = f.expected->value > 0 ? f.measured->value / f.expected->value : 1;
    const bool judged = bisection.has_value() && ratio < p.gates.model_warn * std::min(1.0, *bisection);
    if (judged) d.gate = Gate::model_and_peers;
    if (judged)
      d.model = ratio < p.gates.model_fail * std::min(1.0, *bisection) ? Verdict::fail : Verdict::warn;
    f.severity = judged ? severity_of(d) : Severity::note;
    f.scope = leaves.size() == 2 ? Scope::link : Scope::fleet;
    if (leaves.size() == 2) f.where.link = LinkEnds{leaves.begin()->first, leaves.rbegin()->first};
    f.title = fmt::format("Flows between leaves reach {} of a NIC's rate while all flow at once{}",
                          percent_in_words(ratio),
                          bisection ? "" : "; the site file states no bisection, so this is not judged");
    f.causes = {{"the links between the leaves: one is down, slow or overbooked", "possible"}};
    f.evidence = {fmt::format("{} of {} flows between leaves are slow, {} of {} below one leaf",
                              crossing_open.size(), crossing, same_open, same)};
    f.actions = {
        {"State `bisection` in the site file, and compare the number of links that are up between the "
         "switches",
         ""}};
    for (const std::size_t i : crossing_open) q.explained[i] = true;
    q.drafts.push_back(std::move(d));
    return;
  }
  for (const auto& [name, t] : leaves) {
    const bool theirs = t.ends.size() >= 2 && t.cross >= 2 && most(t.cross_open, t.cross) && t.same > 0 &&
                        t.same_open * 2 < t.same;
    const bool others = (crossing_open.size() - t.cross_open) * 2 <= crossing - t.cross;
    if (!theirs || !others) continue;
    Draft d = draft(q, t.open, "leaf.slow");
    judge_rate(p, p.pairs[t.open.front()].source, p.pairs[t.open.front()].target, d.finding.measured->value,
               d);
    Finding& f = d.finding;
    f.severity = severity_of(d);
    f.scope = Scope::leaf;
    f.where.link = LinkEnds{name, "uplinks"};
    f.title = fmt::format("Leaf {}: flows over its uplinks reach {} of what is expected", name,
                          percent_in_words(1 - d.weight));
    f.causes = {{"an uplink of this leaf is down, slow or has errors", "likely"}};
    f.evidence = {fmt::format("{} of {} flows across it are slow, {} of {} below it", t.cross_open, t.cross,
                              t.same_open, t.same),
                  fmt::format("{} of {} flows between the other leaves are slow",
                              crossing_open.size() - t.cross_open, crossing - t.cross)};
    f.actions = {{fmt::format("Compare state and error counters of the uplinks of {}", name), "iblinkinfo"}};
    for (const std::size_t i : t.open) q.explained[i] = true;
    q.drafts.push_back(std::move(d));
  }
}

}  // namespace railgauge::rule
