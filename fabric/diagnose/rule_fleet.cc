// More than half of a class below its model: one finding. It is a setting, or the model is wrong; no cable.
#include <fmt/format.h>

#include <map>

#include "fabric/diagnose/statistics.h"
#include "fabric/diagnose/wording.h"

namespace railgauge {
namespace {

constexpr int kFewestNodes = 3;  // with two, either end may be the cause of everything

struct Best {
  double send = -1, receive = -1;  // best ratio; -1 not measured
};

std::vector<Best> best_ratios(const Picture& p) {
  std::vector<Best> best(p.endpoints());
  for (const Pair& pair : p.pairs) {
    if (pair.repeats == 0 || pair.disturbed || pair.expected <= 0) continue;
    const double ratio = pair.rate / pair.expected;
    Best& a = best[static_cast<std::size_t>(pair.source)];
    Best& b = best[static_cast<std::size_t>(pair.target)];
    a.send = std::max(a.send, ratio);
    b.receive = std::max(b.receive, ratio);
  }
  return best;
}

struct ClassTally {
  std::set<std::string> nodes;
  int measured = 0, slow_send = 0, slow_receive = 0;
};

}  // namespace

namespace rule {

void fleet(Inquiry& q) {
  const Picture& p = q.picture;
  const std::vector<Best> best = best_ratios(p);
  std::map<int, ClassTally> classes;
  for (std::size_t e = 0; e < best.size(); ++e) {
    if (best[e].send < 0 && best[e].receive < 0) continue;
    ClassTally& c = classes[p.endpoint(static_cast<std::int32_t>(e)).node_class];
    c.nodes.insert(p.endpoint(static_cast<std::int32_t>(e)).node);
    ++c.measured;
    if (best[e].send >= 0 && best[e].send < p.gates.model_warn) ++c.slow_send;
    if (best[e].receive >= 0 && best[e].receive < p.gates.model_warn) ++c.slow_receive;
  }
  std::set<int> slow;
  int affected = 0, measured = 0;
  for (const auto& [name, c] : classes) {
    const bool enough =
        static_cast<int>(c.nodes.size()) >= kFewestNodes || c.measured >= p.gates.peer_members;
    const int most = std::max(c.slow_send, c.slow_receive);
    if (!enough || most * 2 <= c.measured) continue;
    slow.insert(name);
    affected += most;
    measured += c.measured;
  }
  if (slow.empty()) return;
  std::vector<double> ratios, rates, expected;
  std::string from;
  for (std::size_t i = 0; i < p.pairs.size(); ++i) {
    const Pair& pair = p.pairs[i];
    const bool of_class = slow.contains(p.endpoint(pair.source).node_class) ||
                          slow.contains(p.endpoint(pair.target).node_class);
    if (!of_class || pair.expected <= 0 || pair.repeats == 0 ||
        pair.rate >= p.gates.model_warn * pair.expected)
      continue;
    q.fleet_wide[i] = true;
    ratios.push_back(pair.rate / pair.expected);
    rates.push_back(pair.rate);
    expected.push_back(pair.expected);
    from = p.endpoint(pair.source).expected_from;
  }
  const double ratio = median(ratios);
  Draft d;
  d.gate = Gate::model_and_peers;
  d.model = ratio < p.gates.model_fail ? Verdict::fail : Verdict::warn;
  d.weight = 1 - ratio;
  d.state = "slow";
  for (std::size_t e = 0; e < best.size(); ++e) {
    if (slow.contains(p.endpoint(static_cast<std::int32_t>(e)).node_class))
      d.endpoints.push_back(static_cast<std::int32_t>(e));
  }
  Finding& f = d.finding;
  f.code = "fleet.slow";
  f.severity = severity_of(d);
  f.scope = Scope::fleet;
  f.title = fmt::format("{} of {} NICs of {} reach only {} of what is expected", affected, measured,
                        slow.size() == 1 ? "a class" : fmt::format("{} classes", slow.size()),
                        percent_in_words(ratio));
  f.measured = Quantity{median(rates), "bit/s"};
  f.expected = Expected{median(expected), "bit/s", from};
  const Endpoint& example = p.endpoint(d.endpoints.front());
  Finding words;
  slow_end_words(p, d.endpoints.front(), Direction::both, f.expected->value, words);
  f.explained_by = words.explained_by;
  if (f.explained_by)
    f.causes.push_back({f.explained_by->by + fmt::format(" (read on {})", example.node), "likely"});
  f.causes.push_back(
      {"a setting of all nodes: MTU, PCIe read size, IOMMU, relaxed ordering, number of queue pairs",
       "possible"});
  f.causes.push_back({"the expectation is wrong: " + from, "possible"});
  f.evidence = {fmt::format("{} pairs, median {} of expected, spread {} (median deviation)", ratios.size(),
                            percent_in_words(ratio), percent_in_words(mad(ratios))),
                "a single cable, NIC or node would slow only its own flows"};
  f.actions = {{"Check the rate that the site file or the class states", ""},
               look_at(p, d.endpoints.front())};
  f.confirm = "not measured again: more than half of the class agree";
  q.drafts.push_back(std::move(d));
}

}  // namespace rule
}  // namespace railgauge
