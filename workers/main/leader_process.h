// The leader as a process of its own: not a child of mpirun's daemon, without its pipes, so that neither
// waits for the other.
#pragma once

#include <string>

#include "proto/result.h"

namespace railgauge {

// Starts `PROGRAM --leader --node NODE` in a session of its own, adopted by init, all descriptors but
// /dev/null closed; address and token travel in the environment. Before MPI_Init: it forks. Errors
// (environment): fork failed. A failing exec shows as a leader that never comes.
Result<void> start_leader(const std::string& node);

}  // namespace railgauge
