#include "orchestrator/control_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <fstream>
#include <memory>
#include <sstream>

namespace railgauge {

Result<std::string> address_of_interface(const std::string& interface) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return fail(ErrorKind::environment, "network interfaces cannot be listed");
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> holder(list, freeifaddrs);
  bool seen = false;
  for (const ifaddrs* i = list; i != nullptr; i = i->ifa_next) {
    if (interface != i->ifa_name) continue;
    seen = true;
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in in{};
    std::copy_n(reinterpret_cast<const char*>(i->ifa_addr), sizeof in, reinterpret_cast<char*>(&in));
    char text[INET_ADDRSTRLEN] = {};
    inet_ntop(AF_INET, &in.sin_addr, text, sizeof text);
    return std::string(text);
  }
  return fail(ErrorKind::input,
              fmt::format("control interface {}: {}", interface,
                          seen ? "has no IPv4 address" : "there is no such interface on this machine"));
}

std::string default_route_interface(const std::string& route_table) {
  std::istringstream lines(route_table);
  std::string line;
  std::getline(lines, line);  // names of the columns
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string interface, destination;
    if (words >> interface >> destination && destination == "00000000") return interface;
  }
  return "";
}

Result<std::string> control_address(const std::string& interface) {
  if (!interface.empty()) return address_of_interface(interface);
  std::ifstream in("/proc/net/route");
  std::ostringstream text;
  text << in.rdbuf();
  const std::string routed = default_route_interface(text.str());
  if (routed.empty()) return std::string("127.0.0.1");
  return address_of_interface(routed);
}

}  // namespace railgauge
