// Is the device there and up? UCX only warns about a missing device and then fails late, or takes another
// one.
#pragma once

#include <string>

#include "proto/result.h"

namespace railgauge {

enum class DeviceKind { network, rdma };

struct NetworkDevice {
  DeviceKind kind = DeviceKind::network;
  std::string ucx_name;  // "rail2", "mlx5_0:1"
};

// sys_root: "/sys". port: of an RDMA device, from 1. Errors (environment): no such device or port, or it is
// down (state in the text). A network interface whose state is "unknown" (loopback, tunnels) counts as up.
Result<NetworkDevice> find_device(const std::string& sys_root, const std::string& device, int port);

}  // namespace railgauge
