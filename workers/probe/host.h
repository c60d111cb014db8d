// What a node says about itself apart from devices: kernel, versions, limits, container, hypervisor,
// identity.
#pragma once

#include <string>
#include <vector>

#include "fabric/inventory/node_facts.h"

namespace railgauge {

struct HostPaths {
  std::string sysfs = "/sys";
  std::string proc = "/proc";
  std::string root = "";  // in front of /usr, /.dockerenv ...; "" = this machine
  std::string machine_id_file = "/etc/machine-id";
};

// Fills kernel, command line, hypervisor, container, versions, limits, machine id (hashed), board serial,
// NUMA from sysfs. Never starts a program. What cannot be read stays empty and is named in facts.notes.
void read_host(const HostPaths& paths, NodeFacts& facts);

// Versions of installed libraries: from pkg-config files and nccl.h beside them, else "libcudart.so.13".
std::vector<Version> library_versions(const std::string& root);

// NUMA nodes and CPUs from a sysfs tree. Empty: not there.
void read_numa_from_sysfs(const std::string& sysfs_root, NodeFacts& facts);

// The same from hwloc, for this machine. False: hwloc could not load, nothing was changed.
bool read_numa_from_hwloc(NodeFacts& facts);

}  // namespace railgauge
