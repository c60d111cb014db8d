#include "tests/unit/workers/probe/fake_sysfs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <set>

#include "workers/probe/probe.h"

namespace railgauge::testing {
namespace fs = std::filesystem;
namespace {

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << "\n";
}

void link(const fs::path& at, const fs::path& to) {
  fs::create_directories(at.parent_path());
  if (!fs::is_symlink(at)) fs::create_symlink(to, at);
}

std::string speed(double gts) { return fmt::format("{:.1f} GT/s PCIe", gts); }

class Writer {
 public:
  Writer(const FakeNode& node, const fs::path& root) : node_(node), root_(root) {}

  void write() {
    for (std::size_t c = 0; c < node_.numa_of_complex.size(); ++c) {
      fs::create_directories(complex_folder(static_cast<int>(c)));
      const int numa = node_.numa_of_complex[c];
      put(root_ / fmt::format("devices/system/node/node{}/cpulist", numa),
          fmt::format("{}-{}", numa * 8, numa * 8 + 7));
    }
    put(root_ / "devices/system/cpu/online", "0-15");
    fs::create_directories(root_ / "class/net");
    fs::create_directories(root_ / "bus/pci/devices");
    put(root_ / "devices/virtual/net/lo/operstate", "unknown");
    link(root_ / "class/net/lo", root_ / "devices/virtual/net/lo");
    for (const FakeDevice& d : node_.devices) device(d);
  }

 private:
  fs::path complex_folder(int c) const { return root_ / fmt::format("devices/pci{:04x}:00", c); }

  // A function's folder, made once; bus numbers are given in order of first use.
  fs::path function(const FakeDevice& d, const fs::path& parent, int device_number, int function_number,
                    const std::string& pci_class, const std::string& id) {
    const auto [bus, fresh] = buses_.try_emplace(parent.string(), next_bus_[d.complex]);
    if (fresh) ++next_bus_[d.complex];
    const std::string address =
        fmt::format("{:04x}:{:02x}:{:02x}.{}", d.complex, bus->second, device_number, function_number);
    const fs::path folder = parent / address;
    if (!made_.insert(folder.string()).second) return folder;
    put(folder / "class", pci_class);
    put(folder / "vendor", "0x" + id.substr(0, 4));
    put(folder / "device", "0x" + id.substr(5));
    put(folder / "numa_node", std::to_string(node_.numa_of_complex[static_cast<std::size_t>(d.complex)]));
    link(root_ / "bus/pci/devices" / address, folder);
    return folder;
  }

  void train(const fs::path& folder, int width, int width_max, double gts, double gts_max) {
    put(folder / "current_link_width", std::to_string(width));
    put(folder / "max_link_width", std::to_string(width_max));
    put(folder / "current_link_speed", speed(gts));
    put(folder / "max_link_speed", speed(gts_max));
  }

  void device(const FakeDevice& d) {
    fs::path above = complex_folder(d.complex);
    for (std::size_t i = 0; i < d.ports.size(); ++i) {
      above = function(d, above, d.ports[i], 0, "0x060400", "1000:c030");
      const bool last = i + 1 == d.ports.size();
      train(above, last ? d.width : 16, 16, last ? d.speed_gts : 32, 32);
      if (!last) {
        above = function(d, above, 0, 0, "0x060400", "1000:c030");
        train(above, 16, 16, 32, 32);
      }
    }
    const bool gpu = d.part == Part::gpu;
    const fs::path folder = function(d, above, 0, d.function,
                                     gpu                            ? "0x030200"
                                     : d.link_layer == "InfiniBand" ? "0x020700"
                                                                    : "0x020000",
                                     d.id);
    train(folder, d.width, d.width_max, d.speed_gts, d.speed_max_gts);
    if (gpu || d.part == Part::bare_function) return;
    link(folder / "driver", root_ / "bus/pci/drivers/mlx5_core");
    if (d.part == Part::virtual_function) link(folder / "physfn", above);
    if (d.part != Part::network) rdma(d, folder);
    const std::string interface = d.part == Part::network ? d.name : d.interface;
    if (!interface.empty()) network(d, interface, folder);
  }

  void rdma(const FakeDevice& d, const fs::path& folder) {
    if (d.name.empty()) return;  // the second function of a bonded card has none
    const fs::path ib = folder / "infiniband" / d.name;
    put(ib / "node_guid", "");
    put(ib / "fw_ver", "28.39.1002");
    put(ib / "ports/1/state", d.up ? "4: ACTIVE" : "1: DOWN");
    put(ib / "ports/1/rate", fmt::format("{:g} Gb/sec (4X NDR)", d.gbit));
    put(ib / "ports/1/link_layer", d.link_layer);
    put(ib / "ports/1/gids/0", "fe80:0000:0000:0000:0000:0000:0000:0001");
    put(ib / "ports/1/pkeys/0", "0xffff");
    link(ib / "device", folder);
    link(root_ / "class/infiniband" / d.name, ib);
  }

  void network(const FakeDevice& d, const std::string& name, const fs::path& folder) {
    const fs::path net = folder / "net" / name;
    put(net / "address", "");
    put(net / "operstate", d.up ? "up" : "down");
    put(net / "mtu", "4200");
    put(net / "speed", d.up ? fmt::format("{:.0f}", d.gbit * 1000) : "-1");
    put(net / "type", d.link_layer == "InfiniBand" ? "32" : "1");
    put(net / "dev_port", "0");
    link(net / "device", folder);
    link(root_ / "class/net" / name, net);
    if (d.bond.empty()) return;
    const fs::path bond = root_ / "devices/virtual/net" / d.bond;
    put(bond / "operstate", "up");
    put(bond / "mtu", "4200");
    slaves_[d.bond] += (slaves_[d.bond].empty() ? "" : " ") + name;
    put(bond / "bonding/slaves", slaves_[d.bond]);
    link(net / "master", bond);
    link(root_ / "class/net" / d.bond, bond);
  }

  const FakeNode& node_;
  fs::path root_;
  std::map<std::string, int> buses_;
  std::map<int, int> next_bus_;
  std::set<std::string> made_;
  std::map<std::string, std::string> slaves_;
};

}  // namespace

TemporaryFolder::TemporaryFolder() {
  // A tree has a thousand small files: in memory that takes milliseconds, on some disks seconds.
  const fs::path base = access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path();
  std::string pattern = (base / "rg-sysfs-XXXXXX").string();
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path_ = fs::canonical(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_sysfs(const FakeNode& node, const fs::path& root) { Writer(node, root).write(); }

NodeFacts facts_of(const FakeNode& node, const std::string& name) {
  const TemporaryFolder folder;
  write_sysfs(node, folder.path() / "sys");
  ProbeOptions options;
  options.node = name;
  options.sysfs_root = (folder.path() / "sys").string();
  Result<NodeFacts> facts = probe_node(options);
  EXPECT_TRUE(facts.has_value());
  facts->machine_id = "machine of " + name;
  for (std::size_t i = 0; i < facts->nics.size(); ++i) {
    facts->nics[i].guid = fmt::format("{:08x}:{:04x}", std::hash<std::string>()(name) & 0xffffffffU, i);
  }
  return std::move(*facts);
}

}  // namespace railgauge::testing
