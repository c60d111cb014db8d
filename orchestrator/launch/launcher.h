// A launcher turns "start this on those nodes" into argument vectors. It starts nothing itself (process.h
// does).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proto/result.h"

namespace railgauge {

struct Command {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>>
      environment;  // added to ours; secrets travel here or by stdin, never in argv
  std::string stdin_text;
  std::vector<std::pair<std::string, std::string>>
      files;  // name -> content, written to the launch's private folder first; "@DIR@" in argv is that folder
  std::string scratch;  // where that folder is made; "" = TMPDIR or /tmp
};

struct NodeRanks {
  std::string node;
  int ranks = 0;
};

class Launcher {
 public:
  virtual ~Launcher() = default;
  virtual std::string name() const = 0;
  // One process on one node, without MPI: the probe.
  virtual Command on_node(const std::string& node, const std::vector<std::string>& program) const = 0;
  // One MPI world, `ranks` processes on each node, in this order. The program gets "--node NODE" appended.
  virtual Command mpi(const std::vector<NodeRanks>& nodes, const std::vector<std::string>& program,
                      const std::vector<std::pair<std::string, std::string>>& environment) const = 0;
};

}  // namespace railgauge
