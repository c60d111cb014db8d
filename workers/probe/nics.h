// NICs of a node: RDMA ports, and network interfaces that are not the interface of one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fabric/inventory/node_facts.h"
#include "workers/probe/pci.h"

namespace railgauge {

// What the running kernel says of an interface; only asked where the sysfs tree is this machine's.
struct LiveInterface {
  std::string address;  // "10.10.0.1/24"; the first IPv4 address
  std::string subnet;   // "10.10.0.0/24"
  std::string mac;
  bool up = false;  // administratively up and with carrier
};

// By name, of this network namespace. Empty: could not be read (said in notes).
std::map<std::string, LiveInterface> live_interfaces(std::vector<std::string>& notes);

// Sorted by slot, then port. live: of this machine, or empty for a foreign tree. Loopback and bridges are
// left out, and so are the slaves of a bond that have no RDMA device of their own. A network function without
// driver is listed by its address.
std::vector<NicFacts> read_nics(const std::string& root, const PciTree& pci,
                                const std::map<std::string, LiveInterface>& live);

}  // namespace railgauge
