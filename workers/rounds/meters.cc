#include "workers/rounds/meters.h"

#include <fmt/format.h>
#include <time.h>

#include <fstream>
#include <optional>
#include <utility>

namespace railgauge {
namespace {

std::optional<std::uint64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

}  // namespace

SystemMeters::SystemMeters(std::string interface, std::string device, int port, std::string root)
    : root_(std::move(root)),
      interface_(std::move(interface)),
      infiniband_(device.empty() ? ""
                                 : fmt::format("/sys/class/infiniband/{}/ports/{}/counters/", device, port)) {
}

NicBytes SystemMeters::nic_bytes() const {
  if (!infiniband_.empty()) {
    const auto sent = read_number(root_ + infiniband_ + "port_xmit_data");
    const auto received = read_number(root_ + infiniband_ + "port_rcv_data");
    if (sent && received) return {true, *sent * 4, *received * 4};
  }
  if (interface_.empty()) return {};
  const std::string folder = root_ + "/sys/class/net/" + interface_ + "/statistics/";
  const auto sent = read_number(folder + "tx_bytes");
  const auto received = read_number(folder + "rx_bytes");
  if (!sent || !received) return {};
  return {true, *sent, *received};
}

std::int64_t SystemMeters::run_delay_ns() const {
  std::ifstream file(root_ + "/proc/self/schedstat");
  std::int64_t on_cpu = 0, waited = 0;
  if (!(file >> on_cpu >> waited)) return 0;
  return waited;
}

Nanos SystemClock::now() const {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return Nanos::ns(static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec);
}

}  // namespace railgauge
