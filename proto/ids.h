// Names of things. A rail, a round and an endpoint are all small numbers: types keep them apart.
#pragma once

#include <compare>
#include <cstdint>

namespace railgauge {

template <class Tag>
struct Index {
  std::int32_t value = -1;  // -1: none
  constexpr bool valid() const { return value >= 0; }
  constexpr auto operator<=>(const Index&) const = default;
};

using RailIndex = Index<struct RailTag>;          // rails count from 0
using EndpointIndex = Index<struct EndpointTag>;  // position in Schedule::endpoints
using RoundIndex = Index<struct RoundTag>;        // Round::id, counts over the whole run

}  // namespace railgauge
