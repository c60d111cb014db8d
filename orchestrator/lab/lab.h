// A cluster of network namespaces on this machine; as an ordinary user in a user namespace. See "The lab" in
// orchestrator/README.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fabric/inventory/site.h"
#include "orchestrator/lab/lab_spec.h"
#include "proto/result.h"

namespace railgauge {

// What runs inside the lab: gets the spec as built, returns an exit status 0..255.
using LabMain = std::function<int(const LabSpec&)>;

// Builds the lab with its faults, runs `main` in it (a forked process: memory is a copy, the file system is
// shared but for /run), takes it down, returns main's status (128 + signal where a signal ended it). SIGINT,
// SIGTERM, SIGHUP and SIGUSR1 to the caller reach main's process. The caller's death, also by SIGKILL, ends
// all of it. Call it from a process with one thread. Errors: (input) bad spec; (environment) no namespaces,
// with the command that permits them, ip or tc missing or failing.
Result<int> run_in_lab(const LabSpec& spec, const LabMain& main);

// The same in a lab that `railgauge lab up --name NAME` keeps. Errors: (input) no such lab.
Result<int> run_in_named_lab(const std::string& name, const LabMain& main);

// Inside a lab (in LabMain) only:

// Who hangs on which leaf, from the bridges' forwarding tables. Every host's interfaces speak first (one ARP
// announcement each), so that it is right at once, also after a swap. A rail that is down is not in it.
Result<std::vector<SwitchPort>> lab_switch_ports();

// For the probe's --machine-id-file: the hosts of a lab share one /etc/machine-id.
std::string lab_machine_id_file(const std::string& host);

}  // namespace railgauge
