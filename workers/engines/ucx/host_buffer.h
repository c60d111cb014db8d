// Page-aligned host memory near a NIC.
#pragma once

#include <cstddef>
#include <span>

namespace railgauge {

// While it lives, new pages of this thread come from `node` where there is room. bound(): false for -1, or
// where the kernel refused (containers often do); memory then comes from wherever the thread runs.
class NumaPreference {
 public:
  explicit NumaPreference(int node);
  ~NumaPreference();
  NumaPreference(const NumaPreference&) = delete;
  NumaPreference& operator=(const NumaPreference&) = delete;
  bool bound() const { return bound_; }

 private:
  bool bound_ = false;
};

// Zeroed, touched. Empty on want of memory: valid() is false.
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(std::size_t bytes, int numa_node);
  ~HostBuffer();
  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&& other) noexcept;
  bool valid() const { return data_ != nullptr; }
  std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace railgauge
