#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "workers/probe/nics.h"

namespace railgauge {
namespace {

std::string dotted(std::uint32_t host_order) {
  return fmt::format("{}.{}.{}.{}", host_order >> 24U, (host_order >> 16U) & 255U, (host_order >> 8U) & 255U,
                     host_order & 255U);
}

std::uint32_t ipv4(const sockaddr* address) {
  sockaddr_in in{};
  std::memcpy(&in, address, sizeof in);
  return ntohl(in.sin_addr.s_addr);
}

}  // namespace

std::map<std::string, LiveInterface> live_interfaces(std::vector<std::string>& notes) {
  std::map<std::string, LiveInterface> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) {
    notes.push_back(fmt::format("interface addresses could not be read: {}", std::strerror(errno)));
    return found;
  }
  for (const ifaddrs* i = list; i != nullptr; i = i->ifa_next) {
    LiveInterface& live = found[i->ifa_name];
    live.up = (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_RUNNING) != 0;
    if (i->ifa_addr == nullptr) continue;
    if (i->ifa_addr->sa_family == AF_PACKET) {
      sockaddr_ll link{};
      std::memcpy(&link, i->ifa_addr, sizeof link);
      for (int b = 0; b < link.sll_halen && b < 8; ++b) {
        live.mac += fmt::format("{}{:02x}", b > 0 ? ":" : "", link.sll_addr[b]);
      }
    } else if (i->ifa_addr->sa_family == AF_INET && live.address.empty() && i->ifa_netmask != nullptr) {
      const std::uint32_t mask = ipv4(i->ifa_netmask);
      const std::uint32_t address = ipv4(i->ifa_addr);
      live.address = fmt::format("{}/{}", dotted(address), std::popcount(mask));
      live.subnet = fmt::format("{}/{}", dotted(address & mask), std::popcount(mask));
    }
  }
  freeifaddrs(list);
  return found;
}

}  // namespace railgauge
