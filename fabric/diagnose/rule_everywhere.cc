// One rail slow on all nodes while the others are not: its plane, its leaf or a setting.
#include <fmt/format.h>

#include <map>
#include <set>

#include "fabric/diagnose/statistics.h"
#include "fabric/diagnose/wording.h"

namespace railgauge::rule {
namespace {

constexpr std::size_t kFewestNodes = 3;
constexpr double kAll = 0.9;

struct RailTally {
  std::vector<std::size_t> open;
  std::size_t measured = 0;
  std::set<std::string> nodes;
};

}  // namespace

void everywhere(Inquiry& q) {
  const Picture& p = q.picture;
  std::map<int, RailTally> rails;
  for (std::size_t i = 0; i < p.pairs.size(); ++i) {
    if (p.pairs[i].repeats == 0) continue;
    RailTally& t = rails[p.endpoint(p.pairs[i].source).rail];
    ++t.measured;
    t.nodes.insert(p.endpoint(p.pairs[i].source).node);
    if (q.is_open(i) && !p.pairs[i].disturbed) t.open.push_back(i);
  }
  for (const auto& [rail, t] : rails) {
    if (rails.size() < 2 || t.nodes.size() < kFewestNodes) continue;
    if (static_cast<double>(t.open.size()) < kAll * static_cast<double>(t.measured)) continue;
    std::vector<double> rates, ratios, references;
    std::set<std::int32_t> ends;
    for (const std::size_t i : t.open) {
      const Pair& pair = p.pairs[i];
      const double reference = p.reference(pair.source, pair.target);
      rates.push_back(pair.rate);
      references.push_back(reference);
      if (reference > 0) ratios.push_back(pair.rate / reference);
      ends.insert({pair.source, pair.target});
      q.explained[i] = true;
    }
    Draft d;
    judge_rate(p, p.pairs[t.open.front()].source, p.pairs[t.open.front()].target, median(rates), d);
    d.weight = 1 - median(ratios);
    d.endpoints.assign(ends.begin(), ends.end());
    d.state = "slow";
    Finding& f = d.finding;
    f.code = "rail.slow_everywhere";
    f.severity = severity_of(d);
    f.scope = Scope::rail;
    f.where.rail = rail;
    f.direction = Direction::both;
    f.title = fmt::format("Rail {} reaches only {} of what is expected on all {} nodes", rail,
                          percent_in_words(median(ratios)), t.nodes.size());
    f.measured = Quantity{median(rates), "bit/s"};
    f.expected = Expected{median(references), "bit/s", p.endpoint(*ends.begin()).expected_from};
    f.causes = {{"the leaf switch or plane of this rail, or a setting of its ports", "likely"},
                {"a setting of this slot on all nodes (bifurcation, NUMA placement)", "possible"}};
    f.evidence = {fmt::format("{} of {} flows of this rail are slow, median {}", t.open.size(), t.measured,
                              rate_in_words(median(rates))),
                  fmt::format("the other {} rails of the same nodes are not", rails.size() - 1)};
    f.actions = {look_at(p, *ends.begin())};
    f.confirm = "not measured again: there are no good partners on this rail";
    q.drafts.push_back(std::move(d));
  }
}

}  // namespace railgauge::rule
