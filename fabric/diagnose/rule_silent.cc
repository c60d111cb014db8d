// Nodes that never answered the probe.
#include <fmt/format.h>

#include "fabric/diagnose/wording.h"

namespace railgauge::rule {

void silent(Inquiry& q) {
  for (const NodeEntry& n : q.picture.evidence.inventory.nodes) {
    if (n.silent.empty()) continue;
    Draft d;
    d.other = Verdict::fail;
    d.weight = 1;
    Finding& f = d.finding;
    f.code = "node.silent";
    f.severity = Severity::critical;
    f.scope = Scope::node;
    f.where.node = n.id;
    f.title = fmt::format("{} did not answer and was left out: {}", n.id, n.silent);
    f.causes = {{"the node is down or cannot be reached over the management network", "likely"},
                {"railgauge-rank is not installed there or cannot start", "possible"}};
    f.evidence = {n.silent};
    f.actions = {{"See whether it can be reached", fmt::format("ping -c 3 {}", n.id)},
                 {"Check the node itself", "railgauge doctor"}};
    f.confirm = "asked once, with a deadline";
    q.drafts.push_back(std::move(d));
  }
}

}  // namespace railgauge::rule
