#include "fabric/diagnose/wording.h"

#include <fmt/format.h>

#include <algorithm>

#include "fabric/diagnose/placement_parts.h"
#include "fabric/expect/explain.h"

namespace railgauge {
namespace {

constexpr double kExplains = 0.97;  // of expected: a limit above it explains nothing

bool is_rdma(const Endpoint& e) {
  return e.device != e.interface && !e.device.empty() && !e.interface.starts_with("rail");
}

std::string interface_of(const Endpoint& e) { return e.interface.empty() ? e.device : e.interface; }

}  // namespace

std::string rate_in_words(double bits_per_second) {
  return to_text(BitRate::bits_per_second(bits_per_second));
}

std::string percent_in_words(double share) {
  const double percent = share * 100;
  return percent >= 85 && percent < 99.95 ? fmt::format("{:.1f} %", percent)
                                          : fmt::format("{:.0f} %", percent);
}

std::string end_name(const Endpoint& e) { return e.node + " " + placement::rail_text(e.rail, e.device); }

std::string pair_name(const Picture& p, std::int32_t source, std::int32_t target) {
  return end_name(p.endpoint(source)) + " to " + end_name(p.endpoint(target));
}

std::string verb(Direction d) {
  switch (d) {
    case Direction::send:
      return "sends";
    case Direction::receive:
      return "receives";
    case Direction::both:
      return "sends and receives";
  }
  return "moves";
}

const NodeEntry* node_of(const Inventory& inventory, const std::string& id) {
  for (const NodeEntry& n : inventory.nodes) {
    if (n.id == id) return &n;
  }
  return nullptr;
}

Where where_of(const Endpoint& e) {
  Where w;
  w.node = e.node;
  w.rail = e.rail;
  w.nic = e.device;
  return w;
}

Action look_at(const Picture& p, std::int32_t endpoint) {
  const Endpoint& e = p.endpoint(endpoint);
  const std::string interface = interface_of(e);
  if (p.evidence.site.software_links) {
    return {fmt::format("See how {} is shaped on {}", interface, e.node),
            fmt::format("tc -s qdisc show dev {}", interface)};
  }
  if (is_rdma(e)) {
    return {fmt::format("Read link state and error counters of {} on {}", e.device, e.node),
            fmt::format("rdma statistic show link {}/{}", e.device, e.port)};
  }
  return {fmt::format("Read link state and error counters of {} on {}", interface, e.node),
          fmt::format("ethtool -S {}", interface)};
}

Action look_at_link(const Picture& p, std::int32_t endpoint) {
  const Endpoint& e = p.endpoint(endpoint);
  if (!p.evidence.site.software_links) return look_at(p, endpoint);
  const std::string interface = interface_of(e);
  return {fmt::format("Read the link state of {} on {}", interface, e.node),
          fmt::format("ip -s link show dev {}", interface)};
}

void slow_end_words(const Picture& p, std::int32_t endpoint, Direction d, double expected, Finding& f) {
  const Endpoint& e = p.endpoint(endpoint);
  const NodeEntry* node = node_of(p.evidence.inventory, e.node);
  if (node != nullptr && !p.evidence.site.software_links) {
    const auto limit = observed_limit(*node, e.device, e.port);
    if (limit && limit->bits_per_second < kExplains * expected) {
      f.explained_by = Explained{limit->bits_per_second, "bit/s", limit->by};
      f.causes.push_back({limit->by, "likely"});
    }
  }
  const std::string rest = f.causes.empty() ? "likely" : "possible";
  if (p.evidence.site.software_links) {
    f.causes.push_back({d == Direction::send      ? "the host's end of this rail is shaped below its rate"
                        : d == Direction::receive ? "the switch's end of this rail is shaped below its rate"
                                                  : "both ends of this rail are shaped below its rate",
                        rest});
  } else {
    switch (d) {
      case Direction::send:
        f.causes.push_back(
            {"the NIC's read path from memory (PCIe reads, IOMMU, NUMA placement)", "possible"});
        f.causes.push_back(
            {"the transmit fibre or lane of its cable: retransmissions on this NIC tell", "possible"});
        break;
      case Direction::receive:
        f.causes.push_back(
            {"the NIC's write path to memory (PCIe writes, relaxed ordering, NUMA placement)", "possible"});
        f.causes.push_back(
            {"the receive fibre or lane of its cable: symbol errors on this port tell", "possible"});
        break;
      case Direction::both:
        f.causes.push_back({"the NIC, its PCIe path or its cable: both directions share them", rest});
        break;
    }
  }
  f.actions.push_back(look_at(p, endpoint));
  if (is_rdma(e) && !p.evidence.site.software_links) {
    f.actions.push_back(
        {"Compare trained with possible width and speed of every PCIe link on its way", "lspci -vv"});
    f.actions.push_back({"Exchange the cable with a neighbour's: the fault moves with it or stays", ""});
  }
}

void judge_rate(const Picture& p, std::int32_t source, std::int32_t target, double rate, Draft& d) {
  const double expected = p.reference(source, target);
  const PeerClass* c = p.class_of(source, target);
  d.gate = Gate::model_and_peers;
  if (p.evidence.schedule.endpoints[static_cast<std::size_t>(source)].expected_bits_per_second > 0 &&
      expected > 0) {
    const double share = rate / expected;
    if (share < p.gates.model_warn) d.model = Verdict::warn;
    if (share < p.gates.model_fail) d.model = Verdict::fail;
  }
  if (c != nullptr && c->judged && c->median > 0) {
    const double share = rate / c->median;
    if (share < 1 - c->delta) d.peers = share < p.gates.peer_fail ? Verdict::fail : Verdict::warn;
  }
}

Severity severity_of(const Draft& d) {
  const auto is = [&d](Verdict v) { return d.model == v || d.peers == v || d.other == v; };
  if (is(Verdict::fail) || is(Verdict::inconclusive)) return Severity::major;
  return Severity::minor;
}

}  // namespace railgauge
