#include "workers/probe/pci.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "workers/probe/sysfs.h"

namespace railgauge {
namespace {

bool hex(std::string_view s) {
  return !s.empty() && s.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// "0000:17:1a.0" -> "26.0", the place on its bus, decimal so that slots sort; empty if it is no PCI address.
std::string on_bus(std::string_view part) {
  const std::size_t dot = part.rfind('.');
  const std::size_t colon = part.rfind(':');
  if (dot == std::string_view::npos || colon == std::string_view::npos || dot < colon + 2) return "";
  const std::size_t first = part.find(':');
  const std::string_view device = part.substr(colon + 1, dot - colon - 1);
  const std::string_view function = part.substr(dot + 1);
  if (first == colon || !hex(part.substr(0, first)) || !hex(part.substr(first + 1, colon - first - 1)) ||
      !hex(device) || !hex(function)) {
    return "";
  }
  unsigned number = 0;
  std::from_chars(device.data(), device.data() + device.size(), number, 16);
  return fmt::format("{}.{}", number, function);
}

bool complex_name(std::string_view part) {
  const std::size_t colon = part.find(':');
  return part.starts_with("pci") && colon != std::string_view::npos && hex(part.substr(3, colon - 3)) &&
         hex(part.substr(colon + 1));
}

// Graphics of the board's management controller or of a virtual machine's console: ASPEED, Matrox, Cirrus,
// QEMU, Red Hat, VMware, Amazon and Hyper-V consoles. Only as VGA (0x0300): a display of class 0x0380 counts.
bool board_graphics(std::string_view pci_class, std::string_view id) {
  constexpr std::array<std::string_view, 8> kVendors = {"1a03", "102b", "1013", "1234",
                                                        "1b36", "15ad", "1d0f", "1414"};
  return pci_class.starts_with("0x0300") &&
         std::find(kVendors.begin(), kVendors.end(), id.substr(0, 4)) != kVendors.end();
}

std::string without_prefix(std::string_view s) {
  if (s.starts_with("0x")) s.remove_prefix(2);
  return std::string(s);
}

}  // namespace

PciTree::PciTree(std::string root) : root_(std::move(root)) {
  std::vector<std::string> found;
  for (const std::string& name : sysfs::names(root_ + "/devices")) {
    if (complex_name(name)) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  int next = 0;
  for (const std::string& name : found) complexes_[name] = next++;
  for (const std::string& address : sysfs::names(root_ + "/bus/pci/devices")) {
    if (!on_bus(address).empty()) classes_[address] = sysfs::text(folder(address) + "/class");
  }
}

std::string PciTree::folder(const std::string& address) const {
  return root_ + "/bus/pci/devices/" + address;
}

std::string PciTree::id(const std::string& address) const {
  const std::string vendor = without_prefix(sysfs::text(folder(address) + "/vendor"));
  const std::string device = without_prefix(sysfs::text(folder(address) + "/device"));
  return vendor.empty() || device.empty() ? "" : vendor + ":" + device;
}

PciFunction PciTree::function(const std::string& folder, const std::string& address) const {
  PciFunction f;
  f.address = address;
  f.pci_class = sysfs::text(folder + "/class");
  f.id = id(address);
  f.speed_gts = sysfs::number(sysfs::text(folder + "/current_link_speed"));
  f.speed_max_gts = sysfs::number(sysfs::text(folder + "/max_link_speed"));
  f.width = sysfs::integer(sysfs::text(folder + "/current_link_width"));
  f.width_max = sysfs::integer(sysfs::text(folder + "/max_link_width"));
  // Ports without a link say width 0 or 255.
  for (std::optional<int>* w : {&f.width, &f.width_max}) {
    if (*w && (**w <= 0 || **w > 32)) w->reset();
  }
  return f;
}

PciPlace PciTree::place(const std::string& device_path) const {
  PciPlace place;
  const std::string real = sysfs::real(device_path);
  std::string so_far;
  std::string slot;
  std::string last;
  for (std::size_t start = 0; start < real.size();) {
    const std::size_t end = std::min(real.find('/', start + 1), real.size());
    const std::string part = real.substr(start + 1, end - start - 1);
    so_far = real.substr(0, end);
    start = end;
    if (const auto c = complexes_.find(part); c != complexes_.end() && slot.empty()) {
      slot = fmt::format("root{}", c->second);
    } else if (const std::string bus = on_bus(part); !bus.empty() && !slot.empty()) {
      slot += "/" + bus;
      place.path.push_back(function(so_far, part));
      last = so_far;
    }
  }
  if (place.path.empty()) return place;
  place.slot = slot;
  const std::optional<int> numa = sysfs::integer(sysfs::text(last + "/numa_node"));
  if (numa && *numa >= 0) place.numa_node = numa;
  return place;
}

std::vector<GpuFacts> PciTree::gpus(std::vector<std::string>& notes) const {
  std::vector<GpuFacts> found;
  for (const auto& [address, pci_class] : classes_) {
    if (!pci_class.starts_with("0x03")) continue;
    const std::string model = id(address);
    if (board_graphics(pci_class, model)) {
      notes.push_back(
          fmt::format("{} ({}) is the board's console graphics: not counted as a GPU", address, model));
      continue;
    }
    if (sysfs::exists(folder(address) + "/physfn")) continue;  // a slice of a GPU that is already counted
    found.push_back({address, model, place(folder(address))});
  }
  return found;
}

std::vector<std::string> PciTree::network_functions() const {
  std::vector<std::string> found;
  for (const auto& [address, pci_class] : classes_) {
    if (pci_class.starts_with("0x02")) found.push_back(address);
  }
  return found;
}

}  // namespace railgauge
