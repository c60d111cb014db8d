// How far this host's clock is from rank 0's. Ranks that share rank 0's kernel read the same clock: offset 0,
// no exchange. Of every other kernel the first rank plays ping-pong with rank 0; the round trip with the
// shortest time counts, half of it is the bound.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "proto/result.h"
#include "workers/engines/engine.h"
#include "workers/rounds/world.h"

namespace railgauge {

struct ClockOffset {
  std::int64_t offset_ns = 0;  // rank 0's clock minus ours: ours + offset = rank 0's
  std::int64_t error_ns = 0;   // the offset is right within this
};

struct RoundTrip {
  std::int64_t sent_ns = 0, back_ns = 0;  // our clock
  std::int64_t there_ns = 0;              // rank 0's clock in between
};
// Pure. No round trips is a bug.
ClockOffset offset_of(std::span<const RoundTrip> trips);

// What tells that two ranks read one clock: boot id and time namespace. "" where unknown: such a rank is
// measured by itself.
std::string clock_identity();

// Collective; identities: of all ranks by rank. Errors: the world broke (deadline, peer).
Result<ClockOffset> measure_clock_offset(World& world, const Clock& clock,
                                         const std::vector<std::string>& identities, Nanos within);

}  // namespace railgauge
