// The ranks of one launch as a rank sees them. MPI in production (workers/main/mpi_world), scripted in tests
// (tests/doubles). Every wait has a deadline; a wait that ran into it, or an error, breaks the world for
// good: every later call fails at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

using Blob = std::vector<std::uint8_t>;

class World {
 public:
  virtual ~World() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual bool broken() const = 0;
  // All collective: every rank calls them in the same order. `within`: time from the call.
  // Errors (deadline): somebody did not come in time; (peer): MPI said a rank is gone, or the wait was
  // abandoned.
  virtual Result<void> barrier(Nanos within) = 0;
  // Element-wise maximum over all ranks, in place.
  virtual Result<void> maximum(std::span<double> values, Nanos within) = 0;
  // Everybody's bytes, by rank. At most 1 MiB each.
  virtual Result<std::vector<Blob>> allgather(const Blob& mine, Nanos within) = 0;
  // Small messages between two ranks, for clock offsets. Not collective.
  virtual Result<void> send(int to, std::span<const std::int64_t> values, Nanos within) = 0;
  virtual Result<void> receive(int from, std::span<std::int64_t> values, Nanos within) = 0;
};

}  // namespace railgauge
