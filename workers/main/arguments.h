// The command line and the environment of railgauge-rank.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "proto/result.h"

namespace railgauge {

enum class RankMode { rank, leader, probe, sweep, version };

struct RankArguments {
  RankMode mode = RankMode::rank;
  std::string node;
  std::string sysfs_root = "/sys";
  std::string machine_id_file = "/etc/machine-id";
  bool from_stdin = false;
  std::string sweep_run_id;  // whose leftovers; sweep only
};
// Without the program's name. Errors (input): unknown or incomplete option, no --node.
Result<RankArguments> parse_arguments(const std::vector<std::string>& words);

// How to reach the orchestrator. The token never stands in argv, where every user of the node can read it.
struct ControlTarget {
  std::string address, token;
  std::string run_id;  // names shared objects; of the environment, else derived from the token
  std::int32_t launch = 0;
};
using ReadVariable = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> read_variable(const char* name);  // of the environment
// stdin, when given: lines NAME=VALUE with the names of proto/step.h, or the two lines address and token; at
// most 4096 bytes. The environment fills what it did not say. Errors (input): no address or no token, a
// launch that is not a number.
Result<ControlTarget> control_target(const ReadVariable& environment, std::istream* in);

}  // namespace railgauge
