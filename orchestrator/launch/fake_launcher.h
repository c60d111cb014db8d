// A launcher for tests: starts what it is given on this machine, without MPI.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/launch/launcher.h"

namespace railgauge {

// on_node: the program itself, or `answers[node]` instead of it where that is set ({"/bin/false"} = a host
// that does not answer). mpi: the first node's program with "--node NODE", or `world` where set. What was
// asked is kept.
class FakeLauncher final : public Launcher {
 public:
  struct Asked {
    std::vector<NodeRanks> nodes;
    std::vector<std::string> program;
    std::vector<std::pair<std::string, std::string>> environment;
  };

  std::map<std::string, std::vector<std::string>> answers;
  std::vector<std::string> world;
  mutable std::vector<Asked> asked;

  std::string name() const override { return "fake"; }

  Command on_node(const std::string& node, const std::vector<std::string>& program) const override {
    const auto answer = answers.find(node);
    Command c;
    c.argv = answer == answers.end() ? program : answer->second;
    return c;
  }

  Command mpi(const std::vector<NodeRanks>& nodes, const std::vector<std::string>& program,
              const std::vector<std::pair<std::string, std::string>>& environment) const override {
    RG_CHECK(!nodes.empty());
    asked.push_back({nodes, program, environment});
    Command c;
    c.environment = environment;
    c.argv = world;
    if (world.empty()) {
      c.argv = program;
      c.argv.insert(c.argv.end(), {"--node", nodes.front().node});
    }
    return c;
  }
};

}  // namespace railgauge
