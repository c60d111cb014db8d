#include "workers/rounds/sweep.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include <fmt/format.h>

namespace railgauge {
namespace {

// A child with this variable in its environment, waiting for input.
class Waiter {
 public:
  explicit Waiter(std::string variable) {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, pair[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, pair[1], STDOUT_FILENO);
    char name[] = "cat";
    char* argv[] = {name, nullptr};
    char* environment[] = {variable.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, "/bin/cat", &files, nullptr, argv, environment), 0);
    posix_spawn_file_actions_destroy(&files);
    close(pair[1]);
    socket_ = pair[0];
    // What it echoes it echoes as the new program: its environment is there.
    char byte = 'x';
    EXPECT_EQ(write(socket_, &byte, 1), 1);
    EXPECT_EQ(read(socket_, &byte, 1), 1);
  }
  ~Waiter() {
    close(socket_);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  bool alive() const { return SystemProcesses().look(pid_, 0).alive; }

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
};

class SweepTest : public testing::Test {
 protected:
  SweepTest() {
    std::string folder = testing::TempDir() + "sweep-XXXXXX";
    roots_.shared = mkdtemp(folder.data());
  }
  ~SweepTest() override { std::filesystem::remove_all(roots_.shared); }
  void touch(const std::string& name) const { std::ofstream(roots_.shared / name) << "x"; }

  const std::string run_ = fmt::format("20261201T000000Z-{}", getpid());
  SweepRoots roots_;
  SystemProcesses processes_;
};

TEST_F(SweepTest, ends_the_processes_of_the_run_and_no_others) {
  const Waiter ours("RAILGAUGE_RUN_ID=" + run_), other("RAILGAUGE_RUN_ID=" + run_ + "9"), none("HOME=/");
  const Swept swept = sweep(run_, processes_, Nanos::s(5), roots_);
  EXPECT_EQ(swept.ended, 1);
  EXPECT_TRUE(swept.stuck.empty());
  EXPECT_FALSE(ours.alive());
  EXPECT_TRUE(other.alive());
  EXPECT_TRUE(none.alive());
}

TEST_F(SweepTest, removes_the_shared_memory_of_the_run_and_no_other) {
  touch("railgauge-" + run_ + "-1-h1");
  touch("railgauge-" + run_ + "-1-h1.spec");
  touch("railgauge-" + run_ + "9-1-h1");
  EXPECT_EQ(sweep(run_, processes_, Nanos::ms(1), roots_).objects, 2);
  EXPECT_TRUE(std::filesystem::exists(roots_.shared / ("railgauge-" + run_ + "9-1-h1")));
}

TEST_F(SweepTest, a_process_that_survives_is_named_with_its_state) {
  class Immortal : public SystemProcesses {
   public:
    bool signal(std::int64_t, std::uint64_t, int) override { return true; }
  } immortal;
  const Waiter ours("RAILGAUGE_RUN_ID=" + run_);
  const Swept swept = sweep(run_, immortal, Nanos::ms(20), roots_);
  EXPECT_EQ(swept.ended, 0);
  ASSERT_EQ(swept.stuck.size(), 1U);
  EXPECT_NE(swept.stuck[0].find("cat (state S)"), std::string::npos) << swept.stuck[0];
}

TEST_F(SweepTest, a_text_that_is_no_run_id_sweeps_nothing) {
  touch("railgauge--1");
  for (const char* text : {"", "../x", "a b", "*"}) {
    EXPECT_FALSE(is_run_id(text));
    EXPECT_EQ(sweep(text, processes_, Nanos::ms(1), roots_).objects, 0);
  }
}

}  // namespace
}  // namespace railgauge
