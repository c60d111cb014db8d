// Programs and nodes that ended or stopped while the run went on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "fabric/diagnose/wording.h"

namespace railgauge {
namespace {

struct Kind {
  std::string_view event, code, what;
  Verdict once;
};
// In this order: the first one of a node in a round is the cause, the later ones are its echo.
constexpr std::array<Kind, 4> kKinds = {{
    {"engine_failed", "engine.failed", "the engine could not use it", Verdict::fail},
    {"rank_hung", "rank.hung", "its rank program stopped answering", Verdict::fail},
    {"rank_died", "rank.died", "its rank program died", Verdict::warn},
    {"node_lost", "node.lost", "the node was lost in the run", Verdict::fail},
}};

using Key = std::pair<std::string, std::int32_t>;  // node, endpoint

Draft draft(const Inquiry& q, const Kind& kind, const Key& key, const std::vector<const Event*>& events) {
  const bool known = key.second >= 0 && static_cast<std::size_t>(key.second) < q.picture.endpoints();
  Draft d;
  d.gate = Gate::ranks;
  d.other = events.size() > 1 ? Verdict::fail : kind.once;
  d.weight = static_cast<double>(events.size());
  Finding& f = d.finding;
  f.code = kind.code;
  f.severity = Severity::major;
  f.scope = known ? Scope::endpoint : Scope::node;
  if (known) f.where = where_of(q.picture.endpoint(key.second));
  if (!known && !key.first.empty()) f.where.node = key.first;
  const std::string who = known ? end_name(q.picture.endpoint(key.second)) : key.first;
  const std::string rounds =
      events.front()->round >= 0 ? fmt::format(" in round {}", events.front()->round) : "";
  f.title = fmt::format("{}: {}{}", who, kind.what,
                        events.size() > 1 ? fmt::format(" {} times", events.size()) : rounds);
  f.measured = Quantity{static_cast<double>(events.size()), "times"};
  for (const Event* e : events) {
    if (f.evidence.size() < 4)
      f.evidence.push_back(fmt::format("at {:.1f} s: {}", static_cast<double>(e->time_ns) * 1e-9, e->text));
  }
  f.evidence.push_back(
      "what the other ends measured in that round is kept; flows with this end in it count for nobody");
  if (kind.event == "engine_failed") {
    f.causes = {{"the device is down, or the engine lacks its transport there", "likely"}};
  } else if (kind.event == "node_lost") {
    f.causes = {{"the node went down or lost its management network", "possible"},
                {"its leader process was killed", "possible"}};
  } else {
    f.causes = {{"killed from outside (out of memory, a job limit, an operator)", "possible"},
                {"an error in the engine or its driver", "possible"}};
    f.actions.push_back({"Look for the kernel's word on killed processes",
                         "dmesg -T | grep -i -E 'killed process|oom|mlx5|xid'"});
  }
  f.actions.push_back({"Read what it last wrote: logs/ of the run directory", "ls logs"});
  f.confirm = events.size() > 1 ? "it came again" : "it came once; the run went on";
  return d;
}

void launch_failed(Inquiry& q) {
  for (const Event& e : q.picture.evidence.samples.events) {
    if (e.kind != "launch_failed") continue;
    Draft d;
    d.gate = Gate::ranks;
    d.other = Verdict::fail;
    d.finding.code = "launch.failed";
    d.finding.severity = Severity::major;
    d.finding.scope = Scope::fleet;
    d.finding.title = "The launch ended before its work was done";
    d.finding.evidence = {e.text};
    d.finding.causes = {{"MPI or the launcher failed: no single rank is to blame", "likely"}};
    d.finding.actions = {{"Read what the launcher wrote: logs/ of the run directory", "ls logs"}};
    d.finding.confirm = "not measured again";
    q.drafts.push_back(std::move(d));
    return;
  }
}

}  // namespace

namespace rule {

void ranks(Inquiry& q) {
  std::map<std::string, std::vector<std::int32_t>> told;  // rounds already told, per node
  for (const Kind& kind : kKinds) {
    std::map<Key, std::vector<const Event*>> events;
    for (const Event& e : q.picture.evidence.samples.events) {
      if (e.kind != kind.event) continue;
      const auto& before = told[e.node];
      const bool echo = kind.event == "node_lost"
                            ? !before.empty()
                            : std::find(before.begin(), before.end(), e.round) != before.end();
      if (!echo) events[{e.node, e.endpoint}].push_back(&e);
    }
    for (const auto& [key, list] : events) {
      for (const Event* e : list) told[key.first].push_back(e->round);
      q.drafts.push_back(draft(q, kind, key, list));
    }
  }
  if (told.empty() || std::all_of(told.begin(), told.end(), [](const auto& t) { return t.second.empty(); }))
    launch_failed(q);
}

}  // namespace rule
}  // namespace railgauge
