// What a message carries: a pattern that only this flow, this buffer and this offset has, and in its last 8
// bytes a word that says which message of the flow it is. The receiver sees the word appear when the whole
// message has arrived (bytes of one write arrive in ascending order on all transports we allow), so it never
// needs a separate notification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace railgauge {

inline constexpr std::size_t word_bytes = 8;  // smallest message

struct PatternSeed {
  std::int32_t round = 0, source = 0, target = 0;
};

// Word of message `sequence` (from 0). nonce: of the receiving buffer, so that a late write of an earlier
// round is never taken for this one's.
std::uint64_t message_word(std::uint32_t nonce, std::uint64_t sequence);
void store_word(std::span<std::byte> message, std::uint64_t word);
// Reads the word with acquire order: the payload before it is visible when it matches.
std::uint64_t load_word(std::span<const std::byte> message);

// Fills all but the word. slot: which buffer of the sender.
void fill_pattern(std::span<std::byte> message, const PatternSeed& seed, std::uint64_t slot);

// Bytes of the message, without its word, that differ from the pattern. 0 for a message that is only a word.
std::uint64_t wrong_bytes(std::span<const std::byte> message, const PatternSeed& seed, std::uint64_t slot);

}  // namespace railgauge
