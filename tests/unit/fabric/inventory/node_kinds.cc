#include "tests/unit/fabric/inventory/node_kinds.h"

#include <fmt/format.h>

#include <stdexcept>

namespace railgauge::testing {
namespace {

FakeDevice gpu(int complex, std::vector<int> ports, std::string id = "10de:2330") {
  FakeDevice d;
  d.part = Part::gpu;
  d.complex = complex;
  d.ports = std::move(ports);
  d.id = std::move(id);
  return d;
}

FakeDevice nic(std::string name, int complex, std::vector<int> ports, double gbit,
               std::string id = "15b3:1021", std::string link_layer = "InfiniBand") {
  FakeDevice d;
  d.name = std::move(name);
  d.complex = complex;
  d.ports = std::move(ports);
  d.gbit = gbit;
  d.id = std::move(id);
  d.link_layer = std::move(link_layer);
  return d;
}

FakeDevice management(int complex) {
  FakeDevice d = nic("eno1", complex, {9}, 1, "8086:1521", "Ethernet");
  d.part = Part::network;
  d.width = d.width_max = 4;
  d.speed_gts = d.speed_max_gts = 5;
  return d;
}

std::string mlx(int i) { return fmt::format("mlx5_{}", i); }

// Four switches, each with two compute NICs below it and two GPUs behind a second switch: PXB. Two storage
// NICs of the same model and rate have root complexes of their own. Source: DGX A100 user guide; `topo -m` of
// an A100 with ten NICs.
NodeKind dgx_a100() {
  NodeKind k{"dgx_a100", {{0, 0, 1, 1, 0, 1}, {}}, {}, PathClass::pxb, 8};
  for (int c = 0; c < 4; ++c) {
    for (int i = 0; i < 2; ++i) {
      k.node.devices.push_back(gpu(c, {1, 8, i}, "10de:20b0"));
      k.node.devices.push_back(nic(mlx(2 * c + i), c, {1, i}, 200, "15b3:101b"));
      k.compute.push_back(mlx(2 * c + i));
    }
  }
  k.node.devices.push_back(nic("mlx5_8", 4, {1}, 200, "15b3:101b"));
  k.node.devices.push_back(nic("mlx5_9", 5, {1}, 200, "15b3:101b"));
  for (FakeDevice& d : k.node.devices) d.speed_gts = d.speed_max_gts = 16;
  return k;
}

// Eight switches, one GPU and one NIC on each; two storage NICs at another rate, one management port.
NodeKind hgx_h100() {
  NodeKind k{"hgx_h100", {{0, 0, 0, 0, 1, 1, 1, 1, 0, 1}, {}}, {}, PathClass::pix, 8};
  for (int c = 0; c < 8; ++c) {
    k.node.devices.push_back(gpu(c, {1, 0}));
    k.node.devices.push_back(nic(mlx(c), c, {1, 1}, 400));
    k.compute.push_back(mlx(c));
  }
  k.node.devices.push_back(nic("mlx5_8", 8, {1}, 200, "15b3:a2dc", "Ethernet"));
  k.node.devices.push_back(nic("mlx5_9", 9, {1}, 200, "15b3:a2dc", "Ethernet"));
  k.node.devices.push_back(management(8));
  return k;
}

// Eight switches with one GPU, four EFA devices and four ENA interfaces each. Source: lstopo of a
// p5.48xlarge.
NodeKind p5() {
  NodeKind k{"p5", {{0, 0, 0, 0, 1, 1, 1, 1}, {}}, {}, PathClass::pix, 8};
  for (int c = 0; c < 8; ++c) {
    for (int i = 0; i < 4; ++i) {
      FakeDevice ena = nic(fmt::format("ens{}", 4 * c + i + 32), c, {1, i}, 100, "1d0f:ec20", "Ethernet");
      ena.part = Part::network;
      k.node.devices.push_back(ena);
      const std::string name = fmt::format("rdmap{}s0", 4 * c + i + 79);
      k.node.devices.push_back(nic(name, c, {1, 8 + i}, 100, "1d0f:efa1", "Unspecified"));
      k.compute.push_back(name);
    }
    k.node.devices.push_back(gpu(c, {1, 16}));
  }
  return k;
}

// The NIC's own PCIe switch carries the GPU: one 800 Gbit/s NIC each.
NodeKind b300() {
  NodeKind k{"b300", {{0, 0, 0, 0, 1, 1, 1, 1, 0}, {}}, {}, PathClass::pix, 8};
  for (int c = 0; c < 8; ++c) {
    k.node.devices.push_back(nic(mlx(c), c, {1, 0}, 800, "15b3:1023"));
    k.node.devices.push_back(gpu(c, {1, 2}, "10de:3182"));
    k.compute.push_back(mlx(c));
  }
  k.node.devices.push_back(nic("mlx5_8", 8, {1}, 200, "15b3:a2dc", "Ethernet"));
  for (FakeDevice& d : k.node.devices) d.speed_gts = d.speed_max_gts = 32;
  return k;
}

// Four GPUs that hang on their CPU, four NICs on root complexes of their own: same NUMA node at best.
NodeKind gb200() {
  NodeKind k{"gb200", {{0, 0, 1, 1, 0, 0, 1, 1, 0, 1}, {}}, {}, PathClass::node, 4};
  for (int c = 0; c < 4; ++c) {
    k.node.devices.push_back(nic(mlx(c), c, {0}, 400));
    k.node.devices.push_back(gpu(c + 4, {0}, "10de:2941"));
    k.compute.push_back(mlx(c));
  }
  k.node.devices.push_back(nic("mlx5_4", 8, {0}, 200, "15b3:a2dc", "Ethernet"));
  k.node.devices.push_back(nic("mlx5_5", 9, {0}, 200, "15b3:a2dc", "Ethernet"));
  return k;
}

NodeKind four_nics() {
  NodeKind k{"four_nics", {{0, 0, 1, 1}, {}}, {}, PathClass::pix, 8};
  for (int c = 0; c < 4; ++c) {
    k.node.devices.push_back(gpu(c, {1, 0}));
    k.node.devices.push_back(gpu(c, {1, 1}));
    k.node.devices.push_back(nic(mlx(c), c, {1, 2}, 400));
    k.compute.push_back(mlx(c));
  }
  k.node.devices.push_back(management(0));
  return k;
}

NodeKind dual_port() {
  NodeKind k{"dual_port", {{0, 0, 1, 1}, {}}, {}, PathClass::pix, 8};
  for (int c = 0; c < 4; ++c) {
    k.node.devices.push_back(gpu(c, {1, 0}));
    k.node.devices.push_back(gpu(c, {1, 1}));
    for (int f = 0; f < 2; ++f) {
      FakeDevice d = nic(mlx(2 * c + f), c, {1, 2}, 200);
      d.function = f;
      k.node.devices.push_back(d);
      k.compute.push_back(d.name);
    }
  }
  return k;
}

// Both ports of each card in one bond: one RDMA device stands for them, the second function has only its
// interface.
NodeKind bonded() {
  NodeKind k{"bonded", {{0, 0, 1, 1}, {}}, {}, PathClass::pix, 8};
  for (int c = 0; c < 4; ++c) {
    k.node.devices.push_back(gpu(c, {1, 0}));
    k.node.devices.push_back(gpu(c, {1, 1}));
    for (int f = 0; f < 2; ++f) {
      FakeDevice d =
          nic(f == 0 ? fmt::format("mlx5_bond_{}", c) : "", c, {1, 2}, 400, "15b3:1021", "Ethernet");
      d.function = f;
      d.interface = fmt::format("ens{}f{}", c, f);
      d.bond = fmt::format("bond{}", c);
      k.node.devices.push_back(d);
    }
    k.compute.push_back(fmt::format("mlx5_bond_{}", c));
  }
  k.node.devices.push_back(management(0));
  return k;
}

NodeKind with_vfs() {
  NodeKind k = hgx_h100();
  k.name = "with_vfs";
  for (int c = 0; c < 8; ++c) {
    for (int f = 1; f <= 4; ++f) {
      FakeDevice d = nic(mlx(10 + 4 * c + f), c, {1, 1}, 400, "15b3:101e");
      d.part = Part::virtual_function;
      d.function = f;
      k.node.devices.push_back(d);
    }
  }
  return k;
}

NodeKind cpu_only() {
  NodeKind k{"cpu_only", {{0, 1, 0}, {}}, {"mlx5_0", "mlx5_1"}, PathClass::unknown, 0};
  k.node.devices.push_back(nic("mlx5_0", 0, {1}, 200, "15b3:101b"));
  k.node.devices.push_back(nic("mlx5_1", 1, {1}, 200, "15b3:101b"));
  k.node.devices.push_back(management(2));
  return k;
}

}  // namespace

const std::vector<NodeKind>& node_kinds() {
  static const std::vector<NodeKind> kKinds = {dgx_a100(),  hgx_h100(),  p5(),     b300(),     gb200(),
                                               four_nics(), dual_port(), bonded(), with_vfs(), cpu_only()};
  return kKinds;
}

const NodeKind& node_kind(const std::string& name) {
  for (const NodeKind& k : node_kinds()) {
    if (k.name == name) return k;
  }
  throw std::out_of_range(name);
}

}  // namespace railgauge::testing
