#include "workers/rounds/latency.h"

#include <algorithm>
#include <cmath>

namespace railgauge {
namespace {

double nearest_rank(std::vector<std::int64_t>& samples, double q) {
  const double exact = std::ceil(q * static_cast<double>(samples.size()) - 1e-9);
  const auto rank =
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(exact) - 1, 0, std::ssize(samples) - 1);
  std::nth_element(samples.begin(), samples.begin() + rank, samples.end());
  return static_cast<double>(samples[static_cast<std::size_t>(rank)]);
}

}  // namespace

LatencyNumbers latency_numbers(std::vector<std::int64_t> samples_ns) {
  LatencyNumbers n;
  if (samples_ns.empty()) return n;
  n.count = samples_ns.size();
  n.p50_ns = nearest_rank(samples_ns, 0.5);
  n.p99_ns = nearest_rank(samples_ns, 0.99);
  if (n.count >= kLatencySamplesForP999) n.p999_ns = nearest_rank(samples_ns, 0.999);
  n.max_ns = static_cast<double>(*std::max_element(samples_ns.begin(), samples_ns.end()));
  return n;
}

}  // namespace railgauge
