#include "workers/rounds/leader.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <memory>

#include "fabric/cases/schedule.h"
#include "proto/json.h"
#include "proto/sample_file.h"
#include "tests/doubles/fake_clock.h"
#include "tests/doubles/fake_node.h"
#include "workers/rounds/board_report.h"

namespace railgauge {
namespace {

// Node "a" has endpoints 0 and 1 of four; its two ranks have pids 100 and 101.
class LeaderTest : public testing::Test {
 protected:
  LeaderTest() : board_(std::make_unique<Board>()) {
    Schedule schedule;
    for (int i = 0; i < 4; ++i) {
      Endpoint e;
      e.node = i < 2 ? "a" : "b";
      schedule.endpoints.push_back(e);
    }
    spec_.run_id = "r";
    spec_.setup_deadline_ns = Nanos::s(30).count();
    spec_.living = {0, 1, 2, 3};
    spec_.schedule_json = to_json(schedule, 0);
    LeaderIdentity identity;
    identity.node = "a";
    identity.token = "t";
    identity.build_id = "b1";
    identity.launch = 2;
    identity.board = name_;
    leader_ = std::make_unique<Leader>(identity, *board_, link_, processes_, clock_);
  }
  ~LeaderTest() override { leader_->remove_texts(); }

  void greet() {
    wire::ToNode welcome;
    welcome.mutable_welcome()->set_launch_spec_json(to_json(spec_, 0));
    link_.incoming.push_back(welcome);
    const auto greeted = leader_->greet();
    ASSERT_TRUE(greeted) << greeted.error().message;
  }
  RankSlot& claim(std::int64_t pid) {
    std::size_t number = 0;
    RankSlot* slot = claim_slot(*board_, &number);
    slot->pid.store(pid);
    slot->endpoint = static_cast<std::int32_t>(number);
    return *slot;
  }
  void ready_world() {
    greet();
    for (const std::int64_t pid : {100, 101}) {
      RankSlot& slot = claim(pid);
      slot.rank = static_cast<std::int32_t>(pid - 100);
      slot.world_size = 4;
      slot.phase.store(static_cast<std::int32_t>(Phase::ready));
      slot.registered.store(true);
    }
    turn();
    link_.sent.clear();
  }
  bool turn(Nanos later = Nanos::ms(50)) {
    clock_.advance(later);
    return leader_->turn(Nanos());
  }
  void send_batch(int number) {
    wire::ToNode m;
    m.mutable_batch()->set_number(number);
    m.mutable_batch()->set_rounds_json("[]");
    link_.incoming.push_back(m);
  }
  void publish(std::size_t slot, std::int64_t ordinal) {
    FlowSample f;
    f.round = static_cast<std::int32_t>(ordinal);
    f.target = static_cast<std::int32_t>(slot);
    CounterSample c;
    c.endpoint = static_cast<std::int32_t>(slot);
    BoardReport(*board_, board_->slots[slot], [] { return false; }).publish(ordinal, {f}, c);
  }
  std::vector<SampleSet> frames() const {
    std::vector<SampleSet> sets;
    for (const auto& m : link_.sent) {
      if (!m.has_sample_frame()) continue;
      auto set = parse_frames(m.sample_frame().frame());
      EXPECT_TRUE(set);
      if (set) sets.push_back(*set);
    }
    return sets;
  }
  const wire::BatchDone* done() const {
    for (const auto& m : link_.sent) {
      if (m.has_batch_done()) return &m.batch_done();
    }
    return nullptr;
  }
  const wire::Heartbeat* beat() const {
    for (auto m = link_.sent.rbegin(); m != link_.sent.rend(); ++m) {
      if (m->has_heartbeat()) return &m->heartbeat();
    }
    return nullptr;
  }
  const wire::RanksReady* ready() const {
    for (const auto& m : link_.sent) {
      if (m.has_ranks_ready()) return &m.ranks_ready();
    }
    return nullptr;
  }

  const std::string name_ = board_name("leader-test-" + std::to_string(getpid()), 2, "a");
  std::unique_ptr<Board> board_;
  FakeLink link_;
  FakeProcesses processes_;
  FakeClock clock_;
  LaunchSpec spec_;
  std::unique_ptr<Leader> leader_;
};

TEST_F(LeaderTest, says_hello_and_puts_the_spec_on_the_board) {
  greet();
  ASSERT_TRUE(link_.sent.at(0).has_hello());
  EXPECT_EQ(link_.sent[0].hello().token(), "t");
  EXPECT_EQ(link_.sent[0].hello().launch(), 2);
  EXPECT_EQ(link_.sent[0].hello().role(), wire::ROLE_LEADER);
  EXPECT_TRUE(board_->spec_ready.load());
  EXPECT_EQ(read_text(spec_name(name_)).value_or(""), to_json(spec_, 0));
}

TEST_F(LeaderTest, a_refusal_a_silence_and_a_spec_that_is_none_are_errors) {
  wire::ToNode refuse;
  refuse.mutable_refuse()->set_reason("other build");
  link_.incoming.push_back(refuse);
  EXPECT_EQ(leader_->greet().error().message, "orchestrator refused this node: other build");
  EXPECT_EQ(leader_->greet().error().kind, ErrorKind::deadline);
  wire::ToNode welcome;
  welcome.mutable_welcome()->set_launch_spec_json("{");
  link_.incoming.push_back(welcome);
  EXPECT_FALSE(leader_->greet());
  EXPECT_FALSE(board_->spec_ready.load());
}

TEST_F(LeaderTest, reports_ranks_only_when_all_have_registered) {
  greet();
  claim(100).registered.store(true);
  RankSlot& second = claim(101);
  turn();
  EXPECT_EQ(ready(), nullptr);
  second.registered.store(true);
  turn();
  ASSERT_NE(ready(), nullptr);
  EXPECT_EQ(ready()->ranks_size(), 2);
  EXPECT_FALSE(ready()->ranks(0).has_error());
}

TEST_F(LeaderTest, at_the_setup_deadline_it_says_who_is_missing_hung_or_dead) {
  spec_.living = {0, 1};
  greet();
  RankSlot& hung = claim(100);
  hung.phase.store(static_cast<std::int32_t>(Phase::mpi_init));
  turn(Nanos::s(31));
  ASSERT_NE(ready(), nullptr);
  EXPECT_EQ(ready()->ranks(0).error(), "not ready at the setup deadline, still in MPI_Init, process state S");
  EXPECT_EQ(ready()->ranks(1).error(), "no process came for this endpoint before the setup deadline");
  EXPECT_EQ(ready()->ranks(1).endpoint(), 1);
}

TEST_F(LeaderTest, more_processes_than_endpoints_are_all_reported) {
  greet();
  for (const std::int64_t pid : {100, 101, 102}) claim(pid).registered.store(true);
  turn();
  ASSERT_NE(ready(), nullptr);
  EXPECT_EQ(ready()->ranks_size(), 3);
  EXPECT_EQ(ready()->ranks(2).endpoint(), -1);
}

TEST_F(LeaderTest, samples_of_a_round_go_out_in_one_frame_when_all_local_ranks_have_passed_it) {
  ready_world();
  send_batch(0);
  turn();
  publish(0, 0);
  turn();
  EXPECT_TRUE(frames().empty());
  publish(1, 0);
  turn();
  ASSERT_EQ(frames().size(), 1U);
  EXPECT_EQ(frames()[0].flows.size(), 2U);
  EXPECT_EQ(frames()[0].counters.size(), 2U);
}

TEST_F(LeaderTest, a_round_is_not_held_back_long_for_a_rank_that_does_not_come) {
  ready_world();
  send_batch(0);
  turn();
  publish(0, 0);
  turn();
  turn(Nanos::ms(600));
  EXPECT_EQ(frames().size(), 1U);
}

TEST_F(LeaderTest, a_batch_is_done_when_every_rank_answered_and_counts_what_all_completed) {
  ready_world();
  send_batch(0);
  turn();
  EXPECT_EQ(board_->batch.load(), 0);
  publish(0, 0);
  publish(0, 1);
  publish(1, 0);
  board_->slots[0].batch_done.store(0);
  turn();
  EXPECT_EQ(done(), nullptr);
  board_->slots[1].batch_done.store(0);
  turn();
  ASSERT_NE(done(), nullptr);
  EXPECT_EQ(done()->rounds_done(), 1);
  EXPECT_FALSE(done()->broken());
  EXPECT_FALSE(read_text(batch_name(name_, 0)));  // the text is gone
}

TEST_F(LeaderTest, a_dead_rank_is_told_at_once_its_held_samples_are_saved_and_the_batch_is_broken) {
  ready_world();
  send_batch(0);
  turn();
  FlowSample f;
  f.target = 1;
  BoardReport(*board_, board_->slots[1], [] { return false; }).hold(0, {f}, CounterSample{});
  processes_.dead.insert(101);
  link_.sent.clear();
  turn();
  ASSERT_NE(beat(), nullptr);
  EXPECT_FALSE(beat()->ranks(1).alive());
  EXPECT_EQ(beat()->ranks(1).exit_signal(), SIGKILL);
  EXPECT_TRUE(beat()->ranks(0).alive());
  EXPECT_TRUE(board_->abandon.load());
  EXPECT_EQ(done(), nullptr);  // the survivor is still in its round
  publish(0, 0);
  board_->slots[0].broken.store(true);
  board_->slots[0].batch_done.store(0);
  turn();
  ASSERT_EQ(frames().size(), 1U);
  EXPECT_EQ(frames()[0].flows.size(), 2U);
  ASSERT_NE(done(), nullptr);
  EXPECT_TRUE(done()->broken());
}

TEST_F(LeaderTest, samples_already_published_are_not_taken_twice_from_a_dead_rank) {
  ready_world();
  send_batch(0);
  turn();
  publish(1, 0);
  board_->slots[1].held.ordinal.store(0);  // died between the two
  processes_.dead.insert(101);
  publish(0, 0);
  board_->slots[0].batch_done.store(0);
  turn();
  ASSERT_EQ(frames().size(), 1U);
  EXPECT_EQ(frames()[0].flows.size(), 2U);
}

TEST_F(LeaderTest, a_stopped_rank_is_shown_as_stopped_and_past_its_deadline_does_not_hold_the_batch) {
  ready_world();
  send_batch(0);
  turn();
  board_->slots[1].give_up_ns.store((clock_.now() + Nanos::s(2)).count());
  processes_.stopped.insert(101);
  board_->slots[0].batch_done.store(0);
  turn(Nanos::ms(300));
  EXPECT_EQ(beat()->ranks(1).process_state(), "T");
  EXPECT_TRUE(beat()->ranks(1).alive());
  EXPECT_FALSE(beat()->ranks(1).overdue());
  EXPECT_EQ(done(), nullptr);
  turn(Nanos::s(4));
  ASSERT_NE(done(), nullptr);
  EXPECT_TRUE(done()->broken());
  EXPECT_TRUE(beat()->ranks(1).overdue());
  EXPECT_FALSE(beat()->ranks(0).overdue());
}

TEST_F(LeaderTest, a_healthy_quiet_world_is_neither_broken_nor_abandoned) {
  ready_world();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(turn(Nanos::ms(100)));
  EXPECT_FALSE(board_->abandon.load());
  EXPECT_EQ(done(), nullptr);
  EXPECT_TRUE(processes_.signals.empty());
}

TEST_F(LeaderTest, heartbeats_come_every_200_ms_and_not_with_every_turn) {
  ready_world();
  for (int i = 0; i < 100; ++i) turn(Nanos::ms(20));
  EXPECT_EQ(link_.sent.size(), 10U);
}

TEST_F(LeaderTest, stop_and_finish_reach_the_board_and_a_new_batch_takes_stop_back) {
  ready_world();
  wire::ToNode stop, finish;
  stop.mutable_stop()->set_reason("time is up");
  finish.mutable_finish();
  link_.incoming.push_back(stop);
  turn();
  EXPECT_EQ(board_->command.load(), static_cast<int>(Command::stop));
  send_batch(4);
  turn();
  EXPECT_EQ(board_->command.load(), static_cast<int>(Command::none));
  link_.incoming.push_back(finish);
  turn();
  EXPECT_EQ(board_->command.load(), static_cast<int>(Command::finish));
}

TEST_F(LeaderTest, a_second_batch_before_the_first_is_done_is_not_obeyed) {
  ready_world();
  send_batch(0);
  send_batch(1);
  turn();
  EXPECT_EQ(board_->batch.load(), 0);
}

TEST_F(LeaderTest, kill_signals_local_ranks_with_the_ladders_signals_only) {
  ready_world();
  wire::ToNode kill;
  kill.mutable_kill()->set_signal(SIGSTOP);
  link_.incoming.push_back(kill);
  turn();
  EXPECT_TRUE(processes_.signals.empty());
  kill.mutable_kill()->set_signal(SIGTERM);
  link_.incoming.push_back(kill);
  turn();
  EXPECT_EQ(processes_.signals.size(), 2U);
}

TEST_F(LeaderTest, ranks_that_do_not_finish_are_killed_and_then_the_leader_ends) {
  ready_world();
  wire::ToNode finish;
  finish.mutable_finish();
  link_.incoming.push_back(finish);
  EXPECT_TRUE(turn());
  EXPECT_TRUE(turn(Nanos::s(5)));
  EXPECT_TRUE(processes_.signals.empty());
  turn(Nanos::s(2));
  EXPECT_EQ(processes_.signals.size(), 2U);
  EXPECT_FALSE(turn());
}

TEST_F(LeaderTest, a_lost_orchestrator_means_term_then_kill_then_the_end) {
  ready_world();
  link_.closed = true;
  EXPECT_TRUE(turn());
  ASSERT_GE(processes_.signals.size(), 2U);
  EXPECT_EQ(processes_.signals[0].second, SIGTERM);
  turn(Nanos::ms(1100));
  EXPECT_EQ(processes_.signals.back().second, SIGKILL);
  EXPECT_FALSE(turn());
}

TEST_F(LeaderTest, a_full_ring_is_told_as_lost_samples) {
  ready_world();
  for (int i = 0; i < 70; ++i) publish(0, i);
  turn(Nanos::s(1));
  turn(Nanos::s(1));
  std::size_t notes = 0;
  for (const SampleSet& s : frames()) notes += s.events.size();
  EXPECT_EQ(notes, 1U);
}

}  // namespace
}  // namespace railgauge
