#include "fabric/diagnose/pcie_links.h"

#include <algorithm>
#include <map>

namespace railgauge::placement {
namespace {

template <class T>
std::optional<T> smaller(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a) return b;
  return b ? std::min(*a, *b) : a;
}

// First `functions` functions of a slot: "root0/1.0/0.0/4.0", 2 -> "root0/1.0/0.0".
std::string prefix(const std::string& slot, std::size_t functions) {
  std::size_t at = slot.find('/');
  for (std::size_t i = 0; i < functions && at != std::string::npos; ++i) at = slot.find('/', at + 1);
  return slot.substr(0, at);
}

class Collector {
 public:
  void add(const PciPlace& place, const std::string& nic, int rail, bool gpu) {
    const std::vector<PciFunction>& path = place.path;
    // Root port and what hangs on it are a link, a switch's upstream and downstream port are not, and so on
    // downwards.
    for (std::size_t lower = 1; lower < path.size(); lower += 2) {
      const PciFunction& up = path[lower - 1];
      const PciFunction& low = path[lower];
      // All functions of a card share its link.
      std::string key = prefix(place.slot, lower + 1);
      key.resize(std::min(key.size(), key.rfind('.')));
      PcieLink& link = links_[key];
      link.key = key;
      link.upper = up.address;
      link.lower = low.address;
      link.gpu = gpu && lower + 1 == path.size();
      link.width = smaller(up.width, low.width);
      link.width_max = smaller(up.width_max, low.width_max);
      link.speed_gts = smaller(up.speed_gts, low.speed_gts);
      link.speed_max_gts = smaller(up.speed_max_gts, low.speed_max_gts);
      if (!nic.empty() && std::find(link.nics.begin(), link.nics.end(), nic) == link.nics.end()) {
        link.nics.push_back(nic);
        link.rails.push_back(rail);
      }
    }
  }
  std::vector<PcieLink> take() {
    std::vector<PcieLink> out;
    for (auto& [key, link] : links_) out.push_back(std::move(link));
    return out;
  }

 private:
  std::map<std::string, PcieLink> links_;
};

}  // namespace

std::vector<PcieLink> links_of(const NodeEntry& node) {
  Collector links;
  for (std::size_t i = 0; i < node.nics.size(); ++i) {
    if (node.nics[i].rail >= 0)
      links.add(node.facts.nics[i].place, node.nics[i].device, node.nics[i].rail, false);
  }
  for (const GpuFacts& g : node.facts.gpus) links.add(g.place, "", -1, true);
  return links.take();
}

double pcie_bits_per_second(int width, double speed_gts) {
  const double coding = speed_gts < 8 ? 0.8 : speed_gts < 64 ? 128.0 / 130.0 : 1.0;
  return width * speed_gts * 1e9 * coding;
}

}  // namespace railgauge::placement
