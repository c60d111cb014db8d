#include "workers/engines/ucx/network_device.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace railgauge {
namespace {

class NetworkDeviceTree : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "rg_sys_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    write("class/net/rail0/operstate", "up");
    write("class/net/rail1/operstate", "down");
    write("class/net/lo/operstate", "unknown");
    write("class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
    write("class/infiniband/mlx5_0/ports/2/state", "1: DOWN");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << "\n";
  }
  std::string error_of(const std::string& device, int port = 1) {
    const auto found = find_device(root_.string(), device, port);
    return found ? "" : found.error().message;
  }
  std::filesystem::path root_;
};

TEST_F(NetworkDeviceTree, interfaces_that_are_up_or_have_no_state_are_taken) {
  EXPECT_EQ(find_device(root_.string(), "rail0", 1)->ucx_name, "rail0");
  EXPECT_EQ(find_device(root_.string(), "lo", 1)->kind, DeviceKind::network);
}

TEST_F(NetworkDeviceTree, rdma_device_is_named_with_its_port) {
  const auto found = find_device(root_.string(), "mlx5_0", 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ucx_name, "mlx5_0:1");
  EXPECT_EQ(found->kind, DeviceKind::rdma);
}

TEST_F(NetworkDeviceTree, interface_that_is_down_is_an_error_that_says_down) {
  EXPECT_NE(error_of("rail1").find("rail1: the interface is down"), std::string::npos);
}
TEST_F(NetworkDeviceTree, carrier_counts_while_the_state_lags_behind) {
  write("class/net/rail1/carrier", "1");
  EXPECT_EQ(error_of("rail1"), "");
  write("class/net/rail1/carrier", "0");
  EXPECT_NE(error_of("rail1"), "");
}
TEST_F(NetworkDeviceTree, missing_device_is_an_error_that_names_it) {
  EXPECT_NE(error_of("rail9").find("rail9: no such"), std::string::npos);
}
TEST_F(NetworkDeviceTree, rdma_port_that_is_down_or_missing_is_an_error) {
  EXPECT_NE(error_of("mlx5_0", 2).find("DOWN"), std::string::npos);
  EXPECT_NE(error_of("mlx5_0", 3).find("no port 3"), std::string::npos);
}
TEST_F(NetworkDeviceTree, names_that_leave_the_folder_or_mean_several_devices_are_refused) {
  for (const char* name : {"", "../rail0", ".", "a/b", "rail0,rail1", "rail 0"})
    EXPECT_NE(error_of(name), "") << name;
}

}  // namespace
}  // namespace railgauge
