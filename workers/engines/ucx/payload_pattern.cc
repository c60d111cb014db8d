#include "workers/engines/ucx/payload_pattern.h"

#include <atomic>
#include <cstring>

#include "proto/result.h"

namespace railgauge {
namespace {

// splitmix64: every bit of the input reaches every bit of the output, and it costs a nanosecond per 8 bytes.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

std::uint64_t base_of(const PatternSeed& seed, std::uint64_t slot) {
  const auto round = static_cast<std::uint64_t>(static_cast<std::uint32_t>(seed.round));
  const auto source = static_cast<std::uint64_t>(static_cast<std::uint32_t>(seed.source));
  const auto target = static_cast<std::uint64_t>(static_cast<std::uint32_t>(seed.target));
  return mix(mix(round << 32U | source) ^ (target << 16U) ^ slot);
}

}  // namespace

std::uint64_t message_word(std::uint32_t nonce, std::uint64_t sequence) {
  // 24 bits of nonce, 40 of sequence + 1: never 0, which is what an empty buffer holds.
  return static_cast<std::uint64_t>(nonce) << 40U | ((sequence + 1) & 0xffffffffffULL);
}

void store_word(std::span<std::byte> message, std::uint64_t word) {
  RG_CHECK(message.size() >= word_bytes);
  std::memcpy(message.data() + message.size() - word_bytes, &word, word_bytes);
}

std::uint64_t load_word(std::span<const std::byte> message) {
  RG_CHECK(message.size() >= word_bytes);
  std::uint64_t word = 0;
  const volatile std::byte* at = message.data() + message.size() - word_bytes;
  // Another process or the NIC writes here: the compiler must read again on every call. A torn word simply
  // does not match yet.
  if (reinterpret_cast<std::uintptr_t>(at) % word_bytes == 0) {
    word = *reinterpret_cast<const volatile std::uint64_t*>(at);
  } else {
    std::byte bytes[word_bytes];
    for (std::size_t i = 0; i < word_bytes; ++i) bytes[i] = at[i];
    std::memcpy(&word, bytes, word_bytes);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return word;
}

void fill_pattern(std::span<std::byte> message, const PatternSeed& seed, std::uint64_t slot) {
  const std::size_t payload = message.size() - word_bytes;
  const std::uint64_t base = base_of(seed, slot);
  for (std::size_t at = 0; at < payload; at += 8) {
    const std::uint64_t value = mix(base ^ at);
    std::memcpy(message.data() + at, &value, payload - at < 8 ? payload - at : 8);
  }
}

std::uint64_t wrong_bytes(std::span<const std::byte> message, const PatternSeed& seed, std::uint64_t slot) {
  const std::size_t payload = message.size() - word_bytes;
  const std::uint64_t base = base_of(seed, slot);
  std::uint64_t wrong = 0;
  for (std::size_t at = 0; at < payload; at += 8) {
    const std::uint64_t value = mix(base ^ at);
    const std::size_t n = payload - at < 8 ? payload - at : 8;
    if (std::memcmp(message.data() + at, &value, n) == 0) continue;
    std::byte expected[8];
    std::memcpy(expected, &value, 8);
    for (std::size_t i = 0; i < n; ++i) wrong += message[at + i] != expected[i] ? 1U : 0U;
  }
  return wrong;
}

}  // namespace railgauge
