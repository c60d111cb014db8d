#include "orchestrator/run_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class RunDirectoryTest : public testing::Test {
 protected:
  RunDirectoryTest() {
    std::string name = (fs::temp_directory_path() / "rg-run-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~RunDirectoryTest() override { fs::remove_all(root_); }
  void touch(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "x";
  }
  void make_run(const fs::path& dir) {
    for (const char* name : {"plan.json", "schedule.json", "samples.rg"}) touch(dir / name);
  }
  fs::path root_;
};

TEST_F(RunDirectoryTest, a_new_folder_and_an_empty_one_are_taken) {
  EXPECT_FALSE(choose_run_directory(root_ / "new", OutMode::fresh)->resumed);
  EXPECT_TRUE(choose_run_directory(root_, OutMode::fresh).has_value());
  EXPECT_FALSE(fs::exists(root_ / "new"));
}

TEST_F(RunDirectoryTest, an_existing_run_is_not_touched_without_resume) {
  make_run(root_ / "run");
  const auto result = choose_run_directory(root_ / "run", OutMode::fresh);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::input);
  EXPECT_NE(result.error().message.find("nothing was touched"), std::string::npos);
}

TEST_F(RunDirectoryTest, resume_needs_a_run_and_resume_or_new_takes_both) {
  make_run(root_ / "run");
  EXPECT_TRUE(choose_run_directory(root_ / "run", OutMode::resume)->resumed);
  EXPECT_TRUE(choose_run_directory(root_ / "run", OutMode::resume_or_new)->resumed);
  EXPECT_FALSE(choose_run_directory(root_ / "none", OutMode::resume));
  EXPECT_FALSE(choose_run_directory(root_ / "none", OutMode::resume_or_new)->resumed);
}

TEST_F(RunDirectoryTest, a_start_that_measured_nothing_is_gone_on_with_by_its_plan) {
  touch(root_ / "run" / "plan.json");
  EXPECT_FALSE(choose_run_directory(root_ / "run", OutMode::fresh));
  for (const OutMode mode : {OutMode::resume, OutMode::resume_or_new}) {
    const auto directory = choose_run_directory(root_ / "run", mode);
    ASSERT_TRUE(directory);
    EXPECT_TRUE(directory->begun);
    EXPECT_FALSE(directory->resumed);
  }
}

TEST_F(RunDirectoryTest, a_folder_of_something_else_is_never_resumed) {
  touch(root_ / "home" / "thesis.tex");
  for (const OutMode mode : {OutMode::fresh, OutMode::resume, OutMode::resume_or_new}) {
    EXPECT_FALSE(choose_run_directory(root_ / "home", mode));
  }
}

TEST_F(RunDirectoryTest, a_file_and_a_missing_parent_are_named) {
  touch(root_ / "file");
  EXPECT_NE(choose_run_directory(root_ / "file", OutMode::fresh).error().message.find("is a file"),
            std::string::npos);
  EXPECT_NE(choose_run_directory(root_ / "a" / "b", OutMode::fresh).error().message.find("does not exist"),
            std::string::npos);
}

TEST_F(RunDirectoryTest, a_whole_file_reads_back_and_leaves_no_part_behind) {
  ASSERT_TRUE(write_whole(root_ / "a.json", "{}\n"));
  EXPECT_EQ(*read_whole(root_ / "a.json"), "{}\n");
  EXPECT_FALSE(fs::exists(root_ / "a.json.part"));
  EXPECT_FALSE(read_whole(root_ / "b.json"));
  const auto full = write_whole("/dev/full/a.json", "x");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind, ErrorKind::environment);
}

}  // namespace
}  // namespace railgauge
