// Ends that the confirmation holds against: one finding per NIC, or one for the node where all its rails are
// slow.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fabric/diagnose/retest.h"
#include "fabric/diagnose/statistics.h"
#include "fabric/diagnose/wording.h"

namespace railgauge {
namespace {

constexpr double kUnsteadyLoss = 0.10;  // a smaller loss that does not come again is not worth a word

struct Retried {
  const Suspect* suspect = nullptr;
  Retest retest;
};

struct EndCase {
  std::int32_t endpoint = -1;
  std::vector<Retried> sides;  // one or two, all of one outcome
  Outcome outcome = Outcome::confirmed;
};

Direction direction_of(const std::vector<Retried>& sides) {
  if (sides.size() > 1) return Direction::both;
  return sides.front().suspect->direction;
}

// A pair of the suspect that stands for it in comparisons: its expectation and class.
const Pair& example(const Picture& p, const Suspect& s) { return p.pairs[s.pairs.front()]; }

double rate_of(const Picture& p, const Retried& s) {
  if (s.retest.outcome == Outcome::under_load) return s.retest.loaded_rate;
  if (s.retest.outcome == Outcome::confirmed) return s.retest.rate();
  std::vector<double> rates;
  for (const std::size_t i : s.suspect->pairs) rates.push_back(p.pairs[i].rate);
  return median(rates);
}

std::string screened_text(const Picture& p, const Suspect& s) {
  std::vector<double> bad, other;
  for (const std::size_t i : s.pairs) bad.push_back(p.pairs[i].rate);
  for (const Pair& x : p.pairs) {
    const bool reverse = (s.direction == Direction::send ? x.target : x.source) == s.endpoint;
    if (reverse && x.repeats > 0) other.push_back(x.rate);
  }
  const std::string name = end_name(p.endpoint(s.endpoint));
  return fmt::format("{} {} {} (median of {} partners); the other direction of the same NIC: {}", name,
                     verb(s.direction), rate_in_words(median(bad)), bad.size(),
                     other.empty() ? "not measured" : rate_in_words(median(other)));
}

std::string partners_text(const Picture& p, const Suspect& s) {
  std::vector<double> good;
  std::set<std::int32_t> partners;
  for (const std::size_t i : s.pairs)
    partners.insert(s.direction == Direction::send ? p.pairs[i].target : p.pairs[i].source);
  for (const Pair& x : p.pairs) {
    const std::int32_t partner = s.direction == Direction::send ? x.target : x.source;
    const std::int32_t self = s.direction == Direction::send ? x.source : x.target;
    if (self != s.endpoint && partners.contains(partner) && x.repeats > 0) good.push_back(x.rate);
  }
  if (good.empty()) return "its partners have no other partner: they are not cleared";
  return fmt::format("the same partners {} {} with others (median of {} flows)",
                     s.direction == Direction::send ? "receive" : "send", rate_in_words(median(good)),
                     good.size());
}

void unsteady(Inquiry& q, const Suspect& s, const Retest& r) {
  if (s.disturbed || 1 - s.ratio <= kUnsteadyLoss) return;
  const Picture& p = q.picture;
  Draft d;
  d.weight = 1 - s.ratio;
  Finding& f = d.finding;
  f.code = "unsteady";
  f.severity = Severity::note;
  f.where = where_of(p.endpoint(s.endpoint));
  f.direction = s.direction;
  f.title =
      fmt::format("{} once {} only {} of what is expected, and not again", end_name(p.endpoint(s.endpoint)),
                  s.direction == Direction::send ? "sent" : "received", percent_in_words(s.ratio));
  std::vector<double> rates;
  for (const std::size_t i : s.pairs) rates.push_back(p.pairs[i].rate);
  f.measured = Quantity{median(rates), "bit/s"};
  f.expected = Expected{p.reference(example(p, s).source, example(p, s).target), "bit/s",
                        p.endpoint(s.endpoint).expected_from};
  f.causes = {{"other load on the link or the host at that time", "possible"}};
  f.evidence = {screened_text(p, s)};
  f.confirm = r.text(p);
  q.drafts.push_back(std::move(d));
}

Draft end_draft(const Inquiry& q, const EndCase& c) {
  const Picture& p = q.picture;
  const bool under_load = c.outcome == Outcome::under_load;
  Draft d;
  const Retried* worst = &c.sides.front();
  for (const Retried& s : c.sides) {
    const Pair& x = example(p, *s.suspect);
    Draft one;
    judge_rate(p, x.source, x.target, rate_of(p, s), one);
    d.gate = one.gate;
    d.model = std::max(d.model, one.model == Verdict::fail ? Verdict::fail : one.model);
    d.peers = std::max(d.peers, one.peers);
    if (s.suspect->ratio < worst->suspect->ratio) worst = &s;
  }
  const double rate = rate_of(p, *worst);
  const double reference =
      p.reference(example(p, *worst->suspect).source, example(p, *worst->suspect).target);
  const Direction direction = direction_of(c.sides);
  d.weight = 1 - rate / reference;
  d.endpoints = {c.endpoint};
  d.state = "slow";
  Finding& f = d.finding;
  f.code = under_load ? "rail.slow_under_load" : "rail.slow";
  f.severity = severity_of(d);
  f.where = where_of(p.endpoint(c.endpoint));
  f.direction = direction;
  f.title = fmt::format("{} {} {} of {} ({}){}", end_name(p.endpoint(c.endpoint)), verb(direction),
                        rate_in_words(rate), rate_in_words(reference), percent_in_words(rate / reference),
                        under_load ? " under load only" : "");
  f.measured = Quantity{rate, "bit/s"};
  const bool modelled = p.endpoint(c.endpoint).expected_bits_per_second > 0;
  const PeerClass* peers = p.class_of(example(p, *worst->suspect).source, example(p, *worst->suspect).target);
  f.expected = Expected{reference, "bit/s",
                        modelled ? p.endpoint(c.endpoint).expected_from
                                 : fmt::format("class median of {}", peers != nullptr ? peers->members : 0)};
  if (under_load) {
    f.causes.push_back(
        {"a resource it shares with its neighbours: uplink, PCIe switch, flow control, CPU or heat",
         "likely"});
    f.actions.push_back(look_at(p, c.endpoint));
  } else {
    slow_end_words(p, c.endpoint, direction, reference, f);
  }
  for (const Retried& s : c.sides) {
    f.evidence.push_back(screened_text(p, *s.suspect));
    f.evidence.push_back(partners_text(p, *s.suspect));
    f.confirm += (f.confirm.empty() ? "" : "; ") +
                 (c.sides.size() > 1 ? std::string(to_text(s.suspect->direction)) + ": " : "") +
                 s.retest.text(p);
  }
  if (peers != nullptr && peers->judged) {
    f.evidence.push_back(fmt::format("its class of {} NICs has a median of {}, run-to-run spread {:.2f} %",
                                     peers->members, rate_in_words(peers->median), peers->sigma * 100));
  }
  return d;
}

Draft node_draft(const Inquiry& q, const std::string& node, const std::vector<const EndCase*>& cases) {
  std::vector<double> ratios, rates;
  Draft d;
  bool send = false, receive = false, alone_good = false;
  for (const EndCase* c : cases) {
    Draft one = end_draft(q, *c);
    d.gate = one.gate;
    d.model = std::max(d.model, one.model);
    d.peers = std::max(d.peers, one.peers);
    d.endpoints.push_back(c->endpoint);
    rates.push_back(one.finding.measured->value);
    ratios.push_back(1 - one.weight);
    d.finding.evidence.push_back(one.finding.title);
    d.finding.expected = one.finding.expected;
    if (d.finding.confirm.empty()) d.finding.confirm = one.finding.confirm;
    send = send || *one.finding.direction != Direction::receive;
    receive = receive || *one.finding.direction != Direction::send;
    alone_good = alone_good || c->outcome == Outcome::under_load;
  }
  d.weight = 1 - median(ratios);
  d.state = "slow";
  Finding& f = d.finding;
  f.code = "node.slow";
  f.severity = severity_of(d);
  f.scope = Scope::node;
  f.where.node = node;
  f.direction = send && receive ? Direction::both : send ? Direction::send : Direction::receive;
  f.title = fmt::format("{}: all its {} rails are slow, {} {} of what is expected", node, cases.size(),
                        verb(*f.direction), percent_in_words(median(ratios)));
  f.measured = Quantity{median(rates), "bit/s"};
  f.causes = {
      {alone_good ? "the host cannot serve all rails at once: CPU, memory bandwidth, a shared PCIe switch"
                  : "a setting of the host: power mode, IOMMU, PCIe read size, CPU frequency",
       "likely"},
      {"another job runs on this node", "possible"}};
  f.actions = {{"Look at load and settings of the host before any cable", "railgauge doctor"}};
  return d;
}

}  // namespace

namespace rule {

void ends(Inquiry& q) {
  std::map<std::int32_t, std::map<Outcome, std::vector<Retried>>> by_end;
  for (const Suspect& s : q.suspects) {
    if (s.kind != Suspect::Kind::end) continue;
    Retest r = retest(q, s);
    // A screening that others disturbed is no proof by itself.
    if (r.outcome == Outcome::unmeasured && s.disturbed) continue;
    const Outcome group = r.outcome == Outcome::unmeasured ? Outcome::confirmed : r.outcome;
    by_end[s.endpoint][group].push_back({&s, std::move(r)});
  }
  std::map<std::string, std::vector<EndCase>> by_node;
  for (auto& [endpoint, groups] : by_end) {
    const std::string& node = q.picture.endpoint(endpoint).node;
    if (groups.contains(Outcome::confirmed)) {
      by_node[node].push_back({endpoint, std::move(groups[Outcome::confirmed]), Outcome::confirmed});
    } else if (groups.contains(Outcome::under_load)) {
      by_node[node].push_back({endpoint, std::move(groups[Outcome::under_load]), Outcome::under_load});
    } else {
      for (const Retried& s : groups[Outcome::cured]) unsteady(q, *s.suspect, s.retest);
    }
  }
  std::map<std::string, std::set<std::int32_t>> measured;
  for (const Pair& p : q.picture.pairs) {
    if (p.repeats == 0) continue;
    measured[q.picture.endpoint(p.source).node].insert(p.source);
    measured[q.picture.endpoint(p.target).node].insert(p.target);
  }
  for (const auto& [node, cases] : by_node) {
    if (cases.size() >= 2 && cases.size() == measured[node].size()) {
      std::vector<const EndCase*> all;
      for (const EndCase& c : cases) all.push_back(&c);
      q.drafts.push_back(node_draft(q, node, all));
      continue;
    }
    for (const EndCase& c : cases) q.drafts.push_back(end_draft(q, c));
  }
}

}  // namespace rule
}  // namespace railgauge
