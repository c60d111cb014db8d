// Where the nodes find the orchestrator.
#pragma once

#include <string>

#include "proto/result.h"

namespace railgauge {

// IPv4 number of an interface. Errors (input): no such interface, or it has no IPv4 address.
Result<std::string> address_of_interface(const std::string& interface);

// Interface of the IPv4 default route; "" none. route_table: text of /proc/net/route.
std::string default_route_interface(const std::string& route_table);

// The address to listen on: of `interface` where the site names one; else of the default route's interface;
// without a default route the loopback address, which serves the launcher `local` only.
Result<std::string> control_address(const std::string& interface);

}  // namespace railgauge
