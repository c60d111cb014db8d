#include "orchestrator/lab/lab_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace railgauge {
namespace {

using Out = std::back_insert_iterator<std::string>;

const LabHost& host_named(const std::vector<LabHost>& hosts, const std::string& name) {
  const auto found =
      std::find_if(hosts.begin(), hosts.end(), [&](const LabHost& h) { return h.name == name; });
  RG_CHECK(found != hosts.end());
  return *found;
}

bool is_missing(const LabSpec& spec, const LabHost& host, int rail) {
  return std::any_of(spec.faults.begin(), spec.faults.end(), [&](const LabFault& f) {
    return f.kind == LabFaultKind::missing && f.host == host.name && f.rail == rail;
  });
}

// burst and latency: 32k and 64k bursts collapse (RIGS section 7).
std::string shape(const std::string& device, BitRate rate) {
  return fmt::format("qdisc replace dev {} root tbf rate {:.0f}bit burst 128k latency 20ms\n", device,
                     rate.bps());
}

// The pair, its outer end on its leaf.
std::string rail_pair(const LabHost& h, int rail) {
  const std::string port = fmt::format("{}r{}", h.name, rail);
  return fmt::format(
      "link add {0} type veth peer name rail{1} netns {2}\n"
      "link set {0} master leaf{1} up\n",
      port, rail, h.name);
}

// A table per rail, chosen by source address: without it Linux sends rail 0's traffic over whichever
// interface it likes. `replace`, since a link that went down has lost its route.
std::string rail_routes(const LabHost& h, int rail) {
  return fmt::format("route replace 10.10.{0}.0/24 dev rail{0} src 10.10.{0}.{1} table {2}\n", rail, h.number,
                     100 + rail);
}

std::string rail_inside(const LabHost& h, int rail) {
  return fmt::format(
             "addr add 10.10.{0}.{1}/24 dev rail{0}\n"
             "link set rail{0} up\n",
             rail, h.number) +
         rail_routes(h, rail);
}

std::string rail_rule(const LabHost& h, int rail) {
  return fmt::format("rule add from 10.10.{}.{} lookup {}\n", rail, h.number, 100 + rail);
}

LabBatch outer(const LabSpec& spec, const std::vector<LabHost>& hosts) {
  LabBatch b;
  b.ip =
      "link set lo up\n"
      "link add mgmt type bridge stp_state 0\n"
      "addr add 10.9.0.254/24 dev mgmt\n"
      "link set mgmt up\n"
      "link add spine type bridge stp_state 0\n"
      "link set spine up\n";
  BitRate fastest;
  for (const LabHost& h : hosts) fastest = std::max(fastest, h.rate);
  // A swapped pair of cables puts two flows each way on an uplink: twice that, so that it is found as a swap
  // and not as a slow rail.
  const BitRate uplink = fastest * 4;
  for (int r = 0; r < rails_of(spec); ++r) {
    fmt::format_to(Out(b.ip),
                   "link add leaf{0} type bridge stp_state 0\n"
                   "link set leaf{0} up\n"
                   "link add up{0} type veth peer name dn{0}\n"
                   "link set up{0} master leaf{0} up\n"
                   "link set dn{0} master spine up\n",
                   r);
    b.tc += shape(fmt::format("up{}", r), uplink) + shape(fmt::format("dn{}", r), uplink);
  }
  for (const LabHost& h : hosts) {
    fmt::format_to(Out(b.ip),
                   "link add {0}m type veth peer name mgmt0 netns {0}\n"
                   "link set {0}m master mgmt up\n",
                   h.name);
    for (int r = 0; r < h.rails; ++r) {
      if (is_missing(spec, h, r)) continue;
      b.ip += rail_pair(h, r);
      b.tc += shape(fmt::format("{}r{}", h.name, r), h.rate);
    }
  }
  return b;
}

LabBatch inside(const LabSpec& spec, const LabHost& h) {
  LabBatch b;
  b.host = h.name;
  b.ip = fmt::format(
      "link set lo up\n"
      "addr add 10.9.0.{}/24 dev mgmt0\n"
      "link set mgmt0 up\n",
      h.number);
  for (int r = 0; r < h.rails; ++r) {
    b.ip += rail_rule(h, r);
    if (is_missing(spec, h, r)) continue;
    b.ip += rail_inside(h, r);
    b.tc += shape(fmt::format("rail{}", r), h.rate);
  }
  return b;
}

std::vector<LabBatch> slow(const LabHost& h, const LabFault& f, bool undo) {
  const BitRate rate = undo ? h.rate : h.rate * f.remaining;
  std::vector<LabBatch> batches;
  if (f.direction != LabDirection::receive)
    batches.push_back({h.name, "", shape(fmt::format("rail{}", f.rail), rate)});
  if (f.direction != LabDirection::send)
    batches.push_back({"", "", shape(fmt::format("{}r{}", h.name, f.rail), rate)});
  return batches;
}

}  // namespace

std::vector<LabBatch> build_batches(const LabSpec& spec) {
  const std::vector<LabHost> hosts = hosts_of(spec);
  std::vector<LabBatch> batches{outer(spec, hosts)};
  for (const LabHost& h : hosts) batches.push_back(inside(spec, h));
  return batches;
}

std::vector<LabBatch> fault_batches(const LabSpec& spec, const LabFault& f, bool undo) {
  const std::vector<LabHost> hosts = hosts_of(spec);
  const LabHost& h = host_named(hosts, f.host);
  const std::string port = fmt::format("{}r{}", h.name, f.rail);
  switch (f.kind) {
    case LabFaultKind::slow:
      return slow(h, f, undo);
    case LabFaultKind::down:
      if (undo) return {{h.name, fmt::format("link set rail{} up\n", f.rail) + rail_routes(h, f.rail), ""}};
      return {{h.name, fmt::format("link set rail{} down\n", f.rail), ""}};
    case LabFaultKind::swap:
      return {{"",
               fmt::format("link set {0}r{1} master leaf{3}\nlink set {0}r{2} master leaf{4}\n", h.name,
                           f.rail, f.other_rail, undo ? f.rail : f.other_rail, undo ? f.other_rail : f.rail),
               ""}};
    case LabFaultKind::missing:
      if (!undo) return {{"", fmt::format("link del {}\n", port), ""}};
      return {{"", rail_pair(h, f.rail), shape(port, h.rate)},
              {h.name, rail_inside(h, f.rail), shape(fmt::format("rail{}", f.rail), h.rate)}};
    case LabFaultKind::cpu_hog:
      return {};
  }
  RG_CHECK(false);
}

std::vector<Sysctl> host_sysctls() {
  // Left alone the kernel answers ARP for any local address on any interface, and every rail connects after
  // two cables are swapped, over the wrong one. IPv6 off: its own chatter would count as traffic. bbr paces
  // by its own estimate and under-fills a shaped rail; not every kernel lets a namespace choose.
  std::vector<Sysctl> all;
  for (const char* scope : {"all", "default"}) {
    const std::string base = fmt::format("net/ipv4/conf/{}/", scope);
    all.push_back({base + "arp_ignore", "1"});
    all.push_back({base + "arp_announce", "2"});
    all.push_back({base + "rp_filter", "1"});
    all.push_back({fmt::format("net/ipv6/conf/{}/disable_ipv6", scope), "1", false});
  }
  all.push_back({"net/ipv4/tcp_congestion_control", "reno", false});
  return all;
}

std::string hosts_text(const LabSpec& spec) {
  std::string text = "127.0.0.1 localhost\n10.9.0.254 railgauge-lab\n";
  for (const LabHost& h : hosts_of(spec)) fmt::format_to(Out(text), "10.9.0.{} {}\n", h.number, h.name);
  return text;
}

}  // namespace railgauge
