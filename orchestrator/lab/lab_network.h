// Builds and changes a lab's network for real. Every function here runs inside the lab's own namespaces.
#pragma once

#include <functional>
#include <string>

#include "orchestrator/lab/lab_spec.h"
#include "proto/result.h"

namespace railgauge {

// Runs `body` in the network namespace of a host (the calling thread only), then comes back. host "" = where
// we are. Errors (environment): no such host in this lab; those of body.
Result<void> in_host(const std::string& host, const std::function<Result<void>()>& body);

// Host namespaces, bridges, rails, settings, machine ids, the spec's faults. /run is the lab's own and empty.
// Errors (environment): `ip` or `tc` missing, or what they said.
Result<void> build_network(const LabSpec& spec);

// Plants a fault or takes it away. The spec without this fault must be what is there.
Result<void> change_network(const LabSpec& spec, const LabFault& fault, bool undo);

}  // namespace railgauge
