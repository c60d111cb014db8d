// From arrivals to numbers: pure. Times are of one clock, in ns; arrivals are in time order, totals never
// fall. Between two arrivals bytes are taken to flow evenly (interpolation at window edges: at 400 Mbit/s a
// window holds few messages, and counting whole ones would jitter by 1/n). After the last arrival nothing
// flows.
#pragma once

#include <cstdint>
#include <span>

#include "workers/engines/engine.h"

namespace railgauge {

struct Interval {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t length() const { return end_ns > begin_ns ? end_ns - begin_ns : 0; }
};

// Payload bytes that had arrived by `time_ns`; nothing before `start_ns`, when the first message began to
// flow.
double arrived_by(std::span<const Arrival> arrivals, std::int64_t start_ns, std::int64_t time_ns);

// Longer of 100 ms and 50 completions, where the box allows at least 8 of them; else an eighth of the box.
// completions: messages that arrived in `box`; 0: 100 ms or an eighth.
std::int64_t window_length(std::int64_t box_ns, std::uint64_t completions);

// Time from box.begin to the first window that is within 2 % of the next one; at most a quarter of the box
// (also where it never settles, or nothing arrived).
std::int64_t ramp_length(std::span<const Arrival> arrivals, Interval box, std::int64_t window_ns);

struct StreamNumbers {
  std::uint64_t payload_bytes = 0;     // in the interval
  double goodput_bits_per_second = 0;  // over the whole interval, stalls at zero
  double median_bits_per_second = 0;   // of whole windows; without a whole window the goodput
  std::int64_t longest_stall_ns = 0;   // longest time in the interval without an arrival, its edges included
  std::uint32_t windows = 0;
};

// flow_start_ns: when the flow began (box.start). An empty interval gives zeros.
StreamNumbers stream_numbers(std::span<const Arrival> arrivals, std::int64_t flow_start_ns, Interval interval,
                             std::int64_t window_ns);

}  // namespace railgauge
