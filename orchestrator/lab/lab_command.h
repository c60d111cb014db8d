// `railgauge lab up|fault|status|down`: labs that stay.
#pragma once

#include <string>
#include <vector>

namespace railgauge {

// arguments: what follows "lab". Returns the exit code: 0, or 2 with one line on stderr.
int lab_command(std::vector<std::string> arguments);

}  // namespace railgauge
