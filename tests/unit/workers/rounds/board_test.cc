#include "workers/rounds/board.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace railgauge {
namespace {

class BoardTest : public testing::Test {
 protected:
  ~BoardTest() override {
    remove_shared(name_);
    remove_shared(spec_name(name_));
  }
  const std::string name_ = board_name("board-test-" + std::to_string(getpid()), 1, "n/1 x");
};

TEST_F(BoardTest, names_hold_nothing_that_shared_memory_refuses) {
  EXPECT_EQ(board_name("run", 2, "a/b c"), "/railgauge-run-2-a_b_c");
  EXPECT_LE(
      batch_name(board_name(std::string(500, 'r'), 2147483647, std::string(500, 'n')), 2147483647).size(),
      250U);
}

TEST_F(BoardTest, only_the_first_creates_and_the_others_attach_to_the_same_board) {
  auto first = BoardMapping::create(name_);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->created);
  auto second = BoardMapping::create(name_);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->created);
  auto attached = BoardMapping::attach(name_);
  ASSERT_TRUE(attached) << attached.error().message;
  first->mapping->batch.store(7);
  EXPECT_EQ((*attached)->batch.load(), 7);
}

TEST_F(BoardTest, another_format_and_an_absent_board_are_errors) {
  EXPECT_FALSE(BoardMapping::attach(name_));
  auto made = BoardMapping::create(name_);
  ASSERT_TRUE(made);
  made->mapping->format.store(kBoardFormat + 1);
  EXPECT_FALSE(BoardMapping::attach(name_));
}

TEST_F(BoardTest, slots_run_out_at_the_bound) {
  auto made = BoardMapping::create(name_);
  ASSERT_TRUE(made);
  std::size_t number = 0;
  for (std::size_t i = 0; i < kMaxLocalRanks; ++i) {
    ASSERT_NE(claim_slot(*made->mapping, &number), nullptr);
    EXPECT_EQ(number, i);
  }
  EXPECT_EQ(claim_slot(*made->mapping, &number), nullptr);
}

TEST_F(BoardTest, texts_come_back_whole_and_are_published_once) {
  const std::string text(100'000, 'x');
  ASSERT_TRUE(publish_text(spec_name(name_), text));
  EXPECT_EQ(read_text(spec_name(name_)).value_or(""), text);
  EXPECT_FALSE(publish_text(spec_name(name_), text));
  remove_shared(spec_name(name_));
  EXPECT_FALSE(read_text(spec_name(name_)));
}

TEST_F(BoardTest, text_is_cut_to_its_field) {
  std::array<char, 4> field{};
  put_text(field, "abcdef");
  EXPECT_STREQ(field.data(), "abc");
}

}  // namespace
}  // namespace railgauge
