// The judgement: analysis.json is this struct, report.json a view of it (DESIGN sections 4 and 6).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/expect/expected.h"
#include "fabric/inventory/inventory.h"

namespace railgauge {

enum class Verdict { pass, warn, inconclusive, fail, waived };
std::string_view to_text(Verdict v);  // "PASS"
std::span<const Verdict> all_values(Verdict);

enum class Severity { critical, major, minor, note };
std::string_view to_text(Severity s);
std::span<const Severity> all_values(Severity);

enum class Scope { endpoint, link, leaf, rail, node, fleet };
std::string_view to_text(Scope s);
std::span<const Scope> all_values(Scope);

enum class Direction { send, receive, both };
std::string_view to_text(Direction d);
std::span<const Direction> all_values(Direction);

struct Quantity {
  double value = 0;
  std::string unit;  // "bit/s", "ns", "endpoints"
};
struct Explained {  // what the observed state predicts: "x8: 205"
  double value = 0;
  std::string unit;
  std::string by;
};
struct LinkEnds {
  std::string a, b;
};
struct Where {
  std::optional<std::string> node;
  std::optional<int> rail;
  std::optional<std::string> nic, gpu;
  std::optional<LinkEnds> link;
};
struct Cause {
  std::string text;
  std::string likelihood;  // "likely" or "possible"; never a percentage that was not calibrated
};
struct Action {
  std::string text;
  std::string command;  // "" none; one line to copy
};

struct Finding {
  std::string id;    // "F001", counts within a run
  std::string code;  // stable: "rail.slow"
  Severity severity = Severity::note;
  Scope scope = Scope::endpoint;
  std::string title;  // what is wrong where, one line
  Where where;
  std::optional<Direction> direction;
  std::optional<Quantity> measured;
  std::optional<Expected> expected;
  std::optional<Explained> explained_by;
  std::vector<Cause> causes;
  std::vector<std::string> evidence;
  std::vector<Action> actions;
  std::string confirm;  // how it was confirmed, or why it could not be
};

struct Criterion {
  std::string id;  // "coverage", "p2p.rail.write_bw.model"
  std::string title;
  std::string required;  // "at least 90 % of expected"
  std::string measured;  // "slowest 50 % of expected (h3 rail 2)"; "" not measured
  std::string from;      // provenance of the gate
  Verdict verdict = Verdict::inconclusive;
  std::vector<std::string> findings;  // ids
  // Of a criterion that the plan states: `measured` and `required` as numbers.
  std::optional<Quantity> figure = std::nullopt, limit = std::nullopt;
};

struct Coverage {
  int planned = 0;  // endpoints
  int measured = 0;
  int nodes_planned = 0;
  int nodes_answered = 0;
};

struct Skip {
  std::string what;  // "h3 rail 2", "n004"
  SkipReason reason = SkipReason::not_reached;
  std::string text;
};

// One endpoint's figures for tables and the map. Absent = not measured.
struct EndpointResult {
  std::string node;
  int rail = -1;
  std::string device;
  std::optional<double> send_bits_per_second, receive_bits_per_second;  // best repeat of its screening flows
  std::optional<double> expected_bits_per_second;
  std::optional<double> latency_p50_ns, latency_p99_ns;  // median over its flows
  std::string state;  // "ok", "slow", "down", "missing", "silent", "skipped"
};

// One flow of the screening, for the pair table; rate is the median of its repeats.
struct PairResult {
  std::int32_t source = -1, target = -1;  // endpoints of the schedule
  double median_bits_per_second = 0;
  double expected_bits_per_second = 0;
  int repeats = 0;
};

struct Analysis {
  Verdict verdict = Verdict::inconclusive;
  std::string sentence;  // the verdict in one or two sentences
  bool simulated = false;
  Coverage coverage;
  std::vector<Criterion> criteria;
  std::vector<Finding> findings;  // sorted by severity, then weight
  std::vector<Skip> skipped;
  std::vector<EndpointResult> endpoints;
  std::vector<PairResult> pairs;
  double pooled_sigma =
      0;  // run-to-run, relative; smallest change this run could have seen is 6 x this or 3 %
  double proof_worst_share = -1;  // least share of payload that a flow's own NIC counters saw; -1 unknown
  double proof_worst_other = -1;  // largest share that a NIC without that flow moved; -1 unknown
};

template <class V>
void describe(V& v, Quantity& q) {
  v("value", q.value);
  v("unit", q.unit);
}
template <class V>
void describe(V& v, Explained& e) {
  v("value", e.value);
  v("unit", e.unit);
  v("by", e.by);
}
template <class V>
void describe(V& v, LinkEnds& l) {
  v("a", l.a);
  v("b", l.b);
}
template <class V>
void describe(V& v, Where& w) {
  v("node", w.node);
  v("rail", w.rail);
  v("nic", w.nic);
  v("gpu", w.gpu);
  v("link", w.link);
}
template <class V>
void describe(V& v, Cause& c) {
  v("text", c.text);
  v("likelihood", c.likelihood);
}
template <class V>
void describe(V& v, Action& a) {
  v("text", a.text);
  v("command", a.command);
}
template <class V>
void describe(V& v, Finding& f) {
  v("id", f.id);
  v("code", f.code);
  v("severity", f.severity);
  v("scope", f.scope);
  v("title", f.title);
  v("where", f.where);
  v("direction", f.direction);
  v("measured", f.measured);
  v("expected", f.expected);
  v("explained_by", f.explained_by);
  v("causes", f.causes);
  v("evidence", f.evidence);
  v("actions", f.actions);
  v("confirm", f.confirm);
}
template <class V>
void describe(V& v, Criterion& c) {
  v("id", c.id);
  v("title", c.title);
  v("required", c.required);
  v("measured", c.measured);
  v("from", c.from);
  v("verdict", c.verdict);
  v("findings", c.findings);
  v("figure", c.figure);
  v("limit", c.limit);
}
template <class V>
void describe(V& v, Coverage& c) {
  v("planned", c.planned);
  v("measured", c.measured);
  v("nodes_planned", c.nodes_planned);
  v("nodes_answered", c.nodes_answered);
}
template <class V>
void describe(V& v, Skip& s) {
  v("what", s.what);
  v("reason", s.reason);
  v("text", s.text);
}
template <class V>
void describe(V& v, EndpointResult& e) {
  v("node", e.node);
  v("rail", e.rail);
  v("device", e.device);
  v("send_bits_per_second", e.send_bits_per_second);
  v("receive_bits_per_second", e.receive_bits_per_second);
  v("expected_bits_per_second", e.expected_bits_per_second);
  v("latency_p50_ns", e.latency_p50_ns);
  v("latency_p99_ns", e.latency_p99_ns);
  v("state", e.state);
}
template <class V>
void describe(V& v, PairResult& p) {
  v("source", p.source);
  v("target", p.target);
  v("median_bits_per_second", p.median_bits_per_second);
  v("expected_bits_per_second", p.expected_bits_per_second);
  v("repeats", p.repeats);
}
template <class V>
void describe(V& v, Analysis& a) {
  v("verdict", a.verdict);
  v("sentence", a.sentence);
  v("simulated", a.simulated);
  v("coverage", a.coverage);
  v("criteria", a.criteria);
  v("findings", a.findings);
  v("skipped", a.skipped);
  v("endpoints", a.endpoints);
  v("pairs", a.pairs);
  v("pooled_sigma", a.pooled_sigma);
  v("proof_worst_share", a.proof_worst_share);
  v("proof_worst_other", a.proof_worst_other);
}

}  // namespace railgauge
