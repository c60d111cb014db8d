#include "workers/rounds/rank_session.h"

#include "proto/json.h"

namespace railgauge {
namespace {

// True: this rank can do more.
bool run_batch(RoundLoop& loop, const std::vector<Round>& rounds) {
  for (const Round& round : rounds) {
    const RoundEnd end = loop.run_round(round);
    if (end == RoundEnd::stopped) break;
    if (end == RoundEnd::broken) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<Round>> read_batch(const std::string& board, std::int32_t number) {
  const Result<std::string> text = read_text(batch_name(board, number));
  if (!text) return tl::make_unexpected(text.error());
  return from_json<std::vector<Round>>(*text);
}

SessionEnd serve_batches(const std::string& board_name, Board& board, RankSlot& slot, RoundLoop* loop,
                         const SessionSeams& seams) {
  std::int32_t last = -1;
  bool able = loop != nullptr;
  slot.broken.store(!able, std::memory_order_release);
  for (;;) {
    if (seams.orphaned()) return SessionEnd::orphaned;
    if (board.command.load(std::memory_order_acquire) == static_cast<std::int32_t>(Command::finish))
      return SessionEnd::finish;
    const std::int32_t batch = board.batch.load(std::memory_order_acquire);
    if (batch == last) {
      seams.pause();
      continue;
    }
    last = batch;
    if (able) {
      const Result<std::vector<Round>> rounds = read_batch(board_name, batch);
      able = rounds && run_batch(*loop, *rounds);
    }
    if (!able) slot.broken.store(true, std::memory_order_release);
    // The answer before the idle state: an idle rank without an answer looks to the leader like one that
    // never took the batch.
    slot.batch_done.store(batch, std::memory_order_release);
    slot.give_up_ns.store(0, std::memory_order_release);
    slot.phase.store(static_cast<std::int32_t>(Phase::ready), std::memory_order_release);
  }
}

}  // namespace railgauge
