#include "orchestrator/control/hello.h"

#include <fmt/format.h>
#include <algorithm>

#include "proto/control.pb.h"

namespace railgauge {
namespace {

tl::unexpected<Error> wrong(std::string reason) { return fail(ErrorKind::peer, std::move(reason)); }

// What a stranger sent, fit for one line of a log.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 64)) out += c >= 0x20 && c < 0x7f ? c : '?';
  return out;
}

}  // namespace

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = difference | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

Result<Introduction> check_hello(std::string_view message, const ControlOptions& options) {
  wire::ToOrchestrator m;
  if (!m.ParseFromArray(message.data(), static_cast<int>(message.size())) || !m.has_hello()) {
    return wrong("first message is not a HELLO");
  }
  const wire::Hello& h = m.hello();
  if (!equal_in_constant_time(h.token(), options.token)) return wrong("wrong token");
  if (std::find(options.nodes.begin(), options.nodes.end(), h.node()) == options.nodes.end()) {
    return wrong(fmt::format("node \"{}\" is not in this run", printable(h.node())));
  }
  if (h.build_id() != options.build_id) {
    return wrong(
        fmt::format("node {} runs railgauge-rank of build {}, the orchestrator is build {}: install the same "
                    "build on all",
                    h.node(), printable(h.build_id()), options.build_id));
  }
  Introduction i;
  i.node = h.node();
  i.clock_ns = h.clock_ns();
  if (h.role() == wire::ROLE_PROBE) {
    i.role = NodeRole::probe;
  } else if (h.role() == wire::ROLE_LEADER && h.has_launch() && h.launch() >= 0) {
    i.role = NodeRole::leader;
    i.launch = h.launch();
  } else {
    return wrong(fmt::format("node {}: HELLO says neither probe nor leader of a launch", h.node()));
  }
  return i;
}

}  // namespace railgauge
