#include "orchestrator/sweep.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "orchestrator/launch/process.h"

namespace railgauge {
namespace {

Nanos monotonic() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return Nanos::ns(std::chrono::duration_cast<std::chrono::nanoseconds>(t).count());
}

void append_lines(std::vector<std::string>& to, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) to.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace

std::vector<std::string> sweep_nodes(const std::vector<std::string>& nodes, const Launcher& launcher,
                                     const std::string& rank_path, const std::string& run_id, Nanos limit) {
  struct Sweeping {
    const std::string& node;
    Result<Process> process;
  };
  std::vector<Sweeping> all;
  all.reserve(nodes.size());
  for (const std::string& node : nodes) {
    all.push_back(
        {node, Process::start(launcher.on_node(node, {rank_path, "--sweep", run_id, "--node", node}))});
  }
  std::vector<std::string> said;
  const Nanos until = monotonic() + limit;
  for (Sweeping& s : all) {
    if (!s.process) {
      said.push_back(fmt::format("{}: cannot be swept: {}", s.node, s.process.error().message));
      continue;
    }
    const auto exit = s.process->wait(std::max(Nanos::ms(1), until - monotonic()));
    if (!exit) {
      said.push_back(fmt::format("{}: not swept within {}", s.node, to_text(limit)));
      continue;
    }
    append_lines(said, s.process->output());
    if (!exit->ok() && s.process->output().empty())
      said.push_back(fmt::format("{}: cannot be swept: {}", s.node, to_text(*exit)));
  }
  return said;
}

}  // namespace railgauge
