#include "workers/engines/ucx/host_buffer.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace railgauge {

// The system call itself: libnuma would be one more library that every node must have.
NumaPreference::NumaPreference(int node) {
  if (node < 0 || node >= 64) return;
  const unsigned long mask = 1UL << static_cast<unsigned>(node);
  bound_ = syscall(SYS_set_mempolicy, MPOL_PREFERRED, &mask, 65UL) == 0;
}

NumaPreference::~NumaPreference() {
  if (bound_) syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0UL);
}

HostBuffer::HostBuffer(std::size_t bytes, int numa_node) {
  const NumaPreference near(numa_node);
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return;
  data_ = static_cast<std::byte*>(at);
  size_ = bytes;
  std::memset(data_, 0, size_);
}

HostBuffer::~HostBuffer() {
  if (data_ != nullptr) munmap(data_, size_);
}

HostBuffer::HostBuffer(HostBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace railgauge
