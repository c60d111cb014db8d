// Payload that arrived with other content than was sent.
#include <fmt/format.h>

#include <map>

#include "fabric/diagnose/blame.h"
#include "fabric/diagnose/wording.h"

namespace railgauge {
namespace {

Draft draft(std::uint64_t wrong, std::uint64_t verified) {
  Draft d;
  d.gate = Gate::payload;
  d.other = Verdict::fail;
  d.weight = verified > 0 ? static_cast<double>(wrong) / static_cast<double>(verified) : 1;
  Finding& f = d.finding;
  f.code = "payload.wrong";
  f.severity = Severity::critical;
  f.measured = Quantity{static_cast<double>(wrong), "bytes"};
  f.expected = Expected{0, "bytes", "the pattern that was sent"};
  f.evidence = {
      fmt::format("{} of {} checked bytes differ from the pattern of flow and offset", wrong, verified)};
  f.causes = {{"memory, PCIe or NIC changes data without being noticed by checksums", "likely"},
              {"a fault of the engine: measure again with another one", "possible"}};
  f.actions = {{"Take the node out of service until its memory and NIC are tested", ""}};
  f.confirm = "every wrong byte counts; not measured again";
  return d;
}

}  // namespace

namespace rule {

void payload(Inquiry& q) {
  std::vector<Edge> edges;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;  // wrong, verified
  bool any = false;
  for (const FlowResult& f : q.picture.all) {
    if (f.verified == 0 && f.wrong == 0) continue;
    if (edges.empty() || edges.back().source != f.source || edges.back().target != f.target) {
      edges.push_back({f.source, f.target, 1, false, 1});
      counts.push_back({0, 0});
    }
    counts.back().first += f.wrong;
    counts.back().second += f.verified;
    if (f.wrong > 0) {
      any = true;
      edges.back() = {f.source, f.target, 0.01, true, 0};
    }
  }
  if (!any) return;
  const Blame blame = blame_ends(edges, q.picture.endpoints());
  for (const BlamedEnd& e : blame.ends) {
    std::uint64_t wrong = 0, verified = 0;
    for (const std::size_t i : e.edges) {
      wrong += counts[i].first;
      verified += counts[i].second;
    }
    Draft d = draft(wrong, verified);
    d.finding.where = where_of(q.picture.endpoint(e.endpoint));
    d.finding.direction = e.direction;
    d.finding.title = fmt::format("{} {} data that arrives changed", end_name(q.picture.endpoint(e.endpoint)),
                                  verb(e.direction));
    d.finding.evidence.push_back(fmt::format(
        "with {} of its {} partners, and these are right with all others", e.edges.size(), e.partners));
    q.drafts.push_back(std::move(d));
  }
  for (const std::size_t i : blame.leftover) {
    Draft d = draft(counts[i].first, counts[i].second);
    d.finding.scope = Scope::link;
    d.finding.where.rail = q.picture.endpoint(edges[i].source).rail;
    d.finding.where.link = LinkEnds{end_name(q.picture.endpoint(edges[i].source)),
                                    end_name(q.picture.endpoint(edges[i].target))};
    d.finding.title =
        fmt::format("Data from {} arrives changed", pair_name(q.picture, edges[i].source, edges[i].target));
    q.drafts.push_back(std::move(d));
  }
}

}  // namespace rule
}  // namespace railgauge
