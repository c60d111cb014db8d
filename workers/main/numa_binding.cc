#include "workers/main/numa_binding.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace railgauge {
namespace {

// "0-3,8" to a set; anything else ends the list.
cpu_set_t parse_cpus(std::string_view text) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at < end) {
    unsigned first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc()) break;
    unsigned last = first;
    if (read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    for (unsigned cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &set);
    at = read.ptr < end && *read.ptr == ',' ? read.ptr + 1 : end;
  }
  return set;
}

}  // namespace

void bind_to_numa(int numa_node) {
  if (numa_node < 0 || numa_node >= 1024) return;
  std::ifstream file(fmt::format("/sys/devices/system/node/node{}/cpulist", numa_node));
  std::string list;
  if (!std::getline(file, list)) return;
  const cpu_set_t set = parse_cpus(list);
  if (CPU_COUNT(&set) > 0) sched_setaffinity(0, sizeof(set), &set);
  unsigned long mask[1024 / (8 * sizeof(unsigned long))] = {};
  const auto bits = static_cast<int>(8 * sizeof(unsigned long));
  mask[numa_node / bits] = 1UL << static_cast<unsigned>(numa_node % bits);
  syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask, 1024UL);
}

}  // namespace railgauge
