// `railgauge lab-exec HOST ...`: what ssh is on a cluster, for hosts of the lab.
#pragma once

#include <string>
#include <vector>

namespace railgauge {

// arguments: HOST --exec PROGRAM ARGUMENT... (the probe), or HOST WORD... as mpirun calls its rsh agent.
// Becomes that program in the host's namespaces; returns only on failure: 255 as ssh, with one line on
// stderr.
int lab_exec(const std::vector<std::string>& arguments);

}  // namespace railgauge
