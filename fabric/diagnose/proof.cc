#include "fabric/diagnose/proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "fabric/diagnose/wording.h"

namespace railgauge {
namespace {

constexpr double kAcknowledgements = 0.06;  // TCP: one of 52-66 B for every one or two packets of 1448
constexpr double kLeastPayload = 1e6;

struct Moved {
  double sent = 0, received = 0;  // payload of the flows, by the receivers' count
};

using ByEndpoint = std::map<std::int32_t, Moved>;

}  // namespace

Proof prove(const Picture& p) {
  std::map<std::int32_t, ByEndpoint> rounds;
  std::set<std::int32_t> unsure = p.broken;
  for (const FlowResult& f : p.all) {
    if (f.latency_count > 0) unsure.insert(f.round->id);
    if (f.failed || !f.received) {
      unsure.insert(f.round->id);
      continue;
    }
    ByEndpoint& r = rounds[f.round->id];
    r[f.source].sent += static_cast<double>(f.total_bytes);
    r[f.target].received += static_cast<double>(f.total_bytes);
  }
  Proof proof;
  const auto n = static_cast<std::int32_t>(p.endpoints());
  for (const CounterSample& c : p.evidence.samples.counters) {
    const auto at = rounds.find(c.round);
    if (c.endpoint < 0 || c.endpoint >= n || at == rounds.end() || unsure.contains(c.round)) continue;
    double largest = 0;
    for (const auto& [e, m] : at->second) largest = std::max({largest, m.sent, m.received});
    if (largest < kLeastPayload) continue;
    const auto own = at->second.find(c.endpoint);
    const Moved moved = own == at->second.end() ? Moved{} : own->second;
    const auto check = [&](std::uint64_t counted, double payload, double acknowledged) {
      const auto place = [&] {
        return fmt::format("{} in round {}", end_name(p.endpoint(c.endpoint)), c.round);
      };
      if (payload >= kLeastPayload) {
        ++proof.flows;
        const double share = static_cast<double>(counted) / payload;
        if (proof.worst_share < 0 || share < proof.worst_share) {
          proof.worst_share = share;
          proof.share_at = place();
        }
      } else if (payload <= 0) {
        const double other =
            std::max(0.0, static_cast<double>(counted) - kAcknowledgements * acknowledged) / largest;
        if (proof.worst_other < 0 || other > proof.worst_other) {
          proof.worst_other = other;
          proof.other_at = place();
        }
      }
    };
    check(c.tx_bytes, moved.sent, moved.received);
    check(c.rx_bytes, moved.received, moved.sent);
  }
  return proof;
}

}  // namespace railgauge
