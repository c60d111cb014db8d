// What this build is and what was built in.
#pragma once

#include <string>

namespace railgauge {

// "railgauge 0.1.0 build ...\nUCX: built in\nverbs: not found\nCUDA: not found". Of the build, not of the
// nodes: doctor and probe say what is there.
std::string about();

}  // namespace railgauge
