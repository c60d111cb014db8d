// A rank between its registration and its end: takes batches from the board and runs their rounds.
#pragma once

#include <functional>

#include "workers/rounds/board.h"
#include "workers/rounds/round_loop.h"
#include "workers/rounds/world.h"

namespace railgauge {

enum class SessionEnd {
  finish,    // the orchestrator has no more work
  orphaned,  // the leader is gone, or this process was told to end
};

struct SessionSeams {
  std::function<bool()> orphaned;  // asked every turn
  std::function<void()> pause;     // a few ms; a fake moves its clock
};

// Reads rounds of a batch as the leader published them. Errors (environment, peer): no such object; not a
// list of rounds.
Result<std::vector<Round>> read_batch(const std::string& board, std::int32_t number);

// loop: nullptr where this rank cannot take part at all (no endpoint, wrong world); its batches end broken at
// once.
SessionEnd serve_batches(const std::string& board_name, Board& board, RankSlot& slot, RoundLoop* loop,
                         const SessionSeams& seams);

}  // namespace railgauge
