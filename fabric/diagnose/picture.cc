#include "fabric/diagnose/picture.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "fabric/diagnose/flows.h"
#include "fabric/diagnose/statistics.h"

namespace railgauge {
namespace {

bool is_stream(Operation op) { return op == Operation::write_stream || op == Operation::send_stream; }

// The value of expected_of_flow() without its text: it is asked for every flow.
double expected_rate(const Endpoint& a, const Endpoint& b) {
  return std::max(0.0, std::min(a.expected_bits_per_second, b.expected_bits_per_second));
}

struct Judged {
  std::string case_id;
  std::uint64_t size = 0;
};

Judged judged_case(const Schedule& schedule) {
  Judged judged;
  for (const Round& r : schedule.rounds) {
    if (!is_stream(r.operation) || r.purpose != RoundPurpose::screen) continue;
    if (judged.case_id.empty()) judged.case_id = r.case_id;
    if (r.case_id == judged.case_id) judged.size = std::max(judged.size, r.size_bytes);
  }
  return judged;
}

void make_pairs(Picture& p) {
  for (std::size_t i = 0; i < p.flows.size();) {
    Pair pair;
    pair.source = p.flows[i].source;
    pair.target = p.flows[i].target;
    std::vector<double> all, calm;
    for (; i < p.flows.size() && p.flows[i].source == pair.source && p.flows[i].target == pair.target; ++i) {
      const FlowResult& f = p.flows[i];
      if (f.failed) {
        ++pair.failed;
        pair.error = f.error;
      } else if (f.received) {
        all.push_back(f.rate);
        if (!f.disturbed) calm.push_back(f.rate);
      }
    }
    pair.repeats = static_cast<int>(all.size());
    pair.disturbed = !all.empty() && calm.empty();
    pair.best = all.empty() ? 0 : *std::max_element(all.begin(), all.end());
    pair.rates = calm.empty() ? all : calm;
    pair.rate = median(pair.rates);
    pair.expected = expected_rate(p.endpoint(pair.source), p.endpoint(pair.target));
    if (pair.repeats > 0 || pair.failed > 0) p.pairs.push_back(std::move(pair));
  }
}

void make_classes(Picture& p) {
  std::map<PeerKey, std::vector<std::size_t>> groups;
  std::vector<std::vector<double>> every;
  for (std::size_t i = 0; i < p.pairs.size(); ++i) {
    if (p.pairs[i].repeats == 0) continue;
    groups[p.key_of(p.pairs[i].source, p.pairs[i].target)].push_back(i);
    if (!p.pairs[i].disturbed) every.push_back(p.pairs[i].rates);
  }
  p.sigma = pooled_sigma(every);
  for (auto& [key, members] : groups) {
    PeerClass c;
    c.key = key;
    std::set<std::int32_t> ends;
    std::vector<double> calm, all;
    std::vector<std::vector<double>> repeats;
    for (const std::size_t i : members) {
      Pair& pair = p.pairs[i];
      pair.peer_class = static_cast<int>(p.classes.size());
      ends.insert({pair.source, pair.target});
      all.push_back(pair.rate);
      if (pair.disturbed) continue;
      calm.push_back(pair.rate);
      repeats.push_back(pair.rates);
    }
    c.members = static_cast<int>(ends.size());
    c.median = median(calm.empty() ? all : calm);
    c.sigma = pooled_sigma(repeats);
    c.delta = std::max(p.gates.peer_floor, p.gates.peer_sigmas * c.sigma);
    c.judged = c.members >= p.gates.peer_members;
    c.pairs = std::move(members);
    p.classes.push_back(std::move(c));
  }
}

struct Latencies {
  std::vector<double> calm50, calm99, all50, all99;
};

void make_latency(Picture& p) {
  std::map<std::pair<std::int32_t, std::int32_t>, Latencies> by_pair;
  for (const FlowResult& f : p.all) {
    if (f.latency_count == 0 || f.failed) continue;
    Latencies& at = by_pair[{f.source, f.target}];
    at.all50.push_back(f.p50);
    at.all99.push_back(f.p99);
    if (f.disturbed) continue;
    at.calm50.push_back(f.p50);
    at.calm99.push_back(f.p99);
  }
  for (const auto& [ends, l] : by_pair) {
    const bool disturbed = l.calm50.empty();
    p.latency.push_back({ends.first, ends.second, median(disturbed ? l.all50 : l.calm50),
                         median(disturbed ? l.all99 : l.calm99), disturbed});
  }
}

// What the confirmation says about the failed flows of the screening: the same ends and case, measured again.
void judge_failures(std::vector<FlowResult>& all) {
  const auto same_ends = [](const FlowResult& a, const FlowResult& b) {
    return a.source == b.source && a.target == b.target;
  };
  for (std::size_t i = 0, next = 0; i < all.size(); i = next) {
    while (next < all.size() && same_ends(all[i], all[next])) ++next;
    for (std::size_t k = i; k < next; ++k) {
      if (!all[k].failed || all[k].round->purpose != RoundPurpose::screen) continue;
      bool worked = false;
      for (std::size_t again = i; again < next; ++again) {
        const Round& r = *all[again].round;
        if (r.purpose == RoundPurpose::screen || r.case_id != all[k].round->case_id) continue;
        all[k].failed_again = all[k].failed_again || all[again].failed;
        worked = worked || (all[again].received && !all[again].failed);
      }
      all[k].cured = worked && !all[k].failed_again;
    }
  }
}

}  // namespace

PeerKey Picture::key_of(std::int32_t source, std::int32_t target) const {
  const Endpoint& a = endpoint(source);
  const Endpoint& b = endpoint(target);
  const int hop = a.leaf.empty() || b.leaf.empty() ? 0 : a.leaf == b.leaf ? 1 : 2;
  return {static_cast<std::int64_t>(std::llround(expected_rate(a, b))), a.node_class, b.node_class, hop};
}

const PeerClass* Picture::class_of(std::int32_t source, std::int32_t target) const {
  const PeerKey key = key_of(source, target);
  const auto at = std::lower_bound(classes.begin(), classes.end(), key,
                                   [](const PeerClass& c, const PeerKey& k) { return c.key < k; });
  return at != classes.end() && at->key == key ? &*at : nullptr;
}

double Picture::reference(std::int32_t source, std::int32_t target) const {
  const double expected = expected_rate(endpoint(source), endpoint(target));
  if (expected > 0) return expected;
  const PeerClass* c = class_of(source, target);
  return c != nullptr && c->judged ? c->median : 0;
}

double Picture::floor(std::int32_t source, std::int32_t target) const {
  const double model = expected_rate(endpoint(source), endpoint(target)) * gates.model_warn;
  const PeerClass* c = class_of(source, target);
  return std::max(model, c != nullptr && c->judged ? c->median * (1 - c->delta) : 0);
}

Picture picture_of(const Evidence& evidence, const Gates& gates) {
  Picture p{evidence, gates, {}, {}, {}, {}, {}, {}, {}, {}, 0, ""};
  for (const Round& r : evidence.schedule.rounds) p.rounds[r.id] = &r;
  const Judged judged = judged_case(evidence.schedule);
  p.judged_case = judged.case_id;
  for (const Event& e : evidence.samples.events) {
    if (ends_a_rank(e) && e.round >= 0) p.broken.insert(e.round);
  }
  p.all = merge_flows(evidence, p.rounds, p.broken);
  judge_failures(p.all);
  for (const FlowResult& f : p.all) {
    if (f.round->case_id != judged.case_id || f.round->size_bytes != judged.size) continue;
    (f.round->purpose == RoundPurpose::screen ? p.flows : p.confirming).push_back(f);
  }
  make_pairs(p);
  make_classes(p);
  make_latency(p);
  return p;
}

}  // namespace railgauge
