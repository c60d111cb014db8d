// Judges the first message of a connection: pure, so that each way to be wrong is tested without a socket.
#pragma once

#include <string>
#include <string_view>

#include "orchestrator/control/control_server.h"
#include "proto/result.h"

namespace railgauge {

struct Introduction {
  std::string node;
  NodeRole role = NodeRole::probe;
  int launch = -1;
  std::int64_t clock_ns = 0;  // CLOCK_REALTIME of the node; 0: not said
};

// message: the first frame without its header. Errors (peer): not a HELLO, wrong token, other build (names
// both), no role, unknown node. The token is checked before anything else is looked at, so that a stranger
// learns nothing but that.
Result<Introduction> check_hello(std::string_view message, const ControlOptions& options);

// Time does not depend on where they differ; it does on the length, which is no secret.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace railgauge
