#include "workers/engines/ucx/network_device.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace railgauge {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  char line[128] = {};
  in.getline(line, sizeof line);
  return line;
}

}  // namespace

Result<NetworkDevice> find_device(const std::string& sys_root, const std::string& device, int port) {
  if (device.empty() || device.size() > 63 || device.find_first_of("/,: \t\n") != std::string::npos ||
      device[0] == '.')
    return fail(ErrorKind::environment,
                fmt::format("\"{}\" is not the name of a network device", device.substr(0, 63)));
  std::error_code ignored;
  const std::filesystem::path net = std::filesystem::path(sys_root) / "class/net" / device;
  const std::filesystem::path rdma = std::filesystem::path(sys_root) / "class/infiniband" / device;
  if (std::filesystem::exists(rdma, ignored)) {
    const std::filesystem::path state = rdma / "ports" / std::to_string(port) / "state";
    if (!std::filesystem::exists(state, ignored))
      return fail(ErrorKind::environment,
                  fmt::format("{}: has no port {}; see `ibv_devinfo -d {}`", device, port, device));
    const std::string text = first_line(state);  // "4: ACTIVE"
    if (text.find("ACTIVE") == std::string::npos)
      return fail(ErrorKind::environment,
                  fmt::format("{}: port {} is {}; check cable and subnet manager", device, port, text));
    return NetworkDevice{DeviceKind::rdma, fmt::format("{}:{}", device, port)};
  }
  if (!std::filesystem::exists(net, ignored))
    return fail(ErrorKind::environment,
                fmt::format("{}: no such network or RDMA device on this host; see `ip link`", device));
  const std::string state = first_line(net / "operstate");
  // The kernel updates operstate up to a second after the link came up; carrier is right at once (and
  // unreadable while the interface is set down).
  if (state != "up" && state != "unknown" && first_line(net / "carrier") != "1")
    return fail(ErrorKind::environment,
                fmt::format("{}: the interface is {}; check the cable, then `ip link set {} up`", device,
                            state.empty() ? "unreadable" : state, device));
  return NetworkDevice{DeviceKind::network, device};
}

}  // namespace railgauge
