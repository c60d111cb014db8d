#include "fabric/diagnose/retest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fabric/cases/schedule.h"
#include "fabric/diagnose/statistics.h"
#include "fabric/diagnose/wording.h"

namespace railgauge {
namespace {

struct Series {
  std::vector<double> calm_margin, margin;  // rate over floor
  std::vector<double> rates, ratios;
};

// Shape: [partner]; of one purpose.
using ByPartner = std::map<std::int32_t, Series>;

// Undisturbed flows decide by their median. Where there is none, only a loss in every single flow counts:
// other load does not hit each of them.
bool is_bad(const Series& s) {
  if (!s.calm_margin.empty()) return median(s.calm_margin) < 1;
  return std::all_of(s.margin.begin(), s.margin.end(), [](double m) { return m < 1; });
}

bool all_bad(const ByPartner& by) {
  return std::all_of(by.begin(), by.end(), [](const auto& at) { return is_bad(at.second); });
}

void sum_up(const ByPartner& by, int& count, double& rate, double& ratio) {
  std::vector<double> rates, ratios;
  for (const auto& [partner, s] : by) {
    rates.insert(rates.end(), s.rates.begin(), s.rates.end());
    ratios.insert(ratios.end(), s.ratios.begin(), s.ratios.end());
  }
  count = static_cast<int>(rates.size());
  rate = median(std::move(rates));
  ratio = median(std::move(ratios));
}

}  // namespace

std::vector<std::int32_t> good_partners(const Inquiry& q, const Suspect& s) {
  const Picture& p = q.picture;
  const Endpoint& self = p.endpoint(s.endpoint);
  const bool sends = s.direction == Direction::send;
  std::set<std::int32_t> bad, screened;
  for (const Suspect& other : q.suspects) {
    if (other.kind == Suspect::Kind::end && other.direction != s.direction) bad.insert(other.endpoint);
    if (other.kind == Suspect::Kind::pair && (sends ? other.source : other.target) == s.endpoint)
      bad.insert(sends ? other.target : other.source);
  }
  for (const Pair& pair : p.pairs) {
    if (pair.repeats > 0 && (sends ? pair.source : pair.target) == s.endpoint)
      screened.insert(sends ? pair.target : pair.source);
  }
  std::vector<std::int32_t> partners;
  for (std::size_t i = 0; i < p.endpoints(); ++i) {
    const auto e = static_cast<std::int32_t>(i);
    const Endpoint& other = p.endpoint(e);
    if (other.node == self.node || other.rail != self.rail || other.subnet != self.subnet) continue;
    if (!bad.contains(e) && q.placed[i] < 0) partners.push_back(e);
  }
  // A slower kind of NIC cannot show what a faster one lost.
  const auto reaches = [&](std::int32_t e) {
    return sends ? p.reference(s.endpoint, e) : p.reference(e, s.endpoint);
  };
  double greatest = 0;
  for (const std::int32_t e : partners) greatest = std::max(greatest, reaches(e));
  std::erase_if(partners, [&](std::int32_t e) { return reaches(e) < 0.99 * greatest; });
  std::stable_sort(partners.begin(), partners.end(), [&](std::int32_t a, std::int32_t b) {
    return screened.contains(a) > screened.contains(b);
  });
  // First one of its own leaf, then one of another.
  const auto bring = [&](std::size_t to, bool same) {
    if (self.leaf.empty() || partners.size() <= to) return;
    const auto at =
        std::find_if(partners.begin() + static_cast<std::ptrdiff_t>(to), partners.end(), [&](std::int32_t e) {
          return !p.endpoint(e).leaf.empty() && (p.endpoint(e).leaf == self.leaf) == same;
        });
    if (at != partners.end()) std::rotate(partners.begin() + static_cast<std::ptrdiff_t>(to), at, at + 1);
  };
  bring(0, true);
  bring(1, false);
  return partners;
}

std::string Retest::text(const Picture& p) const {
  if (outcome == Outcome::unmeasured) return "not measured again";
  std::string names;
  for (const std::int32_t e : partners) names += (names.empty() ? "" : " and ") + p.endpoint(e).node;
  std::string text = "measured again with new queue pairs";
  if (!names.empty()) text += ", partners " + names;
  if (loaded > 0)
    text += fmt::format(": {} ({}) under the same load, {} flows", rate_in_words(loaded_rate),
                        percent_in_words(loaded_ratio), loaded);
  if (alone > 0)
    text += fmt::format("{} {} ({}) alone, {} flows", loaded > 0 ? ";" : ":", rate_in_words(alone_rate),
                        percent_in_words(alone_ratio), alone);
  return text;
}

Retest retest(const Inquiry& q, const Suspect& s) {
  const Picture& p = q.picture;
  ByPartner loaded, alone;
  const std::vector<std::int32_t> good =
      s.kind == Suspect::Kind::end ? good_partners(q, s) : std::vector<std::int32_t>{};
  std::set<std::int32_t> partners;
  for (const FlowResult& f : p.confirming) {
    if (!f.received || f.failed) continue;
    std::int32_t partner = -1;
    if (s.kind == Suspect::Kind::pair) {
      if (f.source == s.source && f.target == s.target) partner = f.target;
    } else if ((s.direction == Direction::send ? f.source : f.target) == s.endpoint) {
      partner = s.direction == Direction::send ? f.target : f.source;
      if (std::find(good.begin(), good.end(), partner) == good.end()) partner = -1;
    }
    if (partner < 0) continue;
    const double floor = p.floor(f.source, f.target), reference = p.reference(f.source, f.target);
    if (floor <= 0 || reference <= 0) continue;
    Series& series = (f.round->purpose == RoundPurpose::confirm_alone ? alone : loaded)[partner];
    series.margin.push_back(f.rate / floor);
    if (!f.disturbed) series.calm_margin.push_back(f.rate / floor);
    series.rates.push_back(f.rate);
    series.ratios.push_back(f.rate / reference);
    if (s.kind == Suspect::Kind::end) partners.insert(partner);
  }
  Retest r;
  r.partners.assign(partners.begin(), partners.end());
  sum_up(loaded, r.loaded, r.loaded_rate, r.loaded_ratio);
  sum_up(alone, r.alone, r.alone_rate, r.alone_ratio);
  if (loaded.empty() && alone.empty()) return r;
  const bool bad_loaded = !loaded.empty() && all_bad(loaded);
  const bool bad_alone = !alone.empty() && all_bad(alone);
  if (bad_alone && (bad_loaded || loaded.empty()))
    r.outcome = Outcome::confirmed;
  else if (bad_loaded && alone.empty())
    r.outcome = Outcome::confirmed;
  else if (bad_loaded)
    r.outcome = Outcome::under_load;
  else
    r.outcome = Outcome::cured;
  return r;
}

}  // namespace railgauge
