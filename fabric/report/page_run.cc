// "Run and method" of report.html: enough to repeat the run and to doubt its numbers.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "fabric/report/page.h"
#include "fabric/report/text.h"
#include "fabric/report/words.h"

namespace railgauge {

namespace {

// Versions that all nodes share on one line, differing ones each with their count of nodes.
std::string versions_text(const Inventory& inventory) {
  std::vector<std::string> order;
  for (const NodeEntry& n : inventory.nodes) {
    for (const Version& v : n.facts.versions) {
      const std::string text = v.name + " " + v.value;
      if (std::find(order.begin(), order.end(), text) == order.end() && order.size() < 40)
        order.push_back(text);
    }
  }
  std::string out;
  for (const std::string& text : order) {
    std::size_t has = 0, answered = 0;
    for (const NodeEntry& n : inventory.nodes) {
      if (!n.silent.empty()) continue;
      ++answered;
      has += std::any_of(n.facts.versions.begin(), n.facts.versions.end(),
                         [&](const Version& v) { return v.name + " " + v.value == text; })
                 ? 1
                 : 0;
    }
    if (!out.empty()) out += ", ";
    out += text;
    if (has != answered) out += fmt::format(" (on {} of {})", has, plural(answered, "node"));
  }
  return out;
}

std::string cases_text(const Schedule& schedule) {
  std::vector<std::string> order;
  for (const Round& round : schedule.rounds) {
    if (std::find(order.begin(), order.end(), round.case_id) == order.end()) order.push_back(round.case_id);
  }
  std::string out;
  for (const std::string& id : order) {
    const auto n = std::count_if(schedule.rounds.begin(), schedule.rounds.end(),
                                 [&](const Round& round) { return round.case_id == id; });
    out +=
        fmt::format("{}{} ({})", out.empty() ? "" : ", ", id, plural(static_cast<std::size_t>(n), "round"));
  }
  return out;
}

}  // namespace

std::string run_section(const Report& r) {
  const RunMeta& m = r.meta;
  std::string facts;
  const auto fact = [&](std::string_view key, const std::string& value, bool typed = false) {
    if (value.empty()) return;
    facts += fmt::format("<dt>{}</dt><dd>{}{}{}</dd>\n", key, typed ? "<code>" : "", html_text(value),
                         typed ? "</code>" : "");
  };
  fact("Run", m.run_id, true);
  fact("Started", m.started_utc);
  if (m.wall_ns > 0) fact("Duration", time_text(static_cast<double>(m.wall_ns)));
  fact("Payload", payload_text(m));
  std::string stages;
  for (const StageTime& s : m.stages)
    stages += fmt::format("{}{} {}", stages.empty() ? "" : ", ", s.stage,
                          time_text(static_cast<double>(s.wall_ns)));
  fact("Stages", stages);
  fact("Plan", m.plan);
  fact("Cases", cases_text(r.schedule));
  fact("Launcher", m.launcher);
  fact("Hosts", host_list(m.hosts));
  std::string classes;
  for (const NodeClass& c : r.inventory.classes)
    classes += fmt::format("{}{}: {}", classes.empty() ? "" : "; ", c.name, host_list(c.nodes));
  fact("Node classes", classes);
  fact("Command", m.command, true);
  fact("Railgauge", m.version.empty() ? "" : fmt::format("{}, build {}", m.version, m.build_id));
  fact("Versions", versions_text(r.inventory));

  std::string method;
  const auto rule = [&](const std::string& text) {
    if (!text.empty()) method += "<li>" + html_text(text) + "</li>\n";
  };
  rule(
      "A rate is goodput at the receiver over the time in which all flows of a round overlap; stalls and "
      "errors count as zero.");
  rule("Send and receive of an endpoint are separate flows, never halves of one.");
  for (const std::string& sentence : m.method) rule(sentence);
  if (r.analysis.pooled_sigma > 0) {
    rule(fmt::format("Run-to-run spread {:.2f} % (pooled); a change below {:.1f} % could not have been seen.",
                     r.analysis.pooled_sigma * 100, std::max(3.0, 600 * r.analysis.pooled_sigma)));
  }
  const std::string proof = proof_text(r.analysis);
  rule(proof.empty() ? "NIC byte counters were not read: where the traffic went is not proven."
                     : "Byte counters: " + proof + ".");
  rule("Coverage: " + coverage_text(r.analysis.coverage) + ".");
  rule(r.inventory.compute_choice);
  rule(r.inventory.order_choice);
  for (const std::string& warning : r.inventory.warnings) rule("Warning: " + warning);
  return "<div class=\"two\"><div><h3 class=\"sub\">How it was measured</h3><ul class=\"meth\">\n" + method +
         "</ul></div><div><h3 class=\"sub\">The run</h3><dl class=\"kv\">\n" + facts + "</dl></div></div>\n";
}

}  // namespace railgauge
