// railgauge-rank: the program on the nodes. Probe, leader of a launch, or rank of an MPI world.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "proto/version.h"
#include "workers/main/modes.h"

namespace railgauge {

void say(const std::string& node, const std::string& text) { fmt::print(stderr, "{}: {}\n", node, text); }

namespace {

int run(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const Result<RankArguments> arguments = parse_arguments(words);
  if (!arguments) {
    fmt::print(stderr, "{}\n", arguments.error().message);
    return 2;
  }
  switch (arguments->mode) {
    case RankMode::version:
      fmt::print("railgauge-rank {} build {}\n", version(), build_id());
      return 0;
    case RankMode::probe:
      return probe_main(*arguments);
    case RankMode::sweep:
      return sweep_main(*arguments);
    case RankMode::leader:
      return leader_main(*arguments);
    case RankMode::rank:
      return rank_main(*arguments, &argc, &argv);
  }
  return 2;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  try {
    return railgauge::run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "railgauge-rank: {}\n", e.what());
    return 2;
  }
}
