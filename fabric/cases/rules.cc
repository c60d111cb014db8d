// Pairing rules. Every kind is a function place -> partner inside one group, so that a rank can work out its
// own part without the rest of the schedule; expand() is the same function over all places.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "fabric/cases/schedule.h"
#include "proto/result.h"

namespace railgauge {
namespace {

// splitmix64: one line, same numbers on every machine and compiler (std::shuffle promises neither).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

// order[2k] and order[2k+1] are a pair; with odd n the last one rests. The group number is mixed in so that
// the rails of two nodes don't always meet each other: a slow node and a slow pair then look different.
std::vector<std::int32_t> shuffled(std::size_t n, std::uint64_t seed, std::size_t group) {
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t state = seed ^ (0xd1342543de82ef95ULL * (group + 1));
  for (std::size_t i = n; i > 1; --i) {
    std::swap(order[i - 1], order[next_random(state) % i]);
  }
  return order;
}

// A pair of places before the direction is applied.
struct PlacePair {
  std::int32_t a = -1, b = -1;
};

// Circle method with the last place of the even size fixed: in round r it meets r, all others meet 2r -
// place.
std::optional<std::int32_t> circle_partner(std::int32_t place, std::int32_t n, std::int32_t r) {
  const std::int32_t even = n + n % 2;
  const std::int32_t rounds = even - 1;
  if (n < 2 || r < 0 || r >= rounds) return std::nullopt;
  std::int32_t partner = 0;
  if (place == even - 1) {
    partner = r;
  } else if (place == r) {
    partner = even - 1;
  } else {
    partner = ((2 * r - place) % rounds + rounds) % rounds;
  }
  if (partner >= n) return std::nullopt;  // rests: the even size has one place more than the group
  return partner;
}

std::optional<std::int32_t> neighbour_partner(std::int32_t place, std::int32_t n, std::int32_t index) {
  if (index < 0 || index > 1 || place < index) return std::nullopt;
  const std::int32_t partner = (place - index) % 2 == 0 ? place + 1 : place - 1;
  if (partner >= n) return std::nullopt;
  return partner;
}

bool shift_exists(std::int32_t n, std::int32_t index) { return index >= 1 && index < n; }

// Unordered pairs of one group for the kinds that are matchings; a < b, so forward means "lower place sends".
std::vector<PlacePair> matching_pairs(const RoundRule& rule, std::int32_t n, std::size_t group) {
  std::vector<PlacePair> pairs;
  if (rule.kind == RuleKind::matching) {
    const std::vector<std::int32_t> order = shuffled(static_cast<std::size_t>(n), rule.seed, group);
    for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
      pairs.push_back({std::min(order[i], order[i + 1]), std::max(order[i], order[i + 1])});
    }
    return pairs;
  }
  for (std::int32_t place = 0; place < n; ++place) {
    const auto partner = rule.kind == RuleKind::circle ? circle_partner(place, n, rule.index)
                                                       : neighbour_partner(place, n, rule.index);
    if (partner && place < *partner) pairs.push_back({place, *partner});
  }
  return pairs;
}

bool sends(FlowDirection direction, bool lower) {
  if (direction == FlowDirection::both) return true;
  return (direction == FlowDirection::forward) == lower;
}

void add_unique(std::vector<std::int32_t>& list, std::int32_t value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

Groups groups_of(std::span<const Endpoint> endpoints) {
  std::map<std::tuple<int, std::string>, std::vector<std::int32_t>> by_key;
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    const Endpoint& e = endpoints[i];
    if (e.rail < 0) continue;  // no rail: not a compute NIC, nothing to pair it with
    by_key[{e.rail, e.subnet}].push_back(static_cast<std::int32_t>(i));
  }
  Groups groups;
  groups.reserve(by_key.size());
  for (auto& [key, members] : by_key) groups.push_back(std::move(members));
  return groups;
}

int rounds_of(RuleKind kind, std::size_t n) {
  if (kind == RuleKind::list) return 1;
  if (n < 2) return 0;
  const int count = static_cast<int>(n);
  switch (kind) {
    case RuleKind::circle:
      return count + count % 2 - 1;
    case RuleKind::shift:
      return count - 1;
    case RuleKind::neighbours:
      return count == 2 ? 1 : 2;
    case RuleKind::matching:
    case RuleKind::list:
      return 1;
  }
  return 0;
}

std::vector<Flow> expand(const RoundRule& rule, const Groups& groups) {
  std::vector<Flow> flows;
  const auto add = [&flows](std::int32_t source, std::int32_t target) {
    flows.push_back({EndpointIndex{source}, EndpointIndex{target}});
  };
  if (rule.kind == RuleKind::list) {
    for (const PairRef& p : rule.pairs) add(p.source, p.target);
  }
  for (std::size_t g = 0; g < groups.size() && rule.kind != RuleKind::list; ++g) {
    if (rule.group >= 0 && static_cast<std::size_t>(rule.group) != g) continue;
    const std::vector<std::int32_t>& members = groups[g];
    const auto n = static_cast<std::int32_t>(members.size());
    const auto member = [&members](std::int32_t place) { return members[static_cast<std::size_t>(place)]; };
    if (rule.kind == RuleKind::shift) {
      for (std::int32_t i = 0; shift_exists(n, rule.index) && i < n; ++i) {
        const std::int32_t to = (i + rule.index) % n;
        if (rule.direction != FlowDirection::backward) add(member(i), member(to));
        if (rule.direction != FlowDirection::forward) add(member(to), member(i));
      }
      continue;
    }
    for (const PlacePair& p : matching_pairs(rule, n, g)) {
      if (rule.direction != FlowDirection::backward) add(member(p.a), member(p.b));
      if (rule.direction != FlowDirection::forward) add(member(p.b), member(p.a));
    }
  }
  std::sort(flows.begin(), flows.end(), [](const Flow& x, const Flow& y) {
    return std::tuple(x.source, x.target) < std::tuple(y.source, y.target);
  });
  // A shift by half of the group sends both ways already; `both` would name each flow twice.
  flows.erase(std::unique(flows.begin(), flows.end()), flows.end());
  return flows;
}

GroupIndex index_groups(const Groups& groups, std::size_t endpoints) {
  GroupIndex index;
  index.group_of.assign(endpoints, -1);
  index.place_of.assign(endpoints, -1);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t p = 0; p < groups[g].size(); ++p) {
      const auto e = static_cast<std::size_t>(groups[g][p]);
      RG_CHECK(e < endpoints);
      index.group_of[e] = static_cast<std::int32_t>(g);
      index.place_of[e] = static_cast<std::int32_t>(p);
    }
  }
  return index;
}

Part part_of(const RoundRule& rule, const Groups& groups, const GroupIndex& index, EndpointIndex endpoint) {
  Part part;
  if (rule.kind == RuleKind::list) {
    for (const PairRef& p : rule.pairs) {
      if (p.source == endpoint.value) add_unique(part.sends_to, p.target);
      if (p.target == endpoint.value) add_unique(part.receives_from, p.source);
    }
    std::sort(part.sends_to.begin(), part.sends_to.end());
    std::sort(part.receives_from.begin(), part.receives_from.end());
    return part;
  }
  const auto e = static_cast<std::size_t>(endpoint.value);
  if (!endpoint.valid() || e >= index.group_of.size() || index.group_of[e] < 0) return part;
  if (rule.group >= 0 && rule.group != index.group_of[e]) return part;
  const auto g = static_cast<std::size_t>(index.group_of[e]);
  const std::vector<std::int32_t>& members = groups[g];
  const auto n = static_cast<std::int32_t>(members.size());
  const std::int32_t place = index.place_of[e];
  const auto member = [&members](std::int32_t at) { return members[static_cast<std::size_t>(at)]; };
  if (rule.kind == RuleKind::shift) {
    if (!shift_exists(n, rule.index)) return part;
    const std::int32_t up = member((place + rule.index) % n);
    const std::int32_t down = member((place - rule.index + n) % n);
    if (rule.direction != FlowDirection::backward) {
      part.sends_to.push_back(up);
      part.receives_from.push_back(down);
    }
    if (rule.direction != FlowDirection::forward) {
      add_unique(part.sends_to, down);
      add_unique(part.receives_from, up);
    }
    std::sort(part.sends_to.begin(), part.sends_to.end());
    std::sort(part.receives_from.begin(), part.receives_from.end());
    return part;
  }
  std::optional<std::int32_t> partner;
  if (rule.kind == RuleKind::matching) {
    for (const PlacePair& p : matching_pairs(rule, n, g)) {
      if (p.a == place) partner = p.b;
      if (p.b == place) partner = p.a;
    }
  } else {
    partner = rule.kind == RuleKind::circle ? circle_partner(place, n, rule.index)
                                            : neighbour_partner(place, n, rule.index);
  }
  if (!partner) return part;
  if (sends(rule.direction, place < *partner)) part.sends_to.push_back(member(*partner));
  if (sends(rule.direction, *partner < place)) part.receives_from.push_back(member(*partner));
  return part;
}

}  // namespace railgauge
