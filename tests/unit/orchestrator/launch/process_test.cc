#include "orchestrator/launch/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace railgauge {
namespace {

using testing::HasSubstr;

constexpr Nanos kLong = Nanos::s(60);

Command command(std::vector<std::string> argv) {
  Command c;
  c.argv = std::move(argv);
  return c;
}

TEST(Process, arguments_arrive_as_they_are_and_no_shell_sees_them) {
  const auto done = run_process(command({"printf", "%s|", "a b", "$HOME", ";", "'"}), kLong);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(done->output, "a b|$HOME|;|'|");
  EXPECT_TRUE(done->exit.ok());
}

TEST(Process, stdin_text_larger_than_a_pipe_comes_back_whole) {
  Command c = command({"cat"});
  c.stdin_text = std::string(200000, 'x') + "end";
  const auto done = run_process(c, kLong);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->output, c.stdin_text);
}

TEST(Process, without_text_stdin_is_at_its_end) {
  const auto done = run_process(command({"cat"}), kLong);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->output, "");
}

TEST(Process, capture_is_bounded_and_keeps_the_end) {
  Command c = command({"cat"});
  c.stdin_text = std::string(100000, 'x') + "the end";
  ProcessOptions options;
  options.capture_bytes = 1000;
  const auto done = run_process(c, kLong, options);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->output.size(), 1000U);
  EXPECT_TRUE(done->output.ends_with("xthe end"));
}

TEST(Process, environment_is_added_and_replaces) {
  ::setenv("RAILGAUGE_A", "old", 1);
  ::setenv("RAILGAUGE_B", "kept", 1);
  Command c = command({"printenv", "RAILGAUGE_A", "RAILGAUGE_B"});
  c.environment = {{"RAILGAUGE_A", "new"}};
  const auto done = run_process(c, kLong);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->output, "new\nkept\n");
}

TEST(Process, exit_code_and_last_line_of_stderr_are_told) {
  const auto done = run_checked(command({"ls", "/no/such/file"}), kLong);
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(done.error().message, HasSubstr("ls: exit code 2: "));
  EXPECT_THAT(done.error().message, HasSubstr("/no/such/file"));
}

TEST(Process, missing_program_is_an_environment_error_that_names_it) {
  const auto done = run_process(command({"no-such-program-here"}), kLong);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().kind, ErrorKind::environment);
  EXPECT_THAT(done.error().message, HasSubstr("no-such-program-here: cannot start: No such file"));
}

TEST(Process, deadline_leaves_it_running_and_stop_tells_the_signal) {
  auto p = Process::start(command({"sleep", "600"}));
  ASSERT_TRUE(p.has_value());
  const auto waited = p->wait(Nanos::ms(1));
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().kind, ErrorKind::deadline);
  const auto stopped = p->stop(kLong);
  ASSERT_TRUE(stopped.has_value());
  EXPECT_EQ(*stopped, (Exit{128 + SIGTERM, SIGTERM}));
  EXPECT_EQ(to_text(*stopped), "signal 15 (Terminated)");
}

TEST(Process, stop_ends_the_grandchildren_too) {
  Command c = command({"/bin/sh", "-c", "trap '' TERM; sleep 600 & echo $!; wait"});
  auto p = Process::start(c);
  ASSERT_TRUE(p.has_value());
  while (p->output().find('\n') == std::string::npos) ASSERT_FALSE(p->wait(Nanos::ms(10)).has_value());
  const auto grandchild = static_cast<pid_t>(std::stol(p->output()));
  EXPECT_EQ(::getsid(grandchild), p->pid());
  const auto stopped = p->stop(Nanos());
  ASSERT_TRUE(stopped.has_value());
  EXPECT_EQ(stopped->signal, SIGKILL);
  // Dead: not there, or waiting for its new parent to reap it; either way no longer able to hold the pipe
  // open.
  while (p->stdout_fd() >= 0) p->pump();
  EXPECT_EQ(p->stdout_fd(), -1);
}

TEST(Process, private_folder_has_the_files_is_named_in_arguments_and_goes_with_the_process) {
  Command c = command({"cat", "@DIR@/app"});
  c.files = {{"app", "-np 4"}};
  c.scratch = testing::TempDir();
  std::string folder;
  {
    auto p = Process::start(c);
    ASSERT_TRUE(p.has_value());
    folder = p->folder();
    ASSERT_TRUE(p->wait(kLong).has_value());
    EXPECT_EQ(p->output(), "-np 4");
    EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(folder.empty());
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Process, command_without_files_makes_no_folder) {
  const auto p = Process::start(command({"true"}));
  ASSERT_TRUE(p.has_value());
  EXPECT_EQ(p->folder(), "");
}

TEST(Process, output_file_takes_what_was_written) {
  ProcessOptions options;
  options.stdout_file = testing::TempDir() + "process_test_output";
  std::filesystem::remove(options.stdout_file);
  Command c = command({"printf", "12345"});
  const auto done = run_process(c, kLong, options);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->output, "");
  EXPECT_EQ(std::filesystem::file_size(options.stdout_file), 5U);
  std::filesystem::remove(options.stdout_file);
}

}  // namespace
}  // namespace railgauge
