// The probe: one process per node, without MPI. Who does not answer in time is named and left out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fabric/inventory/build_inventory.h"
#include "fabric/inventory/node_facts.h"
#include "orchestrator/control/control_server.h"
#include "orchestrator/launch/launcher.h"
#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

struct ProbeRequest {
  std::vector<std::string> nodes;
  std::string rank_path;
  std::function<std::string(const std::string& node)>
      machine_id_file;  // "" = the node's own; the hosts of a lab share one
  std::string token;
  std::string control_address;  // "10.9.0.254:41234", as the nodes reach it
  Nanos deadline = Nanos::s(10);
};

struct ProbeAnswers {
  std::vector<NodeFacts> facts;    // in order of arrival
  std::vector<Unanswered> silent;  // in order of the request
  std::vector<std::string> notes;  // refused connections, clocks that differ
};

// on_answer(done, all) after each node. Errors: (peer) a node runs another build; (environment) nobody
// connected - with address, port and what to check; the launcher cannot be started.
Result<ProbeAnswers> probe_nodes(const ProbeRequest& request, const Launcher& launcher, ControlServer& server,
                                 std::function<bool()> stop, const std::function<void(int, int)>& on_answer);

}  // namespace railgauge
