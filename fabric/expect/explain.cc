#include "fabric/expect/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "fabric/expect/link_model.h"
#include "proto/units.h"

namespace railgauge {
namespace {

constexpr int kFullRdmaMtu = 4096;
constexpr int kFullEthernetMtu = 4200;  // of the port, for an RDMA MTU of 4096

void take(std::optional<ObservedLimit>& lowest, ObservedLimit limit) {
  if (limit.bits_per_second <= 0) return;
  if (!lowest || limit.bits_per_second < lowest->bits_per_second) lowest = std::move(limit);
}

void pcie(const NicFacts& nic, std::optional<ObservedLimit>& lowest) {
  for (const PciFunction& f : nic.place.path) {
    if (!f.speed_gts || !f.width) continue;
    const int width_max = f.width_max.value_or(*f.width);
    const double speed_max = f.speed_max_gts.value_or(*f.speed_gts);
    if (*f.width >= width_max && *f.speed_gts >= speed_max) continue;
    take(lowest, {pcie_payload_bits_per_second(*f.speed_gts, *f.width),
                  fmt::format("PCIe x{} at {:g} GT/s at {} (x{} at {:g} possible)", *f.width, *f.speed_gts,
                              f.address, width_max, speed_max)});
  }
}

}  // namespace

std::optional<ObservedLimit> observed_limit(const NodeEntry& node, const std::string& device, int port) {
  const auto nic = std::find_if(node.facts.nics.begin(), node.facts.nics.end(),
                                [&](const NicFacts& f) { return f.device == device && f.port == port; });
  if (nic == node.facts.nics.end()) return std::nullopt;
  std::optional<ObservedLimit> lowest;
  pcie(*nic, lowest);
  const bool plain = nic->kind == NicKind::network_interface || nic->device == nic->interface;
  const double share = plain ? tcp_payload_share(0) : rdma_payload_share(nic->link_layer, 0);
  const double rate = nic->rate_bits_per_second.value_or(0),
               rate_max = nic->rate_max_bits_per_second.value_or(0);
  if (rate > 0 && rate < rate_max) {
    take(lowest,
         {rate * share, fmt::format("port trained to {} of {}", to_text(BitRate::bits_per_second(rate)),
                                    to_text(BitRate::bits_per_second(rate_max)))});
  }
  const bool infiniband = nic->link_layer == "InfiniBand";
  if (!plain && nic->mtu && rate > 0 && *nic->mtu < (infiniband ? kFullRdmaMtu : kFullEthernetMtu)) {
    // RoCE uses the largest of 256, 512 ... 4096 that fits into the port's MTU.
    int path_mtu = 256;
    while (path_mtu * 2 + (infiniband ? 0 : 74) <= *nic->mtu) path_mtu *= 2;
    take(lowest, {rate * rdma_payload_share(nic->link_layer, path_mtu), fmt::format("MTU {}", *nic->mtu)});
  }
  return lowest;
}

}  // namespace railgauge
