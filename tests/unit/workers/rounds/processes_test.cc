#include "workers/rounds/processes.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace railgauge {
namespace {

std::string stat_line(const std::string& state, int start, int exit_code) {
  std::string line = "42 (a) b (c) " + state;
  for (int field = 4; field <= 52; ++field)
    line += " " + std::to_string(field == 22 ? start : field == 52 ? exit_code : 0);
  return line;
}

TEST(Processes, a_name_with_brackets_does_not_confuse_the_fields) {
  const ProcessLook look = parse_stat(stat_line("S", 777, 0));
  EXPECT_TRUE(look.alive);
  EXPECT_EQ(look.letter, 'S');
  EXPECT_EQ(look.start_ticks, 777U);
}

TEST(Processes, a_zombie_is_dead_and_names_its_signal) {
  const ProcessLook look = parse_stat(stat_line("Z", 1, 9));
  EXPECT_FALSE(look.alive);
  EXPECT_EQ(look.exit_signal, 9);
  EXPECT_FALSE(parse_stat(stat_line("Z", 1, 256)).exit_signal);
}

TEST(Processes, stopped_is_alive) {
  EXPECT_TRUE(parse_stat(stat_line("T", 1, 0)).alive);
  EXPECT_EQ(parse_stat(stat_line("T", 1, 0)).letter, 'T');
}

TEST(Processes, what_is_not_a_stat_line_is_dead) {
  EXPECT_FALSE(parse_stat("").alive);
  EXPECT_FALSE(parse_stat("42 (x)").alive);
  EXPECT_FALSE(parse_stat("nonsense").alive);
}

TEST(Processes, a_reused_pid_is_not_the_process_that_was_meant) {
  SystemProcesses processes;
  const ProcessLook me = processes.look(getpid(), 0);
  EXPECT_TRUE(me.alive);
  EXPECT_TRUE(processes.look(getpid(), me.start_ticks).alive);
  EXPECT_FALSE(processes.look(getpid(), me.start_ticks + 1).alive);
  EXPECT_FALSE(processes.signal(getpid(), me.start_ticks + 1, 9));
  EXPECT_FALSE(processes.look(0, 0).alive);
}

}  // namespace
}  // namespace railgauge
