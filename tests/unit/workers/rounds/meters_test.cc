#include "workers/rounds/meters.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace railgauge {
namespace {

class MetersTest : public testing::Test {
 protected:
  ~MetersTest() override { std::filesystem::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ + path).substr(0, (root_ + path).rfind('/')));
    std::ofstream(root_ + path) << text;
  }
  const std::string root_ = testing::TempDir() + "meters-" + std::to_string(getpid());
};

TEST_F(MetersTest, an_interface_counts_bytes) {
  put("/sys/class/net/rail0/statistics/tx_bytes", "123\n");
  put("/sys/class/net/rail0/statistics/rx_bytes", "456\n");
  const NicBytes b = SystemMeters("rail0", "rail0", 1, root_).nic_bytes();
  EXPECT_TRUE(b.known);
  EXPECT_EQ(b.sent, 123U);
  EXPECT_EQ(b.received, 456U);
}

TEST_F(MetersTest, an_rdma_port_counts_words_of_four_bytes_and_wins_over_its_interface) {
  put("/sys/class/infiniband/mlx5_0/ports/2/counters/port_xmit_data", "10\n");
  put("/sys/class/infiniband/mlx5_0/ports/2/counters/port_rcv_data", "20\n");
  put("/sys/class/net/ib0/statistics/tx_bytes", "1\n");
  put("/sys/class/net/ib0/statistics/rx_bytes", "1\n");
  const NicBytes b = SystemMeters("ib0", "mlx5_0", 2, root_).nic_bytes();
  EXPECT_EQ(b.sent, 40U);
  EXPECT_EQ(b.received, 80U);
}

TEST_F(MetersTest, no_counter_is_unknown_and_no_schedstat_is_zero) {
  EXPECT_FALSE(SystemMeters("rail9", "rail9", 1, root_).nic_bytes().known);
  EXPECT_FALSE(SystemMeters("", "", 1, root_).nic_bytes().known);
  EXPECT_EQ(SystemMeters("", "", 1, root_).run_delay_ns(), 0);
  put("/proc/self/schedstat", "1000 77 3\n");
  EXPECT_EQ(SystemMeters("", "", 1, root_).run_delay_ns(), 77);
}

}  // namespace
}  // namespace railgauge
