// lab_switch_ports(): makes every rail speak once, then reads what the leaves learned.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/if_ether.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <thread>

#include "fabric/discovery/bridge_fdb.h"
#include "orchestrator/lab/lab.h"
#include "orchestrator/lab/lab_network.h"
#include "orchestrator/lab/lab_script.h"
#include "orchestrator/launch/process.h"

namespace railgauge {
namespace {

struct Interface {
  int index = 0;
  ether_addr mac{};
  in_addr address{};
  bool running = false;
};

std::string to_text(const ether_addr& a) {
  const auto* b = a.ether_addr_octet;
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", b[0], b[1], b[2], b[3], b[4], b[5]);
}

// The rails of the namespace we are in.
std::map<std::string, Interface> rails_here() {
  std::map<std::string, Interface> found;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return found;
  for (const ifaddrs* i = list; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || !std::string_view(i->ifa_name).starts_with("rail")) continue;
    Interface& rail = found[i->ifa_name];
    rail.running = (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_RUNNING) != 0;
    if (i->ifa_addr->sa_family == AF_PACKET) {
      sockaddr_ll link{};
      std::memcpy(&link, i->ifa_addr, sizeof link);
      rail.index = link.sll_ifindex;
      std::memcpy(rail.mac.ether_addr_octet, link.sll_addr, ETH_ALEN);
    } else if (i->ifa_addr->sa_family == AF_INET) {
      sockaddr_in inet{};
      std::memcpy(&inet, i->ifa_addr, sizeof inet);
      rail.address = inet.sin_addr;
    }
  }
  ::freeifaddrs(list);
  return found;
}

// "I am at this address", to all: what a bridge needs to learn where somebody is. Nobody answers.
void announce(int socket, const Interface& rail) {
  ether_arp arp{};
  arp.arp_hrd = htons(ARPHRD_ETHER);
  arp.arp_pro = htons(ETHERTYPE_IP);
  arp.arp_hln = ETH_ALEN;
  arp.arp_pln = 4;
  arp.arp_op = htons(ARPOP_REQUEST);
  std::memcpy(arp.arp_sha, rail.mac.ether_addr_octet, ETH_ALEN);
  std::memcpy(arp.arp_spa, &rail.address, sizeof arp.arp_spa);
  std::memcpy(arp.arp_tpa, &rail.address, sizeof arp.arp_tpa);
  sockaddr_ll to{};
  to.sll_family = AF_PACKET;
  to.sll_protocol = htons(ETHERTYPE_ARP);
  to.sll_ifindex = rail.index;
  to.sll_halen = ETH_ALEN;
  std::memset(to.sll_addr, 0xff, ETH_ALEN);
  // A lost one is seen below: its address is not learned, and all speak again.
  (void)::sendto(socket, &arp, sizeof arp, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

Result<std::set<std::string>> announce_all() {
  std::set<std::string> macs;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kNetnsFolder, error)) {
    const Result<void> done = in_host(entry.path().filename(), [&]() -> Result<void> {
      const int s = ::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      if (s < 0) return fail(ErrorKind::environment, "lab: no packet socket: root is needed");
      for (const auto& [name, rail] : rails_here()) {
        if (!rail.running) continue;
        announce(s, rail);
        macs.insert(to_text(rail.mac));
      }
      ::close(s);
      return {};
    });
    if (!done) return tl::make_unexpected(done.error());
  }
  if (error) return fail(ErrorKind::environment, fmt::format("lab: {}: {}", kNetnsFolder, error.message()));
  return macs;
}

Result<std::vector<SwitchPort>> read_ports() {
  Command c;
  c.argv = {"bridge", "-json", "fdb", "show"};
  ProcessOptions options;
  options.capture_bytes = std::size_t{16} << 20U;
  const Result<Finished> f = run_process(c, Nanos::s(10), options);
  if (!f) return tl::make_unexpected(f.error());
  if (!f->exit.ok()) return fail(ErrorKind::environment, "lab: bridge fdb: " + f->error_output);
  return parse_bridge_fdb(f->output);
}

}  // namespace

Result<std::vector<SwitchPort>> lab_switch_ports() {
  constexpr int kTries = 20;
  for (int i = 1;; ++i) {
    const Result<std::set<std::string>> spoke = announce_all();
    if (!spoke) return tl::make_unexpected(spoke.error());
    Result<std::vector<SwitchPort>> ports = read_ports();
    if (i == kTries) return ports;
    // An error here may be an address that is just moving from one leaf to another: try again too.
    const auto known = [&](const std::string& mac) {
      return std::any_of(ports->begin(), ports->end(), [&](const SwitchPort& p) { return p.mac == mac; });
    };
    if (ports && std::all_of(spoke->begin(), spoke->end(), known)) return ports;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace railgauge
