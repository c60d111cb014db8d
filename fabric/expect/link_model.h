// What a link delivers to the user, from standards and public measurements: pure arithmetic. Used to state an
// expectation from a port's maximum and to explain a shortfall ("expected 388, explained by x8: 205").
#pragma once

#include <string_view>

namespace railgauge {

// Share of the link's data rate that is payload of a long transfer.
// link_layer: "InfiniBand" or anything else = Ethernet with RoCEv2 over IPv4. mtu: path MTU in bytes (RDMA
// MTU, at most 4096 is used); 0 = 4096. Always in (0, 1). Source: header sizes of the standards: IB RC middle
// packet 26 B, RoCEv2/IPv4 82 B with preamble and gap.
double rdma_payload_share(std::string_view link_layer, int mtu);

// The same for TCP over Ethernet with time stamps. mtu: IP MTU in bytes; 0 = 1500. 1448/1538 at 1500.
// Source: TCP and IP headers 52 B with time stamps; Ethernet header, FCS, preamble and gap 38 B.
double tcp_payload_share(int mtu);

// Raw rate of a PCIe link after line coding, bits per second; 0 for width or speed not above 0.
// 8b/10b up to 5 GT/s, 128b/130b up to 32, FLIT (about 92 % data) at 64. Source: PCIe base specification.
double pcie_raw_bits_per_second(double speed_gts, int width);

// What a NIC moves through it in practice, bits per second.
// Source: public measurements of 52, 105, 205 and 440 Gbit/s for raw 63, 126, 252 and 504; 82 % of raw
// elsewhere (TLP and DLLP overhead at a payload of 256 B).
double pcie_payload_bits_per_second(double speed_gts, int width);

}  // namespace railgauge
