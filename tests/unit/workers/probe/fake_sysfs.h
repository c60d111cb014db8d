// Writes the sysfs tree of a node that does not exist, from a compact description.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fabric/inventory/node_facts.h"

namespace railgauge::testing {

enum class Part { gpu, rdma, network, virtual_function, bare_function };

struct FakeDevice {
  Part part = Part::rdma;
  std::string name;  // "mlx5_0"; a network interface's name
  std::vector<int>
      ports;  // device numbers from the root port down: {1} direct, {1, 0} below one switch, {1, 0, 2} two
  int complex = 0;  // root complex
  int function = 0;
  std::string id = "15b3:1021";
  std::string link_layer = "InfiniBand";
  double gbit = 400;
  bool up = true;
  std::string interface;  // of an RDMA device
  std::string bond;       // this device's interface is its slave
  int width = 16, width_max = 16;
  double speed_gts = 32, speed_max_gts = 32;
};

struct FakeNode {
  std::vector<int> numa_of_complex;
  std::vector<FakeDevice> devices;
};

// A folder of its own that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Makes `root` a sysfs tree of the node. Addresses: domain = root complex, buses count from 0 in the order of
// devices.
void write_sysfs(const FakeNode& node, const std::filesystem::path& root);

// Writes the tree, probes it, removes it. GUIDs are made from name and device, so that no two nodes share
// one.
NodeFacts facts_of(const FakeNode& node, const std::string& name);

}  // namespace railgauge::testing
