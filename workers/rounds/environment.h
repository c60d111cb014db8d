// The variables of a step as a process sees them: they decide what MPI, UCX and NCCL do, and one host that
// differs is a finding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

// Lines NAME=VALUE that `names` selects, sorted. A name ending in '_' selects all that begin with it, any
// other itself only.
std::vector<std::string> select_environment(const std::vector<std::string>& lines,
                                            const std::vector<std::string>& names);

// This process's environment, unsorted.
std::vector<std::string> process_environment();

// XXH3 over the lines, each ended by a newline.
std::uint64_t environment_hash(const std::vector<std::string>& lines);

}  // namespace railgauge
