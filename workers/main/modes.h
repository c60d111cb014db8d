// The lives of railgauge-rank. Each returns the exit code: 0 done, 2 nothing could be done (reason on
// stderr).
#pragma once

#include "workers/main/arguments.h"

namespace railgauge {

int probe_main(const RankArguments& arguments);
int sweep_main(const RankArguments& arguments);
int leader_main(const RankArguments& arguments);
int rank_main(const RankArguments& arguments, int* argc, char*** argv);

// One line on stderr with the node in front.
void say(const std::string& node, const std::string& text);

}  // namespace railgauge
