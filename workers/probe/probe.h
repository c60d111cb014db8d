// The facts of the node it runs on. Reads files and asks the kernel; starts nothing and changes nothing.
#pragma once

#include <string>

#include "fabric/inventory/node_facts.h"
#include "proto/result.h"

namespace railgauge {

struct ProbeOptions {
  std::string node;                 // id: Slurm name or the host file's name
  std::string sysfs_root = "/sys";  // a tree from elsewhere: then only files below it are read
  std::string machine_id_file = "/etc/machine-id";  // in the lab each host has its own
};

// With a foreign sysfs_root the facts are only what that tree says: no addresses, limits or versions of this
// machine, and a machine id only where machine_id_file was given another value than the default. Errors
// (input): sysfs_root is not a sysfs tree (no `class` and no `bus` folder); node is empty.
Result<NodeFacts> probe_node(const ProbeOptions& options);

}  // namespace railgauge
