#include "orchestrator/lab/lab_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

namespace railgauge {
namespace {

constexpr int kMostHosts = 200;  // one /24 per rail, with room for the orchestrator's address
constexpr int kMostRails = 32;
constexpr BitRate kSlowest = BitRate::mbit(1);  // below it tc rounds and TCP starves

// A whole number and nothing else; empty where it is not one or is out of range.
std::optional<int> whole(std::string_view text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) return {};
  return value;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(by);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

Result<LabKind> parse_kind(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string_view size = text.substr(0, at);
  const std::size_t x = size.find('x');
  LabKind kind;
  kind.rate_bits_per_second = 200e6;
  if (at != std::string_view::npos) {
    const Result<BitRate> rate = parse_rate(text.substr(at + 1));
    if (!rate) return tl::make_unexpected(rate.error());
    if (*rate < kSlowest || *rate > BitRate::gbit(100)) {
      return fail(ErrorKind::input, fmt::format("lab {}: rate from 1mbit to 100gbit", text));
    }
    kind.rate_bits_per_second = rate->bps();
  }
  if (x != std::string_view::npos) {
    const auto hosts = whole(size.substr(0, x), 1, kMostHosts);
    const auto rails = whole(size.substr(x + 1), 1, kMostRails);
    if (hosts && rails) {
      kind.count = *hosts;
      kind.rails = *rails;
      return kind;
    }
  }
  return fail(ErrorKind::input,
              fmt::format("lab {}: HOSTSxRAILS or HOSTSxRAILS@RATE expected, at most {} hosts and {} rails",
                          text, kMostHosts, kMostRails));
}

// What each kind of fault is written like; the first word is the kind.
constexpr std::string_view form_of(LabFaultKind kind) {
  switch (kind) {
    case LabFaultKind::slow:
      return "slow:HOST:railN:SHARE[:send|receive|both], SHARE between 0 and 1";
    case LabFaultKind::down:
      return "down:HOST:railN";
    case LabFaultKind::swap:
      return "swap:HOST:railN:railM";
    case LabFaultKind::missing:
      return "missing:HOST:railN";
    case LabFaultKind::cpu_hog:
      return "cpu-hog:HOST:COUNT, COUNT from 1 to 64";
  }
  RG_CHECK(false);
}

std::optional<int> rail_number(std::string_view text) {
  if (!text.starts_with("rail")) return {};
  return whole(text.substr(4), 0, kMostRails - 1);
}

// Between 0 and 1, both excluded.
std::optional<double> share(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0 && value < 1)) return {};
  return value;
}

template <class E>
std::optional<E> word(std::string_view text) {
  for (const E e : all_values(E{})) {
    if (to_text(e) == text) return e;
  }
  return {};
}

}  // namespace

std::string_view to_text(LabFaultKind kind) {
  switch (kind) {
    case LabFaultKind::slow:
      return "slow";
    case LabFaultKind::down:
      return "down";
    case LabFaultKind::swap:
      return "swap";
    case LabFaultKind::missing:
      return "missing";
    case LabFaultKind::cpu_hog:
      return "cpu-hog";
  }
  RG_CHECK(false);
}
std::span<const LabFaultKind> all_values(LabFaultKind) {
  static constexpr std::array kAll{LabFaultKind::slow, LabFaultKind::down, LabFaultKind::swap,
                                   LabFaultKind::missing, LabFaultKind::cpu_hog};
  return kAll;
}

std::string_view to_text(LabDirection direction) {
  switch (direction) {
    case LabDirection::send:
      return "send";
    case LabDirection::receive:
      return "receive";
    case LabDirection::both:
      return "both";
  }
  RG_CHECK(false);
}
std::span<const LabDirection> all_values(LabDirection) {
  static constexpr std::array kAll{LabDirection::send, LabDirection::receive, LabDirection::both};
  return kAll;
}

std::vector<LabHost> hosts_of(const LabSpec& spec) {
  std::vector<LabHost> hosts;
  for (const LabKind& kind : spec.kinds) {
    for (int i = 0; i < kind.count; ++i) {
      const int number = static_cast<int>(hosts.size()) + 1;
      hosts.push_back({fmt::format("h{}", number), number, kind.rails,
                       BitRate::bits_per_second(kind.rate_bits_per_second)});
    }
  }
  return hosts;
}

int rails_of(const LabSpec& spec) {
  int most = 0;
  for (const LabKind& kind : spec.kinds) most = std::max(most, kind.rails);
  return most;
}

Result<LabSpec> parse_lab_spec(std::string_view text) {
  LabSpec spec;
  int hosts = 0;
  for (const std::string_view part : split(text, ',')) {
    const Result<LabKind> kind = parse_kind(part);
    if (!kind) return tl::make_unexpected(kind.error());
    hosts += kind->count;
    if (hosts > kMostHosts)
      return fail(ErrorKind::input, fmt::format("lab {}: at most {} hosts", text, kMostHosts));
    spec.kinds.push_back(*kind);
  }
  return spec;
}

Result<LabFault> parse_lab_fault(std::string_view text) {
  const std::vector<std::string_view> part = split(text, ':');
  const auto kind = word<LabFaultKind>(part[0]);
  if (!kind) {
    std::string kinds;
    for (const LabFaultKind k : all_values(LabFaultKind{}))
      kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", to_text(k));
    return fail(ErrorKind::input, fmt::format("fault {}: '{}' is none of {}", text, part[0], kinds));
  }
  const auto wrong = [&](std::size_t i) {
    const std::string what = i < part.size() ? fmt::format("'{}' is wrong there", part[i]) : "too short";
    return fail(ErrorKind::input, fmt::format("fault {}: {}: write {}", text, what, form_of(*kind)));
  };
  if (part.size() < 2 || part[1].empty()) return wrong(1);
  LabFault fault;
  fault.kind = *kind;
  fault.host = part[1];
  const auto next_rail = [&part](std::size_t i) {
    return i < part.size() ? rail_number(part[i]) : std::nullopt;
  };
  std::size_t used = 3;
  if (*kind == LabFaultKind::cpu_hog) {
    const auto count = part.size() > 2 ? whole(part[2], 1, 64) : std::nullopt;
    if (!count) return wrong(2);
    fault.count = *count;
  } else {
    const auto rail = next_rail(2);
    if (!rail) return wrong(2);
    fault.rail = *rail;
  }
  if (*kind == LabFaultKind::slow) {
    const auto left = part.size() > 3 ? share(part[3]) : std::nullopt;
    if (!left) return wrong(3);
    const auto direction = part.size() > 4 ? word<LabDirection>(part[4]) : LabDirection::both;
    if (!direction) return wrong(4);
    fault.remaining = *left;
    fault.direction = *direction;
    used = std::min<std::size_t>(part.size(), 5);
  } else if (*kind == LabFaultKind::swap) {
    const auto other = next_rail(3);
    if (!other || *other == fault.rail) return wrong(3);
    fault.other_rail = *other;
    used = 4;
  }
  if (part.size() > used) return wrong(used);
  return fault;
}

std::string to_text(const LabFault& f) {
  switch (f.kind) {
    case LabFaultKind::slow:
      return fmt::format("slow:{}:rail{}:{}:{}", f.host, f.rail, f.remaining, to_text(f.direction));
    case LabFaultKind::swap:
      return fmt::format("swap:{}:rail{}:rail{}", f.host, f.rail, f.other_rail);
    case LabFaultKind::cpu_hog:
      return fmt::format("cpu-hog:{}:{}", f.host, f.count);
    case LabFaultKind::down:
    case LabFaultKind::missing:
      return fmt::format("{}:{}:rail{}", to_text(f.kind), f.host, f.rail);
  }
  RG_CHECK(false);
}

Result<void> check_lab_spec(const LabSpec& spec) {
  if (spec.kinds.empty()) return fail(ErrorKind::input, "lab: no hosts");
  if (!is_lab_name(spec.name)) {
    return fail(ErrorKind::input,
                fmt::format("lab name {}: letters, digits and '-' expected, a letter first", spec.name));
  }
  const std::vector<LabHost> hosts = hosts_of(spec);
  std::set<std::pair<std::string, int>> seen;
  for (const LabFault& fault : spec.faults) {
    const auto host =
        std::find_if(hosts.begin(), hosts.end(), [&](const LabHost& h) { return h.name == fault.host; });
    if (host == hosts.end()) {
      return fail(ErrorKind::input, fmt::format("fault {}: no host {}; hosts are h1 to {}", to_text(fault),
                                                fault.host, hosts.back().name));
    }
    if (host->rate.bps() * fault.remaining < kSlowest.bps()) {
      return fail(ErrorKind::input, fmt::format("fault {}: leaves less than 1 Mbit/s of {}", to_text(fault),
                                                to_text(host->rate)));
    }
    for (const int rail : {fault.rail, fault.other_rail}) {
      if (rail >= host->rails) {
        return fail(ErrorKind::input, fmt::format("fault {}: {} has rail0 to rail{}", to_text(fault),
                                                  host->name, host->rails - 1));
      }
      if (rail >= 0 && !seen.emplace(fault.host, rail).second) {
        return fail(ErrorKind::input, fmt::format("fault {}: rail{} of {} has a fault already",
                                                  to_text(fault), rail, fault.host));
      }
    }
  }
  return {};
}

bool is_lab_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || text.size() > 32 || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

Site lab_site(const LabSpec& spec) {
  Site site;
  site.name = spec.name;
  site.launcher = "lab";
  site.control_interface = "mgmt";
  site.software_links = true;
  const std::vector<LabHost> hosts = hosts_of(spec);
  std::size_t next = 0;
  for (const LabKind& kind : spec.kinds) {
    RateRule rule;
    for (int i = 0; i < kind.count; ++i) rule.nodes.push_back(hosts[next++].name);
    for (int r = 0; r < kind.rails; ++r) rule.nics.push_back(fmt::format("rail{}", r));
    rule.rate_bits_per_second = kind.rate_bits_per_second;
    // tbf counts Ethernet frames of 1514 bytes, TCP with time stamps carries 1448 in each.
    rule.payload_share = 1448.0 / 1514.0;
    site.rates.push_back(std::move(rule));
  }
  return site;
}

}  // namespace railgauge
