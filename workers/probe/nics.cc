#include "workers/probe/nics.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "fabric/inventory/natural_order.h"
#include "workers/probe/sysfs.h"

namespace railgauge {
namespace {

constexpr std::size_t kMostPorts = 16;

// What a device folder says about being a slice of another.
NicKind kind_of_device(const std::string& device_folder) {
  if (sysfs::exists(device_folder + "/physfn")) return NicKind::virtual_function;
  if (sysfs::real(device_folder).find(".sf.") != std::string::npos) return NicKind::subfunction;
  return NicKind::physical;
}

class Reader {
 public:
  Reader(const std::string& root, const PciTree& pci, const std::map<std::string, LiveInterface>& live)
      : net_(root + "/class/net/"), rdma_(root + "/class/infiniband/"), pci_(pci), live_(live) {
    for (const std::string& name : sysfs::names(root + "/class/net")) {
      if (sysfs::exists(net_ + name + "/address") || sysfs::exists(net_ + name + "/operstate")) {
        interfaces_.push_back(name);
      }
    }
    if (live_.empty()) return;
    // The sysfs of another network namespace may be mounted here: the kernel's own list decides.
    std::erase_if(interfaces_, [&](const std::string& n) { return !live_.contains(n); });
    for (const auto& [name, unused] : live_) {
      const bool known = std::find(interfaces_.begin(), interfaces_.end(), name) != interfaces_.end();
      if (!known && name.find(':') == std::string::npos) interfaces_.push_back(name);
    }
  }

  std::vector<NicFacts> read() {
    for (const std::string& device : sysfs::names(rdma_)) read_rdma(device);
    for (const std::string& name : interfaces_) read_interface(name);
    for (const std::string& address : pci_.network_functions()) read_without_driver(address);
    std::stable_sort(nics_.begin(), nics_.end(), [](const NicFacts& a, const NicFacts& b) {
      if (a.place.slot != b.place.slot) return natural_less(a.place.slot, b.place.slot);
      return a.port < b.port;
    });
    return std::move(nics_);
  }

 private:
  void read_rdma(const std::string& device) {
    const std::string folder = rdma_ + device;
    std::vector<std::string> ports = sysfs::names(folder + "/ports");
    if (ports.size() > kMostPorts) ports.resize(kMostPorts);
    for (const std::string& port : ports) {
      NicFacts nic;
      nic.device = device;
      nic.port = sysfs::integer(port).value_or(1);
      const std::string p = folder + "/ports/" + port + "/";
      nic.link_layer = sysfs::text(p + "link_layer");
      nic.state = sysfs::integer(sysfs::text(p + "state")) == 4 ? "up" : "down";  // 4: ACTIVE
      if (nic.state == "up") {
        if (const auto gbit = sysfs::number(sysfs::text(p + "rate"))) nic.rate_bits_per_second = *gbit * 1e9;
      }
      nic.guid = sysfs::text(folder + "/node_guid");
      nic.firmware = sysfs::text(folder + "/fw_ver");
      nic.kind = kind_of_device(folder + "/device");
      nic.driver = sysfs::link_name(folder + "/device/driver");
      nic.place = pci_.place(folder + "/device");
      const std::string parent = sysfs::text(folder + "/parent");  // rxe and siw: the network device below
      nic.interface = !parent.empty() ? parent : interface_of(folder + "/device", nic.port);
      if (nic.place.path.empty() && !nic.interface.empty())
        nic.place = pci_.place(net_ + nic.interface + "/device");
      if (nic.place.path.empty()) {
        nic.place.slot = nic.interface.empty() ? device : nic.interface;
        nic.kind = NicKind::network_interface;
      }
      if (nic.driver.empty() && !parent.empty()) nic.driver = "soft RDMA over " + parent;
      add_gids(nic, p);
      add_interface(nic);
      if (const std::string master = sysfs::link_name(net_ + nic.interface + "/master"); is_bond(master)) {
        // RDMA of a bond: the device stands for all members; the bond carries the address.
        if (device.find("bond") != std::string::npos) {
          nic.interface = master;
          add_interface(nic);
        }
      }
      if (is_bond(nic.interface)) {
        nic.kind = NicKind::bond;
        nic.members = members(nic.interface);
      }
      used_.insert(nic.interface);
      finish(std::move(nic));
    }
  }

  void read_interface(const std::string& name) {
    const std::string folder = net_ + name;
    const bool bridge = sysfs::exists(folder + "/bridge");
    if (name == "lo" || bridge || used_.contains(name)) return;
    if (sysfs::integer(sysfs::text(folder + "/type")) == 772) return;  // ARPHRD_LOOPBACK
    if (is_bond(sysfs::link_name(folder + "/master"))) return;         // its bond stands for it
    NicFacts nic;
    nic.device = name;
    nic.interface = name;
    nic.link_layer = sysfs::integer(sysfs::text(folder + "/type")) == 32 ? "InfiniBand" : "Ethernet";
    nic.place = pci_.place(folder + "/device");
    nic.kind = kind_of_device(folder + "/device");
    nic.driver = sysfs::link_name(folder + "/device/driver");
    if (is_bond(name)) {
      nic.kind = NicKind::bond;
      nic.members = members(name);
      for (const std::string& m : nic.members) {
        const PciPlace place = pci_.place(net_ + m + "/device");
        if (nic.place.path.empty() || (!place.path.empty() && natural_less(place.slot, nic.place.slot)))
          nic.place = place;
      }
    } else if (nic.place.path.empty()) {
      nic.kind = NicKind::network_interface;
    }
    if (nic.place.path.empty()) nic.place.slot = name;
    // A second interface over the same port (a partition of InfiniBand) is no NIC of its own.
    const int port = 1 + sysfs::integer(sysfs::text(folder + "/dev_port")).value_or(0);
    if (!nic.place.path.empty() && rdma_ports_.contains({nic.place.path.back().address, port})) return;
    if (nic.kind == NicKind::physical && port > 1) nic.port = port;
    add_interface(nic);
    finish(std::move(nic));
  }

  void read_without_driver(const std::string& address) {
    const std::string folder = pci_.folder(address);
    if (claimed_.contains(address) || sysfs::exists(folder + "/physfn")) return;
    if (!sysfs::link_name(folder + "/driver").empty()) return;  // bound: a bond's slave, or handed to a guest
    NicFacts nic;
    nic.device = address;
    nic.state = "down";
    nic.place = pci_.place(folder);
    if (!nic.place.path.empty()) finish(std::move(nic));
  }

  void finish(NicFacts nic) {
    if (!nic.place.path.empty()) {
      const std::string& address = nic.place.path.back().address;
      nic.model = pci_.id(address);
      claimed_.insert(address);
      if (nic.device != nic.interface) rdma_ports_.insert({address, nic.port});
    }
    nics_.push_back(std::move(nic));
  }

  // Fills what the network interface knows and the RDMA port does not.
  void add_interface(NicFacts& nic) const {
    if (nic.interface.empty()) return;
    const std::string folder = net_ + nic.interface;
    const bool own = nic.device == nic.interface;
    nic.mtu = sysfs::integer(sysfs::text(folder + "/mtu"));
    const std::string state = sysfs::text(folder + "/operstate");
    const bool carrier = sysfs::text(folder + "/carrier") == "1";
    if (own) nic.state = state == "up" || (state == "unknown" && carrier) ? "up" : "down";
    if (own) nic.guid = sysfs::text(folder + "/address");
    if (const auto mbit = sysfs::number(sysfs::text(folder + "/speed"));
        own && mbit && *mbit > 0 && *mbit < 4e9) {
      nic.rate_bits_per_second = *mbit * 1e6;
    }
    const auto live = live_.find(nic.interface);
    if (live == live_.end()) return;
    nic.address = live->second.address;
    if (nic.subnet.empty() || nic.link_layer != "InfiniBand") nic.subnet = live->second.subnet;
    if (own) nic.state = live->second.up ? "up" : "down";
    if (own && !live->second.mac.empty()) nic.guid = live->second.mac;
  }

  void add_gids(NicFacts& nic, const std::string& port) const {
    const std::string gid = sysfs::text(port + "gids/0");  // "fe80:0000:0000:0000:..."
    if (nic.link_layer == "InfiniBand" && gid.size() >= 19) nic.subnet = gid.substr(0, 19);
    std::vector<std::string> keys = sysfs::names(port + "pkeys");
    if (keys.size() > 128) keys.resize(128);
    for (const std::string& key : keys) {
      const std::string value = sysfs::text(port + "pkeys/" + key);
      int number = 0;
      std::istringstream in(value);
      if (in >> std::hex >> number && (number & 0x7fff) != 0) nic.pkeys.push_back(number);
    }
  }

  std::string interface_of(const std::string& device_folder, int port) const {
    const std::vector<std::string> names = sysfs::names(device_folder + "/net");
    for (const std::string& name : names) {
      const std::string net = device_folder + "/net/" + name;
      const int number = sysfs::integer(sysfs::text(net + "/dev_port")).value_or(0);
      const bool only = names.size() == 1 && port == 1;
      if (number == port - 1 || only) return name;
    }
    return "";
  }

  bool is_bond(const std::string& name) const {
    return !name.empty() && sysfs::exists(net_ + name + "/bonding");
  }

  std::vector<std::string> members(const std::string& bond) const {
    std::vector<std::string> out;
    std::istringstream in(sysfs::text(net_ + bond + "/bonding/slaves"));
    for (std::string name; in >> name;) out.push_back(name);
    std::sort(out.begin(), out.end(), natural_less);
    return out;
  }

  std::string net_, rdma_;
  const PciTree& pci_;
  const std::map<std::string, LiveInterface>& live_;
  std::vector<std::string> interfaces_;
  std::set<std::string> used_;     // interfaces of RDMA devices
  std::set<std::string> claimed_;  // PCI functions that have a NIC
  std::set<std::pair<std::string, int>> rdma_ports_;
  std::vector<NicFacts> nics_;
};

}  // namespace

std::vector<NicFacts> read_nics(const std::string& root, const PciTree& pci,
                                const std::map<std::string, LiveInterface>& live) {
  return Reader(root, pci, live).read();
}

}  // namespace railgauge
