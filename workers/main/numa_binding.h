// Runs this process on the CPUs of one NUMA node, with memory from there first.
#pragma once

namespace railgauge {

// numa_node < 0, or a node that /sys does not have: nothing happens. What the kernel refuses (a cgroup's
// cpuset) stays as it was: the placement is the scheduler's choice there, and the probe has stated it.
void bind_to_numa(int numa_node);

}  // namespace railgauge
