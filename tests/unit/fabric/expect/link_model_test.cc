#include "fabric/expect/link_model.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

TEST(LinkModel, rdma_shares_are_those_of_the_header_sizes) {
  EXPECT_NEAR(rdma_payload_share("InfiniBand", 1024), 0.975, 0.0005);
  EXPECT_NEAR(rdma_payload_share("InfiniBand", 4096), 0.994, 0.0005);
  EXPECT_NEAR(rdma_payload_share("Ethernet", 1024), 0.926, 0.0005);
  EXPECT_NEAR(rdma_payload_share("Ethernet", 4096), 0.980, 0.0005);
  EXPECT_EQ(rdma_payload_share("Ethernet", 9000), rdma_payload_share("Ethernet", 4096));
  EXPECT_EQ(rdma_payload_share("Ethernet", 0), rdma_payload_share("Ethernet", 4096));
}

TEST(LinkModel, tcp_at_1500_is_1448_of_1538) {
  EXPECT_DOUBLE_EQ(tcp_payload_share(1500), 1448.0 / 1538);
  EXPECT_GT(tcp_payload_share(9000), 0.98);
  EXPECT_GT(tcp_payload_share(1), 0);
}

TEST(LinkModel, pcie_caps_are_those_seen_in_practice) {
  EXPECT_NEAR(pcie_raw_bits_per_second(32, 16), 504e9, 1e9);
  EXPECT_NEAR(pcie_payload_bits_per_second(32, 8), 205e9, 1);  // the x8 of a 400 Gbit/s NIC
  EXPECT_NEAR(pcie_payload_bits_per_second(16, 16), 205e9, 1);
  EXPECT_NEAR(pcie_payload_bits_per_second(8, 16), 105e9, 1);
  EXPECT_NEAR(pcie_payload_bits_per_second(32, 4), 105e9, 1);
  EXPECT_EQ(pcie_payload_bits_per_second(0, 16), 0);
  EXPECT_EQ(pcie_payload_bits_per_second(32, 0), 0);
}

}  // namespace
}  // namespace railgauge
