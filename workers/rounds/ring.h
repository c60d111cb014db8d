// One writer, one reader, in shared memory. Full: the record is dropped and counted; a measurement never
// waits for its reader.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace railgauge {

template <class T, std::size_t N>
class Ring {
  static_assert((N & (N - 1)) == 0, "power of two");
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // false: full, counted in dropped().
  bool push(const T& record) {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) >= N) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    records_[head & (N - 1)] = record;
    head_.store(head + 1, std::memory_order_release);
    return true;
  }
  // false: empty.
  bool pop(T& record) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return false;
    record = records_[tail & (N - 1)];
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> head_{0}, tail_{0}, dropped_{0};
  std::array<T, N> records_;
};

}  // namespace railgauge
