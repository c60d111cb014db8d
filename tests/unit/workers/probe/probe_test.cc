#include "workers/probe/probe.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>

#include "tests/unit/fabric/inventory/node_kinds.h"
#include "tests/unit/workers/probe/fake_sysfs.h"
#include "workers/probe/host.h"
#include "workers/probe/sysfs.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;
using testing::facts_of;
using testing::node_kind;
using testing::TemporaryFolder;

const NicFacts* find(const NodeFacts& facts, const std::string& device) {
  for (const NicFacts& n : facts.nics) {
    if (n.device == device) return &n;
  }
  return nullptr;
}

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(Probe, path_has_both_ends_of_every_link_up_to_the_root_port) {
  const NodeFacts facts = facts_of(node_kind("dgx_a100").node, "n1");
  ASSERT_EQ(facts.gpus.size(), 8U);
  EXPECT_EQ(facts.gpus[0].place.path.size(), 6U);
  EXPECT_EQ(facts.gpus[0].place.slot, "root0/1.0/0.0/8.0/0.0/0.0/0.0");
  for (const PciFunction& f : facts.gpus[0].place.path) {
    EXPECT_TRUE(f.speed_gts && f.speed_max_gts && f.width && f.width_max) << f.address;
  }
  EXPECT_EQ(facts.gpus[0].place.numa_node, 0);
  ASSERT_EQ(facts.numa.size(), 2U);
  EXPECT_EQ(facts.cpus, 16);
}

TEST(Probe, slots_do_not_change_when_a_neighbour_is_absent_and_buses_are_renumbered) {
  testing::FakeNode node = node_kind("hgx_h100").node;
  const NodeFacts all = facts_of(node, "n1");
  std::erase_if(node.devices, [](const testing::FakeDevice& d) { return d.name == "mlx5_0"; });
  const NodeFacts less = facts_of(node, "n1");
  EXPECT_EQ(find(less, "mlx5_0"), nullptr);
  EXPECT_EQ(find(less, "mlx5_1")->place.slot, find(all, "mlx5_1")->place.slot);
}

TEST(Probe, bond_is_one_NIC_with_its_members) {
  const NodeFacts facts = facts_of(node_kind("bonded").node, "n1");
  const NicFacts* bond = find(facts, "mlx5_bond_2");
  ASSERT_NE(bond, nullptr);
  EXPECT_EQ(bond->kind, NicKind::bond);
  EXPECT_EQ(bond->interface, "bond2");
  EXPECT_EQ(bond->members, (std::vector<std::string>{"ens2f0", "ens2f1"}));
  EXPECT_EQ(facts.nics.size(), 5U);  // four bonds and the management port
}

TEST(Probe, virtual_functions_are_told_from_their_parents) {
  const NodeFacts facts = facts_of(node_kind("with_vfs").node, "n1");
  EXPECT_EQ(find(facts, "mlx5_0")->kind, NicKind::physical);
  EXPECT_EQ(find(facts, "mlx5_11")->kind, NicKind::virtual_function);
}

TEST(Probe, rate_state_and_firmware_of_a_port_are_read_and_a_dead_port_has_no_rate) {
  testing::FakeNode node = node_kind("cpu_only").node;
  node.devices[1].up = false;
  const NodeFacts facts = facts_of(node, "n1");
  const NicFacts* up = find(facts, "mlx5_0");
  EXPECT_EQ(up->state, "up");
  EXPECT_EQ(up->rate_bits_per_second, 200e9);
  EXPECT_EQ(up->link_layer, "InfiniBand");
  EXPECT_EQ(up->firmware, "28.39.1002");
  EXPECT_EQ(up->model, "15b3:101b");
  EXPECT_EQ(up->driver, "mlx5_core");
  EXPECT_EQ(find(facts, "mlx5_1")->state, "down");
  EXPECT_FALSE(find(facts, "mlx5_1")->rate_bits_per_second);
}

TEST(Probe, network_function_without_driver_is_listed_as_down_at_its_place) {
  testing::FakeNode node = node_kind("cpu_only").node;
  node.devices[1].part = testing::Part::bare_function;
  const NodeFacts facts = facts_of(node, "n1");
  const NicFacts* bare = find(facts, "0001:01:00.0");
  ASSERT_NE(bare, nullptr);
  EXPECT_EQ(bare->state, "down");
  EXPECT_EQ(bare->place.slot, "root1/1.0/0.0");
}

TEST(Probe, soft_rdma_device_takes_the_PCI_place_of_its_parent_interface) {
  const TemporaryFolder folder;
  const fs::path sys = folder.path() / "sys";
  testing::write_sysfs(node_kind("cpu_only").node, sys);
  const fs::path rxe = sys / "devices/virtual/infiniband/rxe0";
  put(rxe / "parent", "eno1\n");
  put(rxe / "ports/1/state", "4: ACTIVE\n");
  put(rxe / "ports/1/link_layer", "Ethernet\n");
  fs::create_symlink(rxe, sys / "class/infiniband/rxe0");
  const auto facts = probe_node({.node = "n1", .sysfs_root = sys.string()});
  ASSERT_TRUE(facts.has_value());
  const NicFacts* soft = find(*facts, "rxe0");
  ASSERT_NE(soft, nullptr);
  EXPECT_EQ(soft->interface, "eno1");
  EXPECT_EQ(soft->place.slot, "root2/9.0/0.0");
  EXPECT_EQ(find(*facts, "eno1"), nullptr);
}

TEST(Probe, console_graphics_are_no_GPU_and_that_is_noted) {
  const TemporaryFolder folder;
  const fs::path sys = folder.path() / "sys";
  testing::write_sysfs(node_kind("cpu_only").node, sys);
  const fs::path vga = sys / "devices/pci0000:00/0000:00:02.0";
  put(vga / "class", "0x030000\n");
  put(vga / "vendor", "0x1a03\n");
  put(vga / "device", "0x2000\n");
  fs::create_symlink(vga, sys / "bus/pci/devices/0000:00:02.0");
  const auto facts = probe_node({.node = "n1", .sysfs_root = sys.string()});
  ASSERT_TRUE(facts.has_value());
  EXPECT_TRUE(facts->gpus.empty());
  ASSERT_FALSE(facts->notes.empty());
}

TEST(Probe, foreign_tree_says_nothing_about_this_machine) {
  const NodeFacts facts = facts_of(node_kind("cpu_only").node, "n1");
  EXPECT_EQ(facts.kernel, "");
  EXPECT_FALSE(facts.limits.open_files);
  for (const NicFacts& n : facts.nics) EXPECT_EQ(n.address, "");
}

TEST(Probe, this_machine_can_be_probed) {
  const auto facts = probe_node({.node = "here"});
  ASSERT_TRUE(facts.has_value());
  EXPECT_FALSE(facts->kernel.empty());
  EXPECT_GE(facts->cpus.value_or(0), 1);
  EXPECT_EQ(find(*facts, "lo"), nullptr);
}

TEST(Probe, a_folder_that_is_no_sysfs_and_a_nameless_node_are_errors) {
  const TemporaryFolder folder;
  const auto none = probe_node({.node = "n1", .sysfs_root = folder.path().string()});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ErrorKind::input);
  EXPECT_NE(none.error().message.find(folder.path().string()), std::string::npos);
  EXPECT_FALSE(probe_node({}).has_value());
}

TEST(Probe, machine_id_is_hashed_and_its_absence_is_noted) {
  const TemporaryFolder folder;
  put(folder.path() / "id", "0123456789abcdef0123456789abcdef\n");
  const auto facts = probe_node({.node = "n1", .machine_id_file = (folder.path() / "id").string()});
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->machine_id.size(), 16U);
  EXPECT_EQ(facts->machine_id.find("0123456789abcdef"), std::string::npos);
  const auto without = probe_node({.node = "n1", .machine_id_file = (folder.path() / "none").string()});
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ(without->machine_id, "");
  EXPECT_FALSE(without->notes.empty());
}

TEST(Sysfs, reads_are_bounded_and_pipes_do_not_hold) {
  const TemporaryFolder folder;
  put(folder.path() / "large", std::string(1U << 20U, 'x'));
  EXPECT_EQ(sysfs::text((folder.path() / "large").string()).size(), std::size_t{64} << 10U);
  ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(sysfs::text((folder.path() / "pipe").string()), "");
  EXPECT_EQ(sysfs::text((folder.path() / "absent").string()), "");
  EXPECT_EQ(sysfs::number("400 Gb/sec (4X NDR)"), 400);
  EXPECT_EQ(sysfs::number("Unknown"), std::nullopt);
  EXPECT_EQ(sysfs::integer(""), std::nullopt);
}

TEST(Versions, package_files_say_more_than_library_names) {
  const TemporaryFolder folder;
  put(folder.path() / "usr/lib64/libucp.so.0.0.0", "");
  put(folder.path() / "usr/lib64/pkgconfig/ucx.pc", "Name: ucx\nVersion: 1.13.1\n");
  put(folder.path() / "usr/local/cuda/lib64/libcudart.so.13", "");
  put(folder.path() / "usr/local/cuda/lib64/libnccl.so.2", "");
  put(folder.path() / "usr/include/nccl.h",
      "#define NCCL_MAJOR 2\n#define NCCL_MINOR 28\n#define NCCL_PATCH 9\n");
  std::string all;
  for (const Version& v : library_versions(folder.path().string())) all += v.name + " " + v.value + ";";
  EXPECT_EQ(all, "ucx 1.13.1;cuda libcudart.so.13;nccl 2.28.9;");
}

}  // namespace
}  // namespace railgauge
