#include "workers/rounds/windows.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace railgauge {
namespace {

constexpr std::int64_t kShortestWindow = 100'000'000;  // 100 ms, DESIGN 5.2
constexpr std::uint64_t kCompletions = 50;
constexpr std::int64_t kWindowsOfBox = 8;
constexpr double kSteady = 0.02;

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double rate(double bytes, std::int64_t ns) { return ns <= 0 ? 0.0 : bytes * 8e9 / static_cast<double>(ns); }

}  // namespace

double arrived_by(std::span<const Arrival> arrivals, std::int64_t start_ns, std::int64_t time_ns) {
  if (arrivals.empty() || time_ns <= start_ns) return 0;
  const auto after = std::upper_bound(arrivals.begin(), arrivals.end(), time_ns,
                                      [](std::int64_t t, const Arrival& a) { return t < a.time_ns; });
  if (after == arrivals.end()) return static_cast<double>(arrivals.back().total_bytes);
  std::int64_t from = start_ns;
  std::uint64_t had = 0;
  if (after != arrivals.begin()) {
    from = std::max(start_ns, (after - 1)->time_ns);
    had = (after - 1)->total_bytes;
  }
  const std::int64_t gap = after->time_ns - from;
  if (gap <= 0) return static_cast<double>(had);
  const double share = static_cast<double>(time_ns - from) / static_cast<double>(gap);
  return static_cast<double>(had) + share * static_cast<double>(after->total_bytes - had);
}

std::int64_t window_length(std::int64_t box_ns, std::uint64_t completions) {
  std::int64_t wanted = kShortestWindow;
  if (completions > 0) {
    const double fifty =
        static_cast<double>(box_ns) * static_cast<double>(kCompletions) / static_cast<double>(completions);
    if (fifty > static_cast<double>(wanted))
      wanted = static_cast<std::int64_t>(std::min(fifty, static_cast<double>(box_ns)));
  }
  return std::max<std::int64_t>(1, std::min(wanted, box_ns / kWindowsOfBox));
}

std::int64_t ramp_length(std::span<const Arrival> arrivals, Interval box, std::int64_t window_ns) {
  const std::int64_t most = box.length() / 4;
  double last = -1;
  for (std::int64_t begin = 0; begin <= most + window_ns && window_ns > 0; begin += window_ns) {
    const std::int64_t t = box.begin_ns + begin;
    if (t + window_ns > box.end_ns) break;
    const double now =
        arrived_by(arrivals, box.begin_ns, t + window_ns) - arrived_by(arrivals, box.begin_ns, t);
    if (last > 0 && std::abs(now - last) <= kSteady * std::max(now, last))
      return std::min(most, begin - window_ns);
    last = now;
  }
  return most;
}

StreamNumbers stream_numbers(std::span<const Arrival> arrivals, std::int64_t flow_start_ns, Interval interval,
                             std::int64_t window_ns) {
  StreamNumbers n;
  if (interval.length() == 0) return n;
  const double before = arrived_by(arrivals, flow_start_ns, interval.begin_ns);
  const double bytes = arrived_by(arrivals, flow_start_ns, interval.end_ns) - before;
  n.payload_bytes = static_cast<std::uint64_t>(std::llround(std::max(0.0, bytes)));
  n.goodput_bits_per_second = rate(bytes, interval.length());

  std::vector<double> windows;
  double had = before;
  for (std::int64_t t = interval.begin_ns + window_ns; window_ns > 0 && t <= interval.end_ns;
       t += window_ns) {
    const double has = arrived_by(arrivals, flow_start_ns, t);
    windows.push_back(rate(has - had, window_ns));
    had = has;
  }
  n.windows = static_cast<std::uint32_t>(windows.size());
  n.median_bits_per_second = windows.empty() ? n.goodput_bits_per_second : median(windows);

  std::int64_t last = interval.begin_ns;
  for (const Arrival& a : arrivals) {
    if (a.time_ns < interval.begin_ns) continue;
    if (a.time_ns > interval.end_ns) break;
    n.longest_stall_ns = std::max(n.longest_stall_ns, a.time_ns - last);
    last = a.time_ns;
  }
  n.longest_stall_ns = std::max(n.longest_stall_ns, interval.end_ns - last);
  return n;
}

}  // namespace railgauge
