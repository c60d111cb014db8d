// Which rounds settle the suspects: the screening's own rounds again (the same load), and the suspect alone;
// and those in which flows failed that worked at other times.
#include <algorithm>
#include <map>
#include <set>

#include "fabric/diagnose/diagnose.h"
#include "fabric/diagnose/retest.h"

namespace railgauge {
namespace {

constexpr std::size_t kMostSuspects = 8;
constexpr int kMostFailedRounds = 4;  // that run again for their failed flows
constexpr int kFailedRepeats = 2;     // each

// One flow that has to be measured `left` times.
struct Want {
  PairRef flow;
  int left = 0;
};

// What one suspect needs: its partners take turns.
struct Need {
  std::vector<Want> loaded, alone;
};

class Planner {
 public:
  Planner(const Inquiry& q, const std::vector<bool>& living, Nanos duration, int first_round)
      : q_(q),
        living_(living),
        duration_(duration),
        next_(first_round),
        groups_(groups_of(q.picture.evidence.schedule.endpoints)) {
    for (const Round& r : q.picture.evidence.schedule.rounds) {
      const bool screened =
          r.purpose == RoundPurpose::screen && r.case_id == q.picture.judged_case && r.repeat == 0;
      if (!screened) continue;
      if (sample_ == nullptr || r.size_bytes > sample_->size_bytes) sample_ = &r;
    }
    for (const Round& r : q.picture.evidence.schedule.rounds) {
      if (sample_ == nullptr || r.purpose != RoundPurpose::screen || r.case_id != sample_->case_id ||
          r.repeat != 0)
        continue;
      if (r.size_bytes == sample_->size_bytes) screening_.push_back(&r);
    }
  }

  std::vector<Round> plan(int repeats);

 private:
  bool lives(std::int32_t e) const {
    const auto i = static_cast<std::size_t>(e);
    return i < living_.size() && living_[i];
  }
  Need need_of(const Suspect& s, int repeats, bool alone) const;
  void loaded_rounds(std::vector<Need>& needs, int repeats);
  void alone_rounds(std::vector<Need>& needs, int repeats);
  void failed_rounds();
  void add(const Round& like, RoundPurpose purpose, int repeat, std::vector<PairRef> pairs, Nanos duration);
  std::vector<PairRef> load_of(const Round& r) const;

  const Inquiry& q_;
  const std::vector<bool>& living_;
  Nanos duration_;
  int next_;
  Groups groups_;
  const Round* sample_ = nullptr;
  std::vector<const Round*> screening_;
  std::vector<Round> rounds_;
};

Need Planner::need_of(const Suspect& s, int repeats, bool alone) const {
  Need need;
  std::vector<PairRef> flows;
  if (s.kind == Suspect::Kind::pair) {
    flows = {{s.source, s.target}};
  } else {
    for (const std::int32_t partner : good_partners(q_, s)) {
      if (!lives(partner) || flows.size() == 2) continue;
      flows.push_back(s.direction == Direction::send ? PairRef{s.endpoint, partner}
                                                     : PairRef{partner, s.endpoint});
    }
  }
  std::erase_if(flows, [this](const PairRef& f) { return !lives(f.source) || !lives(f.target); });
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const int count = static_cast<int>(flows.size());
    const int share = repeats / count + (static_cast<int>(i) < repeats % count ? 1 : 0);
    need.loaded.push_back({flows[i], share});
    if (alone) need.alone.push_back({flows[i], share});
  }
  return need;
}

std::vector<PairRef> Planner::load_of(const Round& r) const {
  std::vector<PairRef> pairs;
  for (const Flow& f : expand(r.rule, groups_)) {
    if (lives(f.source.value) && lives(f.target.value)) pairs.push_back({f.source.value, f.target.value});
  }
  return pairs;
}

void Planner::add(const Round& like, RoundPurpose purpose, int repeat, std::vector<PairRef> pairs,
                  Nanos duration) {
  Round r;
  r.id = next_++;
  r.case_id = like.case_id;
  r.operation = like.operation;
  r.size_bytes = like.size_bytes;
  r.duration_ns = duration.count();
  r.repeat = repeat;
  r.purpose = purpose;
  r.fresh = true;
  r.rule.kind = RuleKind::list;
  r.rule.pairs = std::move(pairs);
  rounds_.push_back(std::move(r));
}

// Takes the screening round that serves most wants, again and again; a flow that no screening round has gets
// the load of the round with the fewest of its NICs, without these.
void Planner::loaded_rounds(std::vector<Need>& needs, int repeats) {
  std::vector<std::vector<PairRef>> loads;
  for (const Round* r : screening_) loads.push_back(load_of(*r));
  const auto has = [](const std::vector<PairRef>& load, const PairRef& f) {
    return std::any_of(load.begin(), load.end(),
                       [&f](const PairRef& x) { return x.source == f.source && x.target == f.target; });
  };
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> rounds_of_want;
  for (std::size_t n = 0; n < needs.size(); ++n) {
    for (std::size_t w = 0; w < needs[n].loaded.size(); ++w) {
      auto& list = rounds_of_want[{n, w}];
      for (std::size_t i = 0; i < loads.size(); ++i) {
        if (has(loads[i], needs[n].loaded[w].flow)) list.insert(i);
      }
      if (!list.empty() || loads.empty()) continue;
      std::vector<PairRef> made = loads.front();
      const PairRef f = needs[n].loaded[w].flow;
      std::erase_if(made, [&f](const PairRef& x) {
        return x.source == f.source || x.target == f.target || x.source == f.target || x.target == f.source;
      });
      made.push_back(f);
      list.insert(loads.size());
      loads.push_back(std::move(made));
    }
  }
  const int most = 2 * repeats * static_cast<int>(std::max<std::size_t>(needs.size(), 1));
  for (int repeat = 0; repeat < most; ++repeat) {
    std::map<std::size_t, int> serves;
    for (const auto& [want, list] : rounds_of_want) {
      const int left = needs[want.first].loaded[want.second].left;
      for (const std::size_t i : list)
        serves[i] += left > 0 ? 100 + left : 0;  // first many wants, then those with most left
    }
    const auto best = std::max_element(serves.begin(), serves.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == serves.end() || best->second == 0) return;
    for (const auto& [want, list] : rounds_of_want) {
      int& left = needs[want.first].loaded[want.second].left;
      if (list.contains(best->first) && left > 0) --left;
    }
    add(*sample_, RoundPurpose::confirm_loaded, repeat, loads[best->first], duration_);
  }
}

// Flows of several suspects share a round only where they share no node: alone means alone on both hosts.
void Planner::alone_rounds(std::vector<Need>& needs, int repeats) {
  const int most = 2 * repeats * static_cast<int>(std::max<std::size_t>(needs.size(), 1));
  for (int repeat = 0; repeat < most; ++repeat) {
    std::set<std::string> nodes;
    std::vector<PairRef> pairs;
    for (Need& need : needs) {
      const auto want = std::max_element(need.alone.begin(), need.alone.end(),
                                         [](const Want& a, const Want& b) { return a.left < b.left; });
      if (want == need.alone.end() || want->left == 0) continue;
      const std::string& a = q_.picture.endpoint(want->flow.source).node;
      const std::string& b = q_.picture.endpoint(want->flow.target).node;
      if (nodes.contains(a) || nodes.contains(b)) continue;
      nodes.insert({a, b});
      pairs.push_back(want->flow);
      --want->left;
    }
    if (pairs.empty()) return;
    add(*sample_, RoundPurpose::confirm_alone, repeat, std::move(pairs), duration_);
  }
}

// A flow that failed although both its ends work at times gets another chance, under the load of its round.
// Ends of which nothing worked need none: each of their flows had its deadline.
void Planner::failed_rounds() {
  std::set<std::int32_t> working;
  std::map<std::int32_t, std::set<std::pair<std::int32_t, std::int32_t>>> failed;  // by round
  for (const FlowResult& f : q_.picture.all) {
    if (f.received && !f.failed) working.insert({f.source, f.target});
  }
  for (const FlowResult& f : q_.picture.all) {
    if (f.failed && f.round->purpose == RoundPurpose::screen && lives(f.source) && lives(f.target) &&
        working.contains(f.source) && working.contains(f.target))
      failed[f.round->id].insert({f.source, f.target});
  }
  for (int n = 0; n < kMostFailedRounds && !failed.empty(); ++n) {
    const auto most = std::max_element(failed.begin(), failed.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    const Round& round = *q_.picture.rounds.at(most->first);
    const auto covered = most->second;
    for (int repeat = 0; repeat < kFailedRepeats; ++repeat)
      add(round, RoundPurpose::confirm_loaded, repeat, load_of(round), Nanos::ns(round.duration_ns));
    for (auto at = failed.begin(); at != failed.end();) {
      auto& [id, flows] = *at;
      if (q_.picture.rounds.at(id)->case_id == round.case_id)
        std::erase_if(flows, [&covered](const auto& f) { return covered.contains(f); });
      at = flows.empty() ? failed.erase(at) : std::next(at);
    }
  }
}

std::vector<Round> Planner::plan(int repeats) {
  if (repeats < 1) return {};
  failed_rounds();
  if (sample_ == nullptr || q_.too_many) return std::move(rounds_);
  std::vector<Need> needs;
  std::map<std::pair<std::string, Direction>, int> rails_of_node;
  for (const Suspect& s : q_.suspects) {
    if (needs.size() == kMostSuspects) break;
    // Of a node with several slow rails the gravest shows what being alone changes; the others only share the
    // load rounds.
    const bool end = s.kind == Suspect::Kind::end;
    const bool alone = !end || rails_of_node[{q_.picture.endpoint(s.endpoint).node, s.direction}]++ == 0;
    needs.push_back(need_of(s, repeats, alone));
  }
  loaded_rounds(needs, repeats);
  alone_rounds(needs, repeats);
  return std::move(rounds_);
}

}  // namespace

std::vector<Round> confirmation(const Evidence& evidence, const Gates& gates, const std::vector<bool>& living,
                                Nanos duration, int first_round) {
  const Picture picture = picture_of(evidence, gates);
  const Inquiry inquiry = accuse(picture);
  return Planner(inquiry, living, duration, first_round).plan(gates.confirm_repeats);
}

}  // namespace railgauge
