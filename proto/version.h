#pragma once

#include <string>

namespace railgauge {

// "0.1.0"
std::string version();
// Hash of the sources this build was made from, with the build type: orchestrator and ranks must agree on it.
std::string build_id();

}  // namespace railgauge
