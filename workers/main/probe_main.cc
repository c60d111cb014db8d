#include <fmt/format.h>
#include <time.h>

#include <cstdio>
#include <iostream>

#include "proto/control.pb.h"
#include "proto/control_client.h"
#include "proto/json.h"
#include "proto/version.h"
#include "workers/main/modes.h"
#include "workers/probe/probe.h"

namespace railgauge {
namespace {

constexpr Nanos kConnectWithin = Nanos::s(10);

Result<void> send_facts(const RankArguments& arguments, const ControlTarget& target, const NodeFacts& facts) {
  auto client = ControlClient::connect(target.address, kConnectWithin);
  if (!client) return tl::make_unexpected(client.error());
  wire::ToOrchestrator out;
  wire::Hello& hello = *out.mutable_hello();
  hello.set_token(target.token);
  hello.set_build_id(build_id());
  hello.set_role(wire::ROLE_PROBE);
  hello.set_node(arguments.node);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  hello.set_clock_ns(static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec);
  if (auto sent = (*client)->send(out); !sent) return sent;
  auto in = (*client)->receive(kConnectWithin);
  if (!in) return tl::make_unexpected(in.error());
  if (!*in)
    return fail(ErrorKind::deadline, "orchestrator: no answer to HELLO in 10 s; is it still running?");
  if ((*in)->has_refuse())
    return fail(ErrorKind::peer, "orchestrator refused this node: " + (*in)->refuse().reason());
  wire::ToOrchestrator answer;
  answer.mutable_probe_facts()->set_node_facts_json(to_json(facts, 0));
  if (auto sent = (*client)->send(answer); !sent) return sent;
  // The orchestrator closes when it has them: leaving earlier could reset the connection with the facts still
  // in it.
  static_cast<void>((*client)->receive(kConnectWithin));
  return {};
}

}  // namespace

// Without an orchestrator's address the facts go to stdout: that is how fixtures and `--sysfs-root` are
// looked at.
int probe_main(const RankArguments& arguments) {
  ProbeOptions options;
  options.node = arguments.node;
  options.sysfs_root = arguments.sysfs_root;
  options.machine_id_file = arguments.machine_id_file;
  const Result<NodeFacts> facts = probe_node(options);
  if (!facts) {
    say(arguments.node, facts.error().message);
    return 2;
  }
  if (!arguments.from_stdin && !read_variable("RAILGAUGE_CONTROL")) {
    fmt::print("{}\n", to_json(*facts));
    return 0;
  }
  const Result<ControlTarget> target =
      control_target(read_variable, arguments.from_stdin ? &std::cin : nullptr);
  if (!target) {
    say(arguments.node, target.error().message);
    return 2;
  }
  if (auto sent = send_facts(arguments, *target, *facts); !sent) {
    say(arguments.node, sent.error().message);
    return 2;
  }
  return 0;
}

}  // namespace railgauge
