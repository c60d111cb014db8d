// railgauge-rank as real processes under mpirun, against a real control server, with the fake engine: two
// "nodes" on this host.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>

#include "fabric/cases/schedule.h"
#include "orchestrator/control/control_server.h"
#include "proto/control.pb.h"
#include "proto/json.h"
#include "proto/sample_file.h"
#include "proto/step.h"
#include "proto/version.h"

namespace railgauge {
namespace {

constexpr Nanos kPatience = Nanos::s(40);  // a bound for a hung test, not a claim

// mpirun by argument vector; killed with its process group when the test ends.
class Mpirun {
 public:
  Mpirun(const std::string& control, const std::string& run_id,
         const std::vector<std::pair<std::string, int>>& nodes) {
    std::vector<std::string> words = {"mpirun",
                                      "--oversubscribe",
                                      "--bind-to",
                                      "none",
                                      "--enable-recovery",
                                      "--mca",
                                      "pml",
                                      "ob1",
                                      "--mca",
                                      "btl",
                                      "self,tcp",
                                      "--mca",
                                      "btl_tcp_if_include",
                                      "lo",
                                      "--mca",
                                      "mpi_yield_when_idle",
                                      "1",
                                      "--mca",
                                      "orte_abort_on_non_zero_status",
                                      "0"};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i > 0) words.emplace_back(":");
      words.insert(words.end(),
                   {"-n", std::to_string(nodes[i].second), RG_RANK_PROGRAM, "--node", nodes[i].first});
    }
    start(words, control, run_id);
  }
  // Without mpirun: every process is a world of its own.
  Mpirun(const std::string& control, const std::string& run_id, const std::string& node) {
    start({RG_RANK_PROGRAM, "--node", node}, control, run_id);
  }
  ~Mpirun() {
    if (pid_ > 0) {
      kill(-pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  void start(std::vector<std::string> words, const std::string& control, const std::string& run_id) {
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("RAILGAUGE_CONTROL", control.c_str(), 1);
    setenv("RAILGAUGE_TOKEN", "token of the test", 1);
    setenv("RAILGAUGE_RUN_ID", run_id.c_str(), 1);
    setenv("RAILGAUGE_LAUNCH", "3", 1);
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    ASSERT_EQ(posix_spawnp(&pid_, argv[0], nullptr, &attributes, argv.data(), environ), 0);
    posix_spawnattr_destroy(&attributes);
  }
  pid_t pid_ = -1;
};

class RankProgram : public testing::Test {
 protected:
  void SetUp() override {
    run_id_ = "test-" + std::to_string(getpid());
    ControlOptions options;
    options.token = "token of the test";
    options.build_id = build_id();
    options.bind_address = "127.0.0.1";
    options.nodes = {"a", "b"};
    auto server = ControlServer::listen(options);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    address_ = "127.0.0.1:" + std::to_string(server_->port());
    for (int i = 0; i < 4; ++i) {
      Endpoint e;
      e.node = i < 2 ? "a" : "b";
      e.device = "lo";
      e.interface = "lo";
      e.rail = i % 2;
      e.subnet = "subnet" + std::to_string(i % 2);
      schedule_.endpoints.push_back(e);
    }
  }
  // Nothing may be left behind, whatever happened. Leaders need a moment to leave after the ranks.
  void TearDown() override {
    server_.reset();
    for (int i = 0; i < 400 && left_behind(); ++i) usleep(10'000);
    EXPECT_FALSE(left_behind());
  }
  bool left_behind() const {
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      if (entry.path().filename().string().starts_with("railgauge-" + run_id_)) return true;
    }
    return false;
  }
  std::string spec() const {
    LaunchSpec s;
    s.run_id = run_id_;
    s.launch = 3;
    s.engine = "fake";
    s.setup_deadline_ns = Nanos::s(20).count();
    s.living = {0, 1, 2, 3};
    s.environment_names = {"RAILGAUGE_LAUNCH", "UCX_"};
    s.schedule_json = to_json(schedule_, 0);
    return to_json(s, 0);
  }
  // Takes messages until `enough` or patience runs out; welcomes leaders on the way.
  template <class Enough>
  bool until(Enough enough) {
    const Nanos step = Nanos::ms(100);
    for (Nanos waited; waited < kPatience; waited = waited + step) {
      if (enough()) return true;
      for (auto m = server_->wait(step); m; m = server_->wait(Nanos())) take(*m);
    }
    return enough();
  }
  void take(const ControlMessage& m) {
    if (m.kind == ControlMessage::Kind::connected) {
      connections_[m.node] = m.connection;
      EXPECT_EQ(m.launch, 3);
      wire::ToNode out;
      out.mutable_welcome()->set_launch_spec_json(spec());
      server_->send(m.connection, out);
    } else if (m.kind == ControlMessage::Kind::message) {
      if (m.message->has_ranks_ready()) {
        for (const auto& r : m.message->ranks_ready().ranks()) ready_.push_back(r);
        ++ready_nodes_;
      }
      if (m.message->has_batch_done()) done_[m.node] = m.message->batch_done();
      if (m.message->has_heartbeat()) {
        for (const auto& r : m.message->heartbeat().ranks()) states_[r.endpoint()] = r;
      }
      if (m.message->has_sample_frame()) {
        auto frames = parse_frames(m.message->sample_frame().frame());
        ASSERT_TRUE(frames) << frames.error().message;
        flows_.insert(flows_.end(), frames->flows.begin(), frames->flows.end());
        counters_.insert(counters_.end(), frames->counters.begin(), frames->counters.end());
      }
    } else if (m.kind == ControlMessage::Kind::closed) {
      ++closed_;
    } else {
      ADD_FAILURE() << "refused: " << m.text;
    }
  }
  void send_all(const wire::ToNode& message) {
    for (const auto& [node, connection] : connections_) server_->send(connection, message);
  }
  void send_batch(int number, int rounds, Nanos duration) {
    std::vector<Round> list;
    for (int i = 0; i < rounds; ++i) {
      Round r;
      r.id = number * 100 + i;
      r.case_id = "p2p.rail.write_bw";
      r.size_bytes = 4096;
      r.duration_ns = duration.count();
      r.fresh = i == 1;
      r.rule.kind = RuleKind::circle;
      r.rule.direction = FlowDirection::forward;
      list.push_back(r);
    }
    done_.clear();
    wire::ToNode out;
    out.mutable_batch()->set_number(number);
    out.mutable_batch()->set_rounds_json(to_json(list, 0));
    send_all(out);
  }
  void finish() {
    wire::ToNode out;
    out.mutable_finish();
    send_all(out);
  }
  bool ready() {
    return until([&] { return ready_nodes_ >= 2; });
  }
  bool batch_done() {
    return until([&] { return done_.size() >= 2; });
  }

  std::string run_id_, address_;
  Schedule schedule_;
  std::unique_ptr<ControlServer> server_;
  std::map<std::string, ConnectionId> connections_;
  std::vector<wire::RankSelf> ready_;
  int ready_nodes_ = 0, closed_ = 0;
  std::map<std::string, wire::BatchDone> done_;
  std::map<int, wire::RankState> states_;
  std::vector<FlowSample> flows_;
  std::vector<CounterSample> counters_;
};

TEST_F(RankProgram, two_batches_give_both_sides_of_every_flow_and_a_clean_end) {
  Mpirun job(address_, run_id_, {{"a", 2}, {"b", 2}});
  ASSERT_TRUE(ready());
  ASSERT_EQ(ready_.size(), 4U);
  std::set<int> endpoints, ranks;
  for (const auto& r : ready_) {
    EXPECT_EQ(r.error(), "");
    EXPECT_EQ(r.world_size(), 4);
    EXPECT_NE(r.environment().find("RAILGAUGE_LAUNCH=3\n"), std::string::npos);
    EXPECT_EQ(r.environment_hash(), ready_[0].environment_hash());
    EXPECT_EQ(r.engine_facts(0), "transport=fake");
    endpoints.insert(r.endpoint());
    ranks.insert(r.rank());
  }
  EXPECT_EQ(endpoints.size(), 4U);
  EXPECT_EQ(ranks.size(), 4U);
  for (int batch = 0; batch < 2; ++batch) {
    send_batch(batch, 3, Nanos::ms(100));
    ASSERT_TRUE(batch_done());
    for (const auto& [node, done] : done_) {
      EXPECT_EQ(done.rounds_done(), 3) << node;
      EXPECT_FALSE(done.broken()) << node;
    }
  }
  // 2 batches x 3 rounds x 2 rails x 2 sides; a counter of every endpoint in every round.
  EXPECT_EQ(flows_.size(), 24U);
  EXPECT_EQ(counters_.size(), 24U);
  for (const FlowSample& f : flows_) {
    EXPECT_EQ(f.status, FlowStatus::ok) << f.error;
    EXPECT_GT(f.interval_ns, 0);
    if (f.side == Side::receive) {
      EXPECT_NEAR(f.goodput_bits_per_second, 4096 * 8e3, 4096 * 8e1);
    }
  }
  finish();
  EXPECT_EQ(job.wait(), 0);
  EXPECT_TRUE(until([&] { return closed_ == 2; }));
}

TEST_F(RankProgram, a_killed_rank_is_named_and_costs_only_its_own_samples) {
  Mpirun job(address_, run_id_, {{"a", 2}, {"b", 2}});
  ASSERT_TRUE(ready());
  send_batch(0, 1, Nanos::s(2));
  ASSERT_TRUE(until([&] { return states_[3].round() == 0 && states_[3].phase() == 6; }));
  for (const auto& r : ready_) {
    if (r.endpoint() == 3) kill(static_cast<pid_t>(r.pid()), SIGKILL);
  }
  ASSERT_TRUE(batch_done());
  EXPECT_TRUE(done_["b"].broken());
  EXPECT_TRUE(until([&] { return !states_[3].alive(); }));
  std::set<std::pair<int, Side>> have;
  for (const FlowSample& f : flows_) have.insert({f.side == Side::send ? f.source : f.target, f.side});
  EXPECT_TRUE(have.contains({0, Side::send}) || have.contains({0, Side::receive}));
  EXPECT_TRUE(have.contains({1, Side::send}) || have.contains({1, Side::receive}));
  EXPECT_TRUE(have.contains({2, Side::send}) || have.contains({2, Side::receive}));
  finish();
}

TEST_F(RankProgram, a_stopped_rank_is_seen_stopped_and_the_batch_still_ends) {
  Mpirun job(address_, run_id_, {{"a", 2}, {"b", 2}});
  ASSERT_TRUE(ready());
  send_batch(0, 20, Nanos::ms(200));
  ASSERT_TRUE(until([&] { return states_[2].phase() == 6; }));
  for (const auto& r : ready_) {
    if (r.endpoint() == 2) kill(static_cast<pid_t>(r.pid()), SIGSTOP);
  }
  EXPECT_TRUE(until([&] { return states_[2].process_state() == "T"; }));
  ASSERT_TRUE(batch_done());
  EXPECT_TRUE(done_["a"].broken());
  EXPECT_TRUE(done_["b"].broken());
  wire::ToNode out;
  out.mutable_kill()->set_signal(SIGKILL);
  send_all(out);
  EXPECT_TRUE(until([&] { return closed_ == 2; }));
}

TEST_F(RankProgram, stop_ends_all_nodes_after_the_same_round) {
  Mpirun job(address_, run_id_, {{"a", 2}, {"b", 2}});
  ASSERT_TRUE(ready());
  send_batch(0, 100, Nanos::ms(100));
  ASSERT_TRUE(until([&] { return states_[0].round() >= 2; }));
  wire::ToNode out;
  out.mutable_stop()->set_reason("test");
  send_all(out);
  ASSERT_TRUE(batch_done());
  EXPECT_FALSE(done_["a"].broken());
  EXPECT_LT(done_["a"].rounds_done(), 100);
  EXPECT_EQ(done_["a"].rounds_done(), done_["b"].rounds_done());
  send_batch(1, 1, Nanos::ms(50));
  ASSERT_TRUE(batch_done());
  EXPECT_EQ(done_["b"].rounds_done(), 1);
  finish();
  EXPECT_EQ(job.wait(), 0);
}

TEST_F(RankProgram, an_engine_that_does_not_open_is_named_and_hangs_nobody) {
  schedule_.endpoints[1].device = "missing0";
  Mpirun job(address_, run_id_, {{"a", 2}, {"b", 2}});
  ASSERT_TRUE(ready());
  int wrong = 0;
  for (const auto& r : ready_) {
    if (!r.has_error()) continue;
    ++wrong;
    EXPECT_EQ(r.endpoint(), 1);
    EXPECT_EQ(r.error(), "missing0: no such device");
  }
  EXPECT_EQ(wrong, 1);
  send_batch(0, 1, Nanos::ms(50));
  ASSERT_TRUE(batch_done());
  int refused = 0;
  for (const FlowSample& f : flows_) refused += f.status == FlowStatus::not_started ? 1 : 0;
  EXPECT_EQ(refused, 2);
  EXPECT_EQ(flows_.size(), 4U);
  finish();
}

TEST_F(RankProgram, singletons_show_as_worlds_of_one) {
  Mpirun one(address_, run_id_, std::string("a")), two(address_, run_id_, std::string("a"));
  Mpirun three(address_, run_id_, std::string("b")), four(address_, run_id_, std::string("b"));
  ASSERT_TRUE(ready());
  ASSERT_EQ(ready_.size(), 4U);
  for (const auto& r : ready_) {
    EXPECT_EQ(r.rank(), 0);
    EXPECT_EQ(r.world_size(), 1);
    EXPECT_EQ(r.error(), "MPI world of 1 ranks, 4 expected");
  }
  finish();
}

TEST_F(RankProgram, a_lost_orchestrator_ends_everything) {
  Mpirun job(address_, run_id_, {{"a", 2}, {"b", 2}});
  ASSERT_TRUE(ready());
  server_.reset();
  job.wait();  // returns: that is the claim
}

TEST_F(RankProgram, a_refused_leader_ends_its_ranks_with_2_and_the_reason) {
  server_.reset();
  ControlOptions options;
  options.token = "another token";
  options.build_id = build_id();
  options.bind_address = "127.0.0.1";
  options.nodes = {"a"};
  auto server = ControlServer::listen(options);
  ASSERT_TRUE(server);
  server_ = std::move(*server);
  Mpirun job("127.0.0.1:" + std::to_string(server_->port()), run_id_, std::string("a"));
  bool refused = false;
  for (int i = 0; i < 100 && !refused; ++i) {
    auto m = server_->wait(Nanos::ms(100));
    refused = m && m->kind == ControlMessage::Kind::refused;
  }
  EXPECT_TRUE(refused);
  for (int i = 0; i < 10; ++i) static_cast<void>(server_->wait(Nanos::ms(50)));
  EXPECT_EQ(job.wait(), 2);
}

}  // namespace
}  // namespace railgauge
