// The world of ranks through MPI. The only place that knows mpi.h, with mpi_world.cc.
// Every call is non-blocking and polled with short sleeps: a blocking MPI call spins and has no deadline.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "workers/engines/engine.h"
#include "workers/rounds/world.h"

namespace railgauge {

class MpiWorld : public World {
 public:
  // MPI_Init. abandon: asked while waiting; true ends the wait and breaks the world (a local rank died).
  // Errors (environment): MPI said no.
  static Result<std::unique_ptr<MpiWorld>> init(int* argc, char*** argv, const Clock& clock,
                                                std::function<bool()> abandon);
  ~MpiWorld() override;
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool broken() const override { return broken_; }
  Result<void> barrier(Nanos within) override;
  Result<void> maximum(std::span<double> values, Nanos within) override;
  Result<std::vector<Blob>> allgather(const Blob& mine, Nanos within) override;
  Result<void> send(int to, std::span<const std::int64_t> values, Nanos within) override;
  Result<void> receive(int from, std::span<std::int64_t> values, Nanos within) override;
  // MPI_Finalize; may hang, so the caller has a watchdog. Not called on a broken world: leave by _exit.
  void finalize();

 private:
  struct Pending;
  MpiWorld(const Clock& clock, std::function<bool()> abandon);
  Result<void> begun(int code, const char* what);
  Result<void> wait(Pending& pending, Nanos within, const char* what);
  Result<void> usable(const char* what) const;

  const Clock& clock_;
  std::function<bool()> abandon_;
  int rank_ = -1, size_ = 0;
  bool broken_ = false;
};

}  // namespace railgauge
