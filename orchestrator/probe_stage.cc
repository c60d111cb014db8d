#include "orchestrator/probe_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>

#include "orchestrator/launch/process.h"
#include "orchestrator/launch_process.h"
#include "proto/control.pb.h"
#include "proto/json.h"
#include "proto/step.h"

namespace railgauge {
namespace {

constexpr std::size_t kMostFactsBytes = std::size_t{8} << 20U;
constexpr double kClockSkewNoted = 5;  // seconds

Nanos monotonic() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return Nanos::ns(std::chrono::duration_cast<std::chrono::nanoseconds>(t).count());
}

struct Asked {
  std::string node;
  std::optional<Process> process;
  std::string reason;  // why it is left out, "" = still open or answered
  bool answered = false;
  bool connected = false;
};

class Probing {
 public:
  Probing(const ProbeRequest& request, const Launcher& launcher, ControlServer& server)
      : request_(request), launcher_(launcher), server_(server) {}

  void start() {
    for (const std::string& node : request_.nodes) {
      std::vector<std::string> program = {request_.rank_path, "--probe", "--stdin", "--node", node};
      const std::string id_file = request_.machine_id_file ? request_.machine_id_file(node) : "";
      if (!id_file.empty()) program.insert(program.end(), {"--machine-id-file", id_file});
      Command command = launcher_.on_node(node, program);
      command.stdin_text += fmt::format("{}={}\n{}={}\n", kControlVariable, request_.control_address,
                                        kTokenVariable, request_.token);
      Asked asked;
      asked.node = node;
      auto process = Process::start(command);
      if (process) {
        asked.process.emplace(std::move(*process));
      } else {
        asked.reason = process.error().message;
      }
      asked_.push_back(std::move(asked));
    }
  }

  // A node that answered twice ends the run: build_inventory sees both facts and names it.
  std::optional<Error> take(const ControlMessage& m) {
    if (m.kind == ControlMessage::Kind::refused) {
      answers_.notes.push_back("refused " + m.text);
      if (m.text.find(" of build ") != std::string::npos) return Error{ErrorKind::peer, m.text};
      return std::nullopt;
    }
    Asked* asked = find(m.node);
    if (asked == nullptr) return std::nullopt;
    if (m.kind == ControlMessage::Kind::connected) return take_connected(m, *asked);
    if (m.kind != ControlMessage::Kind::message || !m.message || !m.message->has_probe_facts())
      return std::nullopt;
    const std::string& text = m.message->probe_facts().node_facts_json();
    server_.close(m.connection);
    if (text.size() > kMostFactsBytes) {
      asked->reason = "its facts are larger than 8 MiB";
      return std::nullopt;
    }
    auto facts = from_json<NodeFacts>(text);
    if (!facts) {
      asked->reason = "its facts cannot be read: " + facts.error().message;
      return std::nullopt;
    }
    facts->node = asked->node;
    answers_.facts.push_back(std::move(*facts));
    asked->answered = true;
    return std::nullopt;
  }

  // Processes that ended without an answer.
  void look() {
    for (Asked& a : asked_) {
      if (a.answered || !a.reason.empty() || !a.process) continue;
      const auto exit = a.process->poll();
      if (!exit || exit->ok()) continue;  // a good exit: its answer is in the socket
      const std::string words = last_line_of(a.process->error_output());
      a.reason = words.empty() ? "the probe ended with " + to_text(*exit) : words;
    }
  }

  void give_up(const std::string& reason) {
    for (Asked& a : asked_) {
      if (!a.answered && a.reason.empty()) a.reason = a.connected ? reason + " after it connected" : reason;
    }
  }
  bool done() const {
    return std::all_of(asked_.begin(), asked_.end(),
                       [](const Asked& a) { return a.answered || !a.reason.empty(); });
  }
  int answered() const { return static_cast<int>(answers_.facts.size()); }

  Result<ProbeAnswers> finish() {
    for (Asked& a : asked_) {
      if (!a.answered) answers_.silent.push_back({a.node, a.reason});
    }
    if (!answers_.facts.empty()) return std::move(answers_);
    return fail(
        ErrorKind::environment,
        fmt::format(
            "no node answered the probe ({}: {}): check that {} can be reached from the nodes (firewall, "
            "control: interface and ports in the site file) and that {} is there",
            asked_.front().node, asked_.front().reason, request_.control_address, request_.rank_path));
  }

 private:
  std::optional<Error> take_connected(const ControlMessage& m, Asked& asked) {
    if (m.role != NodeRole::probe) {
      server_.refuse(m.connection, "the probe stage takes probes only");
      return std::nullopt;
    }
    if (asked.connected) {
      server_.refuse(m.connection, "this node has answered already");
      return Error{ErrorKind::input,
                   fmt::format("{}: answered twice, the second time from {}: two nodes have this name",
                               m.node, m.address)};
    }
    asked.connected = true;
    if (std::abs(m.clock_difference.seconds()) > kClockSkewNoted) {
      answers_.notes.push_back(fmt::format("{}: its clock is {:.0f} s {} ours", m.node,
                                           std::abs(m.clock_difference.seconds()),
                                           m.clock_difference.count() > 0 ? "ahead of" : "behind"));
    }
    wire::ToNode welcome;
    welcome.mutable_welcome();
    server_.send(m.connection, welcome);
    return std::nullopt;
  }
  Asked* find(const std::string& node) {
    for (Asked& a : asked_) {
      if (a.node == node) return &a;
    }
    return nullptr;
  }

  const ProbeRequest& request_;
  const Launcher& launcher_;
  ControlServer& server_;
  std::vector<Asked> asked_;
  ProbeAnswers answers_;
};

}  // namespace

Result<ProbeAnswers> probe_nodes(const ProbeRequest& request, const Launcher& launcher, ControlServer& server,
                                 std::function<bool()> stop, const std::function<void(int, int)>& on_answer) {
  Probing probing(request, launcher, server);
  probing.start();
  const Nanos until = monotonic() + request.deadline;
  int told = -1;
  while (!probing.done()) {
    if (auto m = server.wait(Nanos::ms(50))) {
      if (auto error = probing.take(*m)) return tl::make_unexpected(*error);
      continue;
    }
    probing.look();
    if (told != probing.answered()) {
      told = probing.answered();
      on_answer(told, static_cast<int>(request.nodes.size()));
    }
    if (stop()) return fail(ErrorKind::deadline, "stopped during the probe: nothing was measured");
    if (monotonic() > until) probing.give_up(fmt::format("no answer in {}", to_text(request.deadline)));
  }
  on_answer(probing.answered(), static_cast<int>(request.nodes.size()));
  return probing.finish();
}

}  // namespace railgauge
