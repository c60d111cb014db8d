// The fault cpu-hog: processes in a host that only burn CPU time.
#pragma once

#include <string>

#include "proto/result.h"

namespace railgauge {

// They are named "rg-hog-HOST", hold no descriptor of ours and live as long as the lab. Errors (environment).
Result<void> start_hogs(const std::string& host, int count);
// All of that host. None there: nothing.
Result<void> stop_hogs(const std::string& host);

}  // namespace railgauge
