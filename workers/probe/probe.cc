#include "workers/probe/probe.h"

#include <fmt/format.h>

#include "proto/version.h"
#include "workers/probe/host.h"
#include "workers/probe/nics.h"
#include "workers/probe/pci.h"
#include "workers/probe/sysfs.h"

namespace railgauge {
namespace {

// One NUMA node and a kernel that does not say where a device sits (-1): there is only one place it can be.
void fill_only_numa_node(NodeFacts& facts) {
  if (facts.numa.size() != 1) return;
  for (GpuFacts& g : facts.gpus) {
    if (!g.place.numa_node) g.place.numa_node = facts.numa.front().id;
  }
  for (NicFacts& n : facts.nics) {
    if (!n.place.numa_node && !n.place.path.empty()) n.place.numa_node = facts.numa.front().id;
  }
}

}  // namespace

Result<NodeFacts> probe_node(const ProbeOptions& options) {
  if (options.node.empty())
    return fail(ErrorKind::input, "probe: the node has no name: pass the host file's name");
  const std::string& root = options.sysfs_root;
  if (!sysfs::exists(root + "/class") && !sysfs::exists(root + "/bus")) {
    return fail(ErrorKind::input, fmt::format("{}: not a sysfs tree (no class and no bus folder)", root));
  }
  const bool here = sysfs::real(root) == "/sys";
  NodeFacts facts;
  facts.node = options.node;
  facts.build_id = build_id();
  HostPaths paths;
  paths.machine_id_file = options.machine_id_file;
  if (!here) {
    paths = {root, root + "/../proc", root + "/..", options.machine_id_file};
    if (paths.machine_id_file == ProbeOptions{}.machine_id_file)
      paths.machine_id_file = root + "/../etc/machine-id";
  }
  read_host(paths, facts);
  if (!here || !read_numa_from_hwloc(facts)) read_numa_from_sysfs(root, facts);
  const PciTree pci(root);
  facts.gpus = pci.gpus(facts.notes);
  const std::map<std::string, LiveInterface> live =
      here ? live_interfaces(facts.notes) : std::map<std::string, LiveInterface>{};
  facts.nics = read_nics(root, pci, live);
  fill_only_numa_node(facts);
  return facts;
}

}  // namespace railgauge
