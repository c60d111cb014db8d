#include "proto/version.h"

#include "proto/build_id.inc"

namespace railgauge {

std::string version() { return kVersion; }
std::string build_id() { return kBuildId; }

}  // namespace railgauge
