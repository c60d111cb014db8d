// PCI functions of a node and the chain above each, from sysfs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/inventory/node_facts.h"

namespace railgauge {

class PciTree {
 public:
  // root: "/sys", or a folder that holds a copy of it.
  explicit PciTree(std::string root);

  // Where the PCI function behind a sysfs device folder sits; a place without path if there is none above it
  // (virtual devices). `device_path` may be a link, and may lie below the function (virtio1,
  // infiniband/mlx5_0).
  PciPlace place(const std::string& device_path) const;

  // The function's folder in sysfs. Empty: no such function.
  std::string folder(const std::string& address) const;

  // "15b3:1021"; empty if it cannot be read.
  std::string id(const std::string& address) const;

  // Display and 3D controllers (class 0x03), by address. Board management graphics are no GPUs: each is named
  // in notes.
  std::vector<GpuFacts> gpus(std::vector<std::string>& notes) const;

  // Network controllers (class 0x02), by address.
  std::vector<std::string> network_functions() const;

 private:
  PciFunction function(const std::string& folder, const std::string& address) const;
  std::string root_;
  std::map<std::string, int> complexes_;        // "pci0000:16" -> 1
  std::map<std::string, std::string> classes_;  // address -> "0x020700"
};

}  // namespace railgauge
