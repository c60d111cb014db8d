// What the probe found on one node: facts only, no judgement. Collected by workers/probe, read by everything else.
// Absent (nullopt, "") = could not be read on this node; never a guess.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

// One PCI function on the way from a device up to its root port, or the device itself.
struct PciFunction {
  std::string address;      // "0000:17:00.0"
  std::string pci_class;    // "0x020700", from sysfs `class`
  std::string id;           // "15b3:1021" vendor:device
  // Trained and greatest link of *this* end (towards its parent for endpoints and upstream ports,
  // towards its child for root and downstream ports). Speeds in GT/s. Source: sysfs current_link_speed ...
  std::optional<double> speed_gts, speed_max_gts;
  std::optional<int> width, width_max;
};

// Where a device sits. slot names the place and not the device: root complex, then device.function of each port,
// e.g. "root0/1.0/0.0/4.0" (root complexes in address order): it survives renumbered buses and absent neighbours.
struct PciPlace {
  std::string slot;
  std::vector<PciFunction> path;  // root port first, the device last; empty: not a PCI device
  std::optional<int> numa_node;
};

struct GpuFacts {
  std::string address;  // PCI address
  std::string model;    // vendor:device, or the driver's name for it
  PciPlace place;
};

enum class NicKind { physical, virtual_function, bond, subfunction, plane, network_interface };
std::string_view to_text(NicKind kind);
std::span<const NicKind> all_values(NicKind);

struct NicFacts {
  std::string device;      // RDMA device ("mlx5_3"); without one the network interface ("rail0", "ens1f0")
  int port = 1;
  NicKind kind = NicKind::physical;
  std::string interface;   // network interface, if any
  std::vector<std::string> members;   // of a bond
  std::string link_layer;  // "InfiniBand", "Ethernet"
  std::string state;       // "up" or "down"; sysfs operstate or port state
  std::optional<double> rate_max_bits_per_second;  // what the port can do
  std::optional<double> rate_bits_per_second;      // what it trained to
  std::optional<int> mtu;
  std::string driver, firmware, model;  // model: vendor:device
  PciPlace place;          // of the PCI device behind it
  // A node's own, not part of the shared layout:
  std::string guid;        // node GUID or MAC address
  std::string address;     // IPv4 of the interface, "10.10.0.1/24"
  std::string subnet;      // IB subnet prefix, or the IPv4 network "10.10.0.0/24"
  std::vector<int> pkeys;
};

struct NumaNode {
  int id = 0;
  std::string cpus;  // "0-31,64-95"
  std::optional<std::uint64_t> memory_bytes;
};

struct Version {
  std::string name;   // "kernel", "mpi", "ucx", "cuda", "nccl", "rdma-core"
  std::string value;
};

struct Limits {
  std::optional<std::uint64_t> memlock_bytes;  // absent = unlimited
  std::optional<std::uint64_t> open_files, processes;
};

struct NodeFacts {
  std::string node;         // id: Slurm name or the host file's name; never gethostname() alone
  std::string host_name;
  std::string machine_id;   // hash of /etc/machine-id
  std::string board_serial;
  std::string build_id;     // of the railgauge-rank that answered
  std::string kernel, kernel_command_line;
  std::string hypervisor;   // "", "kvm", "vmware" ...
  std::string container;    // "", "docker", "podman", "enroot" ...
  std::vector<Version> versions;
  std::vector<NumaNode> numa;
  std::optional<int> cpus;
  std::vector<GpuFacts> gpus;   // by PCI class 0x03, sorted by PCI address
  std::vector<NicFacts> nics;   // sorted by slot, then port
  Limits limits;
  std::vector<std::string> notes;  // what could not be read, and why
};

template <class V> void describe(V& v, PciFunction& f) {
  v("address", f.address); v("class", f.pci_class); v("id", f.id);
  v("speed_gts", f.speed_gts); v("speed_max_gts", f.speed_max_gts); v("width", f.width); v("width_max", f.width_max);
}
template <class V> void describe(V& v, PciPlace& p) { v("slot", p.slot); v("path", p.path); v("numa_node", p.numa_node); }
template <class V> void describe(V& v, GpuFacts& g) { v("address", g.address); v("model", g.model); v("place", g.place); }
template <class V> void describe(V& v, NicFacts& n) {
  v("device", n.device); v("port", n.port); v("kind", n.kind); v("interface", n.interface); v("members", n.members);
  v("link_layer", n.link_layer); v("state", n.state); v("rate_max_bits_per_second", n.rate_max_bits_per_second);
  v("rate_bits_per_second", n.rate_bits_per_second); v("mtu", n.mtu); v("driver", n.driver); v("firmware", n.firmware);
  v("model", n.model); v("place", n.place); v("guid", n.guid); v("address", n.address); v("subnet", n.subnet);
  v("pkeys", n.pkeys);
}
template <class V> void describe(V& v, NumaNode& n) { v("id", n.id); v("cpus", n.cpus); v("memory_bytes", n.memory_bytes); }
template <class V> void describe(V& v, Version& n) { v("name", n.name); v("value", n.value); }
template <class V> void describe(V& v, Limits& l) {
  v("memlock_bytes", l.memlock_bytes); v("open_files", l.open_files); v("processes", l.processes);
}
template <class V> void describe(V& v, NodeFacts& n) {
  v("node", n.node); v("host_name", n.host_name); v("machine_id", n.machine_id); v("board_serial", n.board_serial);
  v("build_id", n.build_id); v("kernel", n.kernel); v("kernel_command_line", n.kernel_command_line);
  v("hypervisor", n.hypervisor); v("container", n.container); v("versions", n.versions); v("numa", n.numa);
  v("cpus", n.cpus); v("gpus", n.gpus); v("nics", n.nics); v("limits", n.limits); v("notes", n.notes);
}

}  // namespace railgauge
