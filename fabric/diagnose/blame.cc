#include "fabric/diagnose/blame.h"

#include <algorithm>
#include <cstddef>

namespace railgauge {
namespace {

constexpr double kClearlyFaster = 1.02;

struct End {
  std::int32_t endpoint = -1;
  Direction direction = Direction::send;
  std::vector<std::size_t> edges;
  double effect = 0;
  bool taken = false;
};

std::vector<End> ends_of(std::span<const Edge> edges, std::size_t endpoints) {
  const Effects effects = median_polish(edges, endpoints);
  std::vector<End> ends(endpoints * 2);
  for (std::size_t e = 0; e < endpoints; ++e) {
    ends[2 * e] = {static_cast<std::int32_t>(e), Direction::send, {}, effects.send[e], false};
    ends[2 * e + 1] = {static_cast<std::int32_t>(e), Direction::receive, {}, effects.receive[e], false};
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ends[2 * static_cast<std::size_t>(edges[i].source)].edges.push_back(i);
    ends[2 * static_cast<std::size_t>(edges[i].target) + 1].edges.push_back(i);
  }
  std::erase_if(ends, [&edges](const End& e) {
    return std::count_if(e.edges.begin(), e.edges.end(), [&edges](std::size_t i) { return edges[i].bad; }) <
           2;
  });
  return ends;
}

// Drops ends that add nothing: each of their bad edges is covered by another taken end.
void prune(std::vector<BlamedEnd>& ends, std::size_t edges) {
  std::vector<int> covered(edges, 0);
  for (const BlamedEnd& e : ends) {
    for (const std::size_t i : e.edges) ++covered[i];
  }
  for (std::size_t k = 0; k < ends.size();) {
    const bool spare = std::all_of(ends[k].edges.begin(), ends[k].edges.end(),
                                   [&covered](std::size_t i) { return covered[i] > 1; });
    if (!spare) {
      ++k;
      continue;
    }
    for (const std::size_t i : ends[k].edges) --covered[i];
    ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

}  // namespace

std::vector<std::size_t> telling(std::span<const Edge> edges, const std::vector<std::size_t>& of_end) {
  std::vector<double> slow;
  for (const std::size_t i : of_end) {
    if (edges[i].bad) slow.push_back(edges[i].rate);
  }
  const double limit = median(slow) * kClearlyFaster;
  std::vector<std::size_t> kept;
  for (const std::size_t i : of_end) {
    if (edges[i].bad || slow.empty() || edges[i].rate > limit) kept.push_back(i);
  }
  return kept;
}

Blame blame_ends(std::span<const Edge> edges, std::size_t endpoints) {
  std::vector<End> ends = ends_of(edges, endpoints);
  for (End& e : ends) e.edges = telling(edges, e.edges);
  std::vector<bool> explained(edges.size(), false);
  Blame blame;
  while (true) {
    End* best = nullptr;
    double best_score = 0;
    std::size_t best_open = 0;
    for (End& e : ends) {
      if (e.taken) continue;
      std::size_t open = 0, bad = 0;
      for (const std::size_t i : e.edges) {
        if (explained[i]) continue;
        ++open;
        if (edges[i].bad) ++bad;
      }
      // One unexplained edge of an end that is bad everywhere still tells: others explain the rest only in
      // part.
      const bool many = bad >= 2 || (bad == 1 && open == 1 && e.edges.size() >= 2);
      if (!many || bad * 2 <= open) continue;
      const double score = static_cast<double>(bad) * static_cast<double>(bad) / static_cast<double>(open);
      if (best == nullptr || score > best_score || (score == best_score && e.effect < best->effect)) {
        best = &e;
        best_score = score;
        best_open = open;
      }
    }
    if (best == nullptr) break;
    best->taken = true;
    BlamedEnd end{best->endpoint, best->direction, {}, best_open};
    for (const std::size_t i : best->edges) {
      if (!edges[i].bad) continue;
      end.edges.push_back(i);  // also what another explains: it would be bad without it
      explained[i] = true;
    }
    blame.ends.push_back(std::move(end));
  }
  prune(blame.ends, edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].bad && !explained[i]) blame.leftover.push_back(i);
  }
  return blame;
}

}  // namespace railgauge
