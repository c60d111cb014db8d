#include "workers/engines/ucx/payload_pattern.h"

#include <gtest/gtest.h>

#include <vector>

namespace railgauge {
namespace {

constexpr PatternSeed flow{7, 1, 2};

std::vector<std::byte> filled(std::size_t size, const PatternSeed& seed, std::uint64_t slot) {
  std::vector<std::byte> message(size);
  fill_pattern(message, seed, slot);
  return message;
}

TEST(PayloadPattern, filled_message_has_no_wrong_bytes_at_any_size) {
  for (std::size_t size = word_bytes; size < 70; ++size)
    EXPECT_EQ(wrong_bytes(filled(size, flow, 3), flow, 3), 0U) << size;
}

TEST(PayloadPattern, one_flipped_bit_is_one_wrong_byte_wherever_it_is) {
  for (std::size_t at = 0; at < 53; ++at) {
    std::vector<std::byte> message = filled(61, flow, 0);
    message[at] ^= std::byte{1};
    EXPECT_EQ(wrong_bytes(message, flow, 0), 1U) << at;
  }
}

TEST(PayloadPattern, another_round_source_target_or_slot_is_wrong_almost_everywhere) {
  const std::vector<std::byte> message = filled(4096, flow, 0);
  EXPECT_GT(wrong_bytes(message, {8, 1, 2}, 0), 4000U);
  EXPECT_GT(wrong_bytes(message, {7, 3, 2}, 0), 4000U);
  EXPECT_GT(wrong_bytes(message, {7, 1, 3}, 0), 4000U);
  EXPECT_GT(wrong_bytes(message, flow, 1), 4000U);
}

TEST(PayloadPattern, direction_matters) {
  EXPECT_GT(wrong_bytes(filled(4096, {7, 1, 2}, 0), {7, 2, 1}, 0), 4000U);
}

TEST(PayloadPattern, word_is_read_back_at_aligned_and_odd_ends) {
  std::vector<std::byte> memory(64);
  for (std::size_t size = word_bytes; size <= 24; ++size) {
    const std::span<std::byte> message = std::span(memory).first(size);
    store_word(message, message_word(5, size));
    EXPECT_EQ(load_word(message), message_word(5, size));
  }
}

TEST(PayloadPattern, words_are_never_zero_and_differ_by_sequence_and_nonce) {
  EXPECT_NE(message_word(0, 0), 0U);
  EXPECT_NE(message_word(1, 0), message_word(2, 0));
  EXPECT_NE(message_word(1, 0), message_word(1, 4096));
}

}  // namespace
}  // namespace railgauge
