// Findings of the inventory come first: they need no measurement, and they explain what is measured at their
// NICs.
#include <algorithm>

#include "fabric/diagnose/placement.h"
#include "fabric/diagnose/wording.h"

namespace railgauge {
namespace {

bool in_list(const std::string& list, const std::string& word) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(", ", at), list.size());
    if (list.compare(at, end - at, word) == 0) return true;
    at = end + 2;
  }
  return false;
}

// A missing or dead NIC is no endpoint; its name may be another NIC's on this node.
bool touches(const Finding& f, const Endpoint& e) {
  if (f.code == "nic.missing" || f.code == "rail.down") return false;
  const std::string nics = f.where.nic.value_or("");
  if (in_list(nics, e.node + " " + e.device)) return true;
  if (!f.where.node || *f.where.node != e.node) return false;
  if (!nics.empty()) return in_list(nics, e.device);
  return !f.where.rail || *f.where.rail == e.rail;
}

}  // namespace

namespace rule {

void placement(Inquiry& q) {
  for (Finding& f : placement_findings(q.picture.evidence.inventory)) {
    Draft d;
    d.gate = Gate::placement;
    d.other = f.severity == Severity::note    ? Verdict::pass
              : f.severity == Severity::minor ? Verdict::warn
                                              : Verdict::fail;
    const bool local = f.scope != Scope::fleet;
    for (std::size_t e = 0; local && e < q.picture.endpoints(); ++e) {
      if (!touches(f, q.picture.endpoint(static_cast<std::int32_t>(e)))) continue;
      d.endpoints.push_back(static_cast<std::int32_t>(e));
      q.placed[e] = static_cast<int>(q.drafts.size());
    }
    d.finding = std::move(f);
    q.drafts.push_back(std::move(d));
  }
}

}  // namespace rule
}  // namespace railgauge
