#include <time.h>
#include <unistd.h>

#include <utility>

#include "proto/control_client.h"
#include "proto/version.h"
#include "workers/main/modes.h"
#include "workers/rounds/leader.h"
#include "workers/rounds/meters.h"

namespace railgauge {
namespace {

constexpr Nanos kConnectWithin = Nanos::s(10);

class ControlLink : public LeaderLink {
 public:
  explicit ControlLink(std::unique_ptr<ControlClient> client) : client_(std::move(client)) {}
  Result<void> send(const wire::ToOrchestrator& message) override { return client_->send(message); }
  Result<std::optional<wire::ToNode>> receive(Nanos timeout) override { return client_->receive(timeout); }

 private:
  std::unique_ptr<ControlClient> client_;
};

int fail_ranks(Board& board, const std::string& reason) {
  put_text(board.leader_error, reason);
  board.leader_failed.store(true, std::memory_order_release);
  return 2;
}

int lead(const RankArguments& arguments, const ControlTarget& target, const std::string& name, Board& board) {
  auto client = ControlClient::connect(target.address, kConnectWithin);
  if (!client) return fail_ranks(board, client.error().message);
  ControlLink link(std::move(*client));
  LeaderIdentity identity;
  identity.node = arguments.node;
  identity.token = target.token;
  identity.build_id = build_id();
  identity.launch = target.launch;
  identity.board = name;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  identity.realtime_ns = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  SystemProcesses processes;
  const SystemClock clock;
  Leader leader(std::move(identity), board, link, processes, clock);
  int code = 0;
  if (auto greeted = leader.greet(); !greeted) {
    code = fail_ranks(board, greeted.error().message);
  } else {
    while (leader.turn(leader.pause())) {
    }
  }
  leader.remove_texts();
  return code;
}

}  // namespace

int leader_main(const RankArguments& arguments) {
  const Result<ControlTarget> target = control_target(read_variable, nullptr);
  if (!target) return 2;
  const std::string name = board_name(target->run_id, target->launch, arguments.node);
  Result<BoardMapping> board = BoardMapping::attach(name);
  if (!board) return 2;
  const SystemProcesses processes;
  (*board)->leader_start_ticks.store(processes.look(getpid(), 0).start_ticks, std::memory_order_relaxed);
  (*board)->leader_pid.store(getpid(), std::memory_order_release);
  const int code = lead(arguments, *target, name, **board);
  // Ranks that are still starting find no board any more, and say so.
  remove_shared(name);
  return code;
}

}  // namespace railgauge
