#include "workers/probe/host.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "workers/probe/sysfs.h"

namespace railgauge {
namespace {

int count_cpus(std::string_view list) {  // "0-31,64-95"
  int total = 0;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view range = list.substr(0, comma);
    const std::size_t dash = range.find('-');
    const std::optional<int> first = sysfs::integer(range);
    const std::optional<int> last =
        dash == std::string_view::npos ? first : sysfs::integer(range.substr(dash + 1));
    if (first && last && *last >= *first) total += *last - *first + 1;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return total;
}

std::optional<std::uint64_t> limit(int resource) {
  rlimit r{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &r) != 0 || r.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return r.rlim_cur;
}

std::string hypervisor(const HostPaths& paths) {
  const std::string vendor = sysfs::text(paths.sysfs + "/class/dmi/id/sys_vendor");
  const std::string product = sysfs::text(paths.sysfs + "/class/dmi/id/product_name");
  struct Known {
    std::string_view in_dmi, name;
  };
  constexpr std::array kKnown = {
      Known{"VMware", "vmware"},          Known{"QEMU", "kvm"}, Known{"KVM", "kvm"},
      Known{"VirtualBox", "oracle"},      Known{"Xen", "xen"},  Known{"Google Compute", "kvm"},
      Known{"Firecracker", "firecracker"}};
  for (const Known& k : kKnown) {
    if (vendor.find(k.in_dmi) != std::string::npos || product.find(k.in_dmi) != std::string::npos) {
      return std::string(k.name);
    }
  }
  if (vendor == "Microsoft Corporation" && product == "Virtual Machine") return "hyperv";
  if (vendor == "Amazon EC2") return product.find("metal") == std::string::npos ? "nitro" : "";
  // The processor says that there is one without saying which.
  const std::string cpu = sysfs::text(paths.proc + "/cpuinfo");
  const std::size_t flags = cpu.find("\nflags");
  const std::string line =
      flags == std::string::npos ? "" : cpu.substr(flags + 1, cpu.find('\n', flags + 1) - flags - 1);
  return (line + " ").find(" hypervisor ") != std::string::npos ? "unknown" : "";
}

std::string container(const HostPaths& paths) {
  if (sysfs::exists(paths.root + "/run/.containerenv")) return "podman";
  if (sysfs::exists(paths.root + "/.dockerenv")) return "docker";
  const std::string groups = sysfs::text(paths.proc + "/1/cgroup");
  struct Known {
    std::string_view in_cgroup, name;
  };
  constexpr std::array kKnown = {Known{"docker", "docker"}, Known{"libpod", "podman"},
                                 Known{"kubepods", "kubernetes"}, Known{"lxc", "lxc"}};
  for (const Known& k : kKnown) {
    if (groups.find(k.in_cgroup) != std::string::npos) return std::string(k.name);
  }
  if (sysfs::exists(paths.root + "/etc/enroot/enroot.conf") && std::getenv("ENROOT_ROOTFS") != nullptr)
    return "enroot";
  return "";
}

}  // namespace

void read_numa_from_sysfs(const std::string& sysfs_root, NodeFacts& facts) {
  const std::string folder = sysfs_root + "/devices/system/node/";
  facts.numa.clear();
  for (const std::string& name : sysfs::names(folder)) {
    if (!name.starts_with("node")) continue;
    const std::optional<int> id = sysfs::integer(std::string_view(name).substr(4));
    if (!id) continue;
    NumaNode n;
    n.id = *id;
    n.cpus = sysfs::text(folder + name + "/cpulist");
    const std::string memory = sysfs::text(folder + name + "/meminfo");
    if (const std::size_t at = memory.find("MemTotal:"); at != std::string::npos) {
      const std::optional<double> kib = sysfs::number(std::string_view(memory).substr(at + 9));
      if (kib) n.memory_bytes = static_cast<std::uint64_t>(*kib) * 1024;
    }
    facts.numa.push_back(n);
  }
  const int cpus = count_cpus(sysfs::text(sysfs_root + "/devices/system/cpu/online"));
  if (cpus > 0) facts.cpus = cpus;
}

void read_host(const HostPaths& paths, NodeFacts& facts) {
  utsname name{};
  const bool here = paths.root.empty() && uname(&name) == 0;
  if (here) {
    facts.host_name = name.nodename;
    facts.kernel = name.release;
    facts.limits.memlock_bytes = limit(RLIMIT_MEMLOCK);
    facts.limits.open_files = limit(RLIMIT_NOFILE);
    facts.limits.processes = limit(RLIMIT_NPROC);
  } else {
    facts.host_name = sysfs::text(paths.proc + "/sys/kernel/hostname");
    facts.kernel = sysfs::text(paths.proc + "/sys/kernel/osrelease");
  }
  facts.kernel_command_line = sysfs::text(paths.proc + "/cmdline");
  facts.hypervisor = hypervisor(paths);
  facts.container = container(paths);
  facts.versions = library_versions(paths.root);
  if (!facts.kernel.empty()) facts.versions.insert(facts.versions.begin(), {"kernel", facts.kernel});
  const std::string id = sysfs::text(paths.machine_id_file);
  // Hashed: machine-id(5) asks not to publish it.
  if (!id.empty()) facts.machine_id = fmt::format("{:016x}", XXH3_64bits(id.data(), id.size()));
  if (id.empty())
    facts.notes.push_back(fmt::format("{}: no machine id: two names of one machine cannot be told apart",
                                      paths.machine_id_file));
  facts.board_serial = sysfs::text(paths.sysfs + "/class/dmi/id/board_serial");
}

}  // namespace railgauge
