// Which ends explain a set of bad flows: the fewest senders and receivers that cover them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/diagnose/analysis.h"
#include "fabric/diagnose/statistics.h"

namespace railgauge {

struct BlamedEnd {
  std::int32_t endpoint = -1;
  Direction direction = Direction::send;  // send or receive
  std::vector<std::size_t> edges;         // bad edges it explains, indices into the input
  std::size_t partners = 0;               // edges it has in this direction that nothing else explains
};

struct Blame {
  std::vector<BlamedEnd> ends;        // in the order of blame
  std::vector<std::size_t> leftover;  // bad edges that no end explains: pairs
};

// Edges of one end whose verdict tells something about it: its bad ones, and the good ones that went clearly
// faster than those. A good flow to a partner that is itself no faster exonerates nobody.
std::vector<std::size_t> telling(std::span<const Edge> edges, const std::vector<std::size_t>& of_end);

// An end is blamed where at least two of its edges are bad and these are more than half of those that no
// other end explains. Greedy: the most bad edges first, ties by the effects of median polish; afterwards an
// end whose bad edges are all explained by others is dropped.
Blame blame_ends(std::span<const Edge> edges, std::size_t endpoints);

}  // namespace railgauge
