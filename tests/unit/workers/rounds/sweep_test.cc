#include "workers/rounds/sweep.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include <fmt/format.h>

namespace railgauge {
namespace {

// A sleeping child with this variable in its environment.
class Sleeper {
 public:
  explicit Sleeper(std::string variable) {
    char name[] = "sleep", time[] = "60";
    char* argv[] = {name, time, nullptr};
    char* environment[] = {variable.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, "/bin/sleep", nullptr, nullptr, argv, environment), 0);
    // The new environment is there once the child has become `sleep`.
    for (int i = 0; i < 2000 && comm() != "sleep"; ++i) usleep(1000);
  }
  ~Sleeper() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  bool alive() const { return SystemProcesses().look(pid_, 0).alive; }

 private:
  std::string comm() const {
    std::ifstream in(fmt::format("/proc/{}/comm", pid_));
    std::string text;
    std::getline(in, text);
    return text;
  }
  pid_t pid_ = -1;
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
  const Sleeper ours("RAILGAUGE_RUN_ID=" + run_), other("RAILGAUGE_RUN_ID=" + run_ + "9"), none("HOME=/");
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
  const Sleeper ours("RAILGAUGE_RUN_ID=" + run_);
  const Swept swept = sweep(run_, immortal, Nanos::ms(20), roots_);
  EXPECT_EQ(swept.ended, 0);
  ASSERT_EQ(swept.stuck.size(), 1U);
  EXPECT_NE(swept.stuck[0].find("sleep (state S)"), std::string::npos) << swept.stuck[0];
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
