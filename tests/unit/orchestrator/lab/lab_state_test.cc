#include "orchestrator/lab/lab_state.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace railgauge {
namespace {

class LabStatesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "lab_state_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  LabState state(const std::string& name, bool alive) const {
    LabState s;
    s.pid = ::getpid();
    s.start_ticks = start_ticks_of(::getpid()).value() - (alive ? 0 : 1);
    s.spec = parse_lab_spec("2x2").value();
    s.spec.name = name;
    return s;
  }
  std::string folder_;
};

TEST_F(LabStatesTest, written_state_of_a_living_holder_is_found) {
  const auto states = LabStates::lock(folder_);
  ASSERT_TRUE(states.has_value());
  ASSERT_TRUE(states->write(state("a", true)).has_value());
  ASSERT_TRUE(states->find("a").has_value());
  EXPECT_FALSE(states->find("b").has_value());
}

TEST_F(LabStatesTest, another_process_with_the_holders_number_is_not_the_lab) {
  const auto states = LabStates::lock(folder_);
  ASSERT_TRUE(states->write(state("a", false)).has_value());
  EXPECT_FALSE(states->find("a").has_value());
  EXPECT_EQ(states->remove_dead(), std::vector<std::string>{"a"});
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(LabStatesTest, a_file_that_is_not_ours_is_no_lab_and_stays) {
  const auto states = LabStates::lock(folder_);
  std::ofstream(folder_ + "/a.json") << "{\"pid\": 1, \"sta";
  EXPECT_TRUE(states->living().empty());
  EXPECT_TRUE(states->remove_dead().empty());
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/a.json"));
}

TEST_F(LabStatesTest, an_empty_folder_goes_and_a_used_one_stays) {
  {
    const auto states = LabStates::lock(folder_);
    ASSERT_TRUE(states->write(state("a", true)).has_value());
  }
  EXPECT_TRUE(std::filesystem::exists(folder_));
  {
    const auto states = LabStates::lock(folder_);
    states->remove("a");
  }
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST(StartTicks, name_with_brackets_and_spaces_does_not_shift_the_field) {
  const std::string tail = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 99";
  EXPECT_EQ(start_ticks_of("7 (a) b (c))" + tail), 4242);
  EXPECT_EQ(start_ticks_of("7 (x)" + tail), 4242);
}

TEST(StartTicks, dead_or_unreadable_is_nothing) {
  EXPECT_FALSE(start_ticks_of("7 (x) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 99").has_value());
  EXPECT_FALSE(start_ticks_of("").has_value());
  EXPECT_FALSE(start_ticks_of("7 (x) S 1 2").has_value());
}

}  // namespace
}  // namespace railgauge
