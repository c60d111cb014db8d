#include "tests/unit/fabric/diagnose/small_fabric.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "fabric/cases/case.h"
#include "fabric/expect/expect.h"
#include "fabric/inventory/build_inventory.h"

namespace railgauge {
namespace {

constexpr double kShare = 1448.0 / 1514;
constexpr double kNoise = 0.002;  // standard deviation: 0.7 % from the least to the greatest of a rail

int number_of(const std::string& node) { return std::atoi(node.c_str() + 1); }

NicFacts nic_of(int node, int rail, double rate, bool software) {
  NicFacts n;
  n.device = fmt::format("{}{}", software ? "rail" : "mlx5_", rail);
  n.interface = fmt::format("{}{}", software ? "rail" : "ib", rail);
  n.kind = software ? NicKind::network_interface : NicKind::physical;
  n.link_layer = software ? "Ethernet" : "InfiniBand";
  n.state = "up";
  n.rate_max_bits_per_second = software ? 10e9 : rate;
  n.rate_bits_per_second = n.rate_max_bits_per_second;
  n.mtu = software ? 1500 : 4096;
  n.guid = fmt::format("02:00:00:00:{:02x}:{:02x}", node, rail);
  n.subnet = fmt::format("10.{}.0.0/24", 10 + rail);
  n.place.slot = n.interface;
  if (!software) {
    n.subnet = "fe80::";
    n.place.slot = fmt::format("root{}/1.0/0.0", rail);
    n.place.numa_node = 0;
    PciFunction f;
    f.address = fmt::format("0000:{:02x}:00.0", 0x17 + rail);
    f.speed_gts = f.speed_max_gts = 32;
    f.width = f.width_max = 16;
    n.place.path = {f};
  }
  return n;
}

}  // namespace

SmallFabric::SmallFabric(const std::vector<Kind>& kinds, std::uint64_t seed, bool software)
    : kinds_(kinds), software_(software), random_(seed) {}

void SmallFabric::slow(int node, int rail, Direction d, double remaining) {
  if (d != Direction::receive) end_[{node, rail, Direction::send}] = remaining;
  if (d != Direction::send) end_[{node, rail, Direction::receive}] = remaining;
}

void SmallFabric::build() {
  std::vector<std::string> hosts;
  std::vector<NodeFacts> facts;
  std::vector<Unanswered> unanswered;
  site.software_links = software_;
  int node = 0;
  for (const Kind& kind : kinds_) {
    RateRule rule;
    rule.rate_bits_per_second = kind.rate;
    rule.payload_share = kShare;
    for (int i = 0; i < kind.nodes; ++i) {
      ++node;
      NodeFacts f;
      f.node = fmt::format("h{}", node);
      f.machine_id = f.node;
      for (int rail = 0; rail < kind.rails; ++rail)
        f.nics.push_back(nic_of(node, rail, kind.rate, software_));
      hosts.push_back(f.node);
      rule.nodes.push_back(f.node);
      if (std::find(silent.begin(), silent.end(), f.node) != silent.end()) {
        unanswered.push_back({f.node, "no answer in 10 s"});
      } else {
        facts.push_back(std::move(f));
      }
    }
    if (software_) site.rates.push_back(rule);
  }
  if (change_facts) change_facts(facts);
  auto built = build_inventory(hosts, facts, unanswered, site, ports);
  ASSERT_TRUE(built.has_value()) << built.error().message;
  inventory = *built;
  schedule.endpoints = endpoints_of(inventory, site);
}

std::int32_t SmallFabric::endpoint(int node, int rail) const {
  for (std::size_t i = 0; i < schedule.endpoints.size(); ++i) {
    const Endpoint& e = schedule.endpoints[i];
    if (number_of(e.node) == node && e.rail == rail) return static_cast<std::int32_t>(i);
  }
  return -1;
}

double SmallFabric::rate_of(const Endpoint& a, const Endpoint& b, bool loaded, bool confirming) {
  double rate = std::min(a.expected_bits_per_second, b.expected_bits_per_second) * everywhere;
  const bool gone = screen_only && confirming;
  const auto end = [&](const Endpoint& e, Direction d) {
    const int node = number_of(e.node);
    double cap = e.expected_bits_per_second;
    if (const auto at = end_.find({node, e.rail, d}); at != end_.end() && !gone) cap *= at->second;
    const Direction other = d == Direction::send ? Direction::receive : Direction::send;
    if (end_.contains({node, e.rail, other}) && !end_.contains({node, e.rail, d}))
      cap *= 1 - acknowledgement_loss;
    if (const auto at = under_load_.find({node, e.rail});
        at != under_load_.end() && loaded && d == Direction::send)
      cap *= at->second;
    if (const auto at = leaf_.find(e.leaf); at != leaf_.end() && a.leaf != b.leaf) cap *= at->second;
    return cap;
  };
  rate = std::min({rate, end(a, Direction::send), end(b, Direction::receive)});
  if (const auto at = pair_.find({number_of(a.node), number_of(b.node), a.rail});
      at != pair_.end() && !gone) {
    rate = std::min(rate, a.expected_bits_per_second * at->second);
  }
  return rate * (0.995 + std::normal_distribution<double>(0, kNoise)(random_));
}

void SmallFabric::measure(const Round& round) {
  const auto flows = expand(round.rule, groups_of(schedule.endpoints));
  std::vector<CounterSample> counters(schedule.endpoints.size());
  std::uint64_t largest = 0;
  for (const Flow& flow : flows) {
    const Endpoint& a = schedule.endpoints[static_cast<std::size_t>(flow.source.value)];
    const Endpoint& b = schedule.endpoints[static_cast<std::size_t>(flow.target.value)];
    double rate = rate_of(a, b, flows.size() > 3, round.purpose != RoundPurpose::screen);
    FlowSample s;
    s.round = round.id;
    s.source = flow.source.value;
    s.target = flow.target.value;
    s.interval_ns = round.duration_ns * 9 / 10;
    s.verified_bytes = 65536;
    if (std::uniform_real_distribution<double>(0, 1)(random_) < disturbed_share) {
      rate *= 0.5;
      s.run_delay_ns = s.interval_ns * 3 / 10;
    }
    if (wrong.contains({number_of(a.node), number_of(b.node), a.rail})) s.wrong_bytes = 64;
    const bool broken = unreachable.contains({number_of(a.node), a.rail}) ||
                        unreachable.contains({number_of(b.node), b.rail});
    if (broken) {
      s.status = FlowStatus::failed;
      fmt::format_to_n(s.error, sizeof(s.error) - 1, "no completion in 2.0 s");
    } else {
      s.goodput_bits_per_second = s.median_bits_per_second = rate;
      s.payload_bytes = static_cast<std::uint64_t>(rate * static_cast<double>(s.interval_ns) / 8e9);
      s.total_bytes = s.payload_bytes * 10 / 9;
    }
    largest = std::max(largest, s.total_bytes);
    counters[static_cast<std::size_t>(s.source)].tx_bytes += s.total_bytes * 1514 / 1448;
    counters[static_cast<std::size_t>(s.source)].rx_bytes += s.total_bytes / 50;
    counters[static_cast<std::size_t>(s.target)].rx_bytes += s.total_bytes * 1514 / 1448;
    counters[static_cast<std::size_t>(s.target)].tx_bytes += s.total_bytes / 50;
    s.side = Side::receive;
    samples.flows.push_back(s);
    s.side = Side::send;
    s.wrong_bytes = s.verified_bytes = 0;
    samples.flows.push_back(s);
  }
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i].round = round.id;
    counters[i].endpoint = static_cast<std::int32_t>(i);
    if (wrong_nic_share > 0 && i == 0) {
      counters[i].tx_bytes += static_cast<std::uint64_t>(static_cast<double>(largest) * wrong_nic_share);
    }
    samples.counters.push_back(counters[i]);
  }
}

void SmallFabric::screen(int repeats) {
  const Case* c = find_case("p2p.rail.write_bw");
  CaseRequest request;
  request.size = Bytes::kib(16);
  request.box = Nanos::ms(800);
  request.repeats = repeats;
  for (const auto& g : groups_of(schedule.endpoints)) request.members = std::max(request.members, g.size());
  schedule.rounds = c->expand(*c, request);
  for (const Round& r : schedule.rounds) measure(r);
}

void SmallFabric::die(int node, int rail, int round_from_end) {
  const std::int32_t e = endpoint(node, rail);
  const std::int32_t round =
      schedule.rounds[schedule.rounds.size() - 1 - static_cast<std::size_t>(round_from_end)].id;
  std::erase_if(samples.flows, [&](const FlowSample& s) {
    return s.round == round && (s.side == Side::send ? s.source : s.target) == e;
  });
  for (FlowSample& s : samples.flows) {
    if (s.round == round && (s.source == e || s.target == e)) s.status = FlowStatus::failed;
  }
  Event event;
  event.kind = "rank_died";
  event.node = fmt::format("h{}", node);
  event.endpoint = e;
  event.round = round;
  event.text = "signal 9";
  samples.events.push_back(event);
}

void SmallFabric::confirm() {
  const auto first = static_cast<int>(schedule.rounds.size());
  const auto more = confirmation(evidence(), gates, std::vector<bool>(schedule.endpoints.size(), true),
                                 Nanos::ms(800), first);
  confirmation_rounds = more.size();
  schedule.rounds.insert(schedule.rounds.end(), more.begin(), more.end());
  for (const Round& r : more) measure(r);
}

Analysis SmallFabric::run(int repeats) {
  build();
  screen(repeats);
  confirm();
  return judge();
}

std::string summary(const Analysis& a) {
  std::string text;
  for (const Finding& f : a.findings) {
    const std::string where = f.where.node   ? *f.where.node
                              : f.where.link ? f.where.link->a + "|" + f.where.link->b
                                             : "-";
    text += fmt::format("{}{} {} {} {}", text.empty() ? "" : "\n", f.code, where,
                        f.where.rail ? std::to_string(*f.where.rail) : "-",
                        f.direction ? to_text(*f.direction) : "-");
  }
  return text;
}

}  // namespace railgauge
