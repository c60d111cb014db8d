#include "fabric/expect/link_model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace railgauge {
namespace {

constexpr double kIbPacketOverhead = 26;    // LRH 8, BTH 12, ICRC 4, VCRC 2
constexpr double kRocePacketOverhead = 82;  // preamble 8, Eth 14, IP 20, UDP 8, BTH 12, ICRC 4, FCS 4, gap 12
constexpr int kLargestRdmaMtu = 4096;
constexpr double kTcpIpHeaders = 52;      // IPv4 20, TCP 20, time stamps 12
constexpr double kEthernetOverhead = 38;  // preamble 8, header 14, FCS 4, gap 12
constexpr int kUsualMtu = 1500;

struct PcieFigure {
  double raw_gbit, practical_gbit;
};
constexpr std::array<PcieFigure, 4> kPractical = {{{63, 52}, {126, 105}, {252, 205}, {504, 440}}};
constexpr double kPracticalShare = 0.82;

}  // namespace

double rdma_payload_share(std::string_view link_layer, int mtu) {
  const double payload = mtu <= 0 ? kLargestRdmaMtu : std::min(mtu, kLargestRdmaMtu);
  return payload / (payload + (link_layer == "InfiniBand" ? kIbPacketOverhead : kRocePacketOverhead));
}

double tcp_payload_share(int mtu) {
  const double packet = std::max(mtu <= 0 ? kUsualMtu : mtu, 68);  // 68: the least that IPv4 allows
  return (packet - kTcpIpHeaders) / (packet + kEthernetOverhead);
}

double pcie_raw_bits_per_second(double speed_gts, int width) {
  if (speed_gts <= 0 || width <= 0) return 0;
  const double coding = speed_gts <= 5.0 ? 0.8 : speed_gts <= 32.0 ? 128.0 / 130.0 : 944.0 / 1024.0;
  return speed_gts * 1e9 * width * coding;
}

double pcie_payload_bits_per_second(double speed_gts, int width) {
  const double raw = pcie_raw_bits_per_second(speed_gts, width);
  for (const PcieFigure& f : kPractical) {
    if (std::abs(raw - f.raw_gbit * 1e9) < 0.01 * raw) return f.practical_gbit * 1e9;
  }
  return raw * kPracticalShare;
}

}  // namespace railgauge
