#include "orchestrator/world_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace railgauge {
namespace {

using Variables = std::map<std::string, std::string>;

Variables variables_of(const std::string& lines) {
  Variables out;
  std::size_t at = 0;
  while (at < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string line = lines.substr(at, end - at);
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) out[line.substr(0, equals)] = line.substr(equals + 1);
    at = end + 1;
  }
  return out;
}

// Values come from another machine's environment: one line, bounded.
std::string shown(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, 120)) out += c >= 0x20 && c < 0x7f ? c : '?';
  return text.size() > 120 ? out + "..." : out;
}

// The environment of most ranks: the odd one out is what gets named, not its neighbours.
const RankReport& majority(std::span<const RankReport> ranks) {
  std::map<std::uint64_t, std::size_t> count;
  for (const RankReport& r : ranks) ++count[r.environment_hash];
  const RankReport* best = &ranks.front();
  for (const RankReport& r : ranks) {
    if (count[r.environment_hash] > count[best->environment_hash]) best = &r;
  }
  return *best;
}

Result<void> check_build(std::span<const RankReport> ranks, const std::string& our_build) {
  for (const RankReport& r : ranks) {
    if (r.build_id == our_build) continue;
    return fail(
        ErrorKind::peer,
        fmt::format(
            "{}: railgauge-rank is of another build ({}) than railgauge ({}): install the same on all "
            "nodes, or set rank_path in the site file",
            r.node, shown(r.build_id), our_build));
  }
  return {};
}

Result<void> check_size(std::span<const RankReport> ranks, std::size_t wanted) {
  const auto alone = static_cast<std::size_t>(
      std::count_if(ranks.begin(), ranks.end(), [](const RankReport& r) { return r.world_size == 1; }));
  if (wanted > 1 && alone == ranks.size()) {
    return fail(
        ErrorKind::peer,
        fmt::format(
            "{} ranks each see a world of 1 instead of one world of {}: mpirun and the MPI library of "
            "railgauge-rank do not belong together (e.g. {})",
            ranks.size(), wanted, ranks.front().node));
  }
  for (const RankReport& r : ranks) {
    if (static_cast<std::size_t>(r.world_size) == wanted) continue;
    return fail(ErrorKind::peer, fmt::format("{}: rank {} sees a world of {}, {} were started", r.node,
                                             r.rank, r.world_size, wanted));
  }
  return {};
}

Result<void> check_places(std::span<const RankReport> ranks, std::span<const std::int32_t> living,
                          std::span<const Endpoint> endpoints) {
  std::map<std::int32_t, std::string> by_rank, by_endpoint;
  for (const RankReport& r : ranks) {
    if (const auto [at, fresh] = by_rank.emplace(r.rank, r.node); !fresh) {
      return fail(ErrorKind::peer,
                  fmt::format("{}: rank {} was already reported by {}", r.node, r.rank, at->second));
    }
    const bool known = std::binary_search(living.begin(), living.end(), r.endpoint);
    if (!known || endpoints[static_cast<std::size_t>(r.endpoint)].node != r.node) {
      return fail(ErrorKind::peer,
                  fmt::format("{}: rank {} drives endpoint {}, which is not one of this node's here", r.node,
                              r.rank, r.endpoint));
    }
    if (!by_endpoint.emplace(r.endpoint, r.node).second) {
      return fail(ErrorKind::peer, fmt::format("{}: endpoint {} is driven by two ranks", r.node, r.endpoint));
    }
  }
  for (const std::int32_t e : living) {
    if (by_endpoint.contains(e)) continue;
    const Endpoint& missing = endpoints[static_cast<std::size_t>(e)];
    return fail(ErrorKind::peer, fmt::format("{}: no rank for {}", missing.node, missing.device));
  }
  return {};
}

}  // namespace

std::string environment_difference(const std::string& a, const std::string& node_a, const std::string& b,
                                   const std::string& node_b) {
  const Variables left = variables_of(a), right = variables_of(b);
  std::set<std::string> names;
  for (const auto& [name, value] : left) names.insert(name);
  for (const auto& [name, value] : right) names.insert(name);
  for (const std::string& name : names) {
    const auto l = left.find(name), r = right.find(name);
    if (l != left.end() && r != right.end() && l->second == r->second) continue;
    const auto side = [&name](const auto& at, const auto& end, const std::string& node) {
      return at == end ? fmt::format("not set on {}", node)
                       : fmt::format("{}={} on {}", shown(name), shown(at->second), node);
    };
    const std::string on_left = side(l, left.end(), node_a), on_right = side(r, right.end(), node_b);
    return l == left.end() ? on_right + ", " + on_left : on_left + ", " + on_right;
  }
  return fmt::format("the difference between {} and {} lies beyond the first 16 KiB", node_a, node_b);
}

Result<void> check_world(std::span<const RankReport> ranks, std::span<const std::int32_t> living,
                         std::span<const Endpoint> endpoints, const std::string& our_build) {
  if (ranks.empty()) return fail(ErrorKind::peer, "no rank was reported: the launch started nothing");
  if (auto ok = check_build(ranks, our_build); !ok) return ok;
  if (auto ok = check_size(ranks, living.size()); !ok) return ok;
  if (auto ok = check_places(ranks, living, endpoints); !ok) return ok;
  const RankReport& usual = majority(ranks);
  for (const RankReport& r : ranks) {
    if (r.environment_hash == usual.environment_hash) continue;
    return fail(ErrorKind::peer,
                fmt::format("{}: its environment differs: {}", r.node,
                            environment_difference(usual.environment, usual.node, r.environment, r.node)));
  }
  return {};
}

}  // namespace railgauge
