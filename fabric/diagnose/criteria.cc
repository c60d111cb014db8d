#include "fabric/diagnose/criteria.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "fabric/diagnose/statistics.h"
#include "fabric/diagnose/wording.h"
#include "fabric/expect/expect.h"

namespace railgauge {
namespace {

constexpr double kProofShare = 0.90, kProofOther = 0.05;
constexpr double kTooBusy =
    0.5;  // of the pairs measured only while the hosts were busy: their rates say nothing

// Order of gravity; the enum's own order has INCONCLUSIVE above WARN and below FAIL already.
Verdict graver(Verdict a, Verdict b) { return std::max(a, b); }

Criterion criterion(std::string id, std::string title, std::string required, std::string from) {
  Criterion c;
  c.id = std::move(id);
  c.title = std::move(title);
  c.required = std::move(required);
  c.from = std::move(from);
  c.verdict = Verdict::pass;
  return c;
}

void take(Criterion& c, const std::vector<Draft>& drafts, Verdict Draft::*verdict) {
  for (const Draft& d : drafts) {
    if (d.*verdict == Verdict::pass) continue;
    c.verdict = graver(c.verdict, d.*verdict);
    c.findings.push_back(d.finding.id);
  }
}

std::string findings_in_words(std::size_t n) { return fmt::format("{} finding{}", n, n == 1 ? "" : "s"); }

void take_gate(Criterion& c, const std::vector<Draft>& drafts, Gate gate) {
  for (const Draft& d : drafts) {
    if (d.gate != gate) continue;
    c.verdict = graver(c.verdict, d.other);
    c.findings.push_back(d.finding.id);
  }
}

Criterion coverage(const Picture& p, const std::vector<Draft>& drafts, const Analysis& a) {
  Criterion c = criterion("coverage", "Measured of planned endpoints",
                          fmt::format("at least {:.0f} %", p.gates.coverage * 100), "plan");
  const Coverage& v = a.coverage;
  c.measured = fmt::format("{} of {} endpoints on {} of {} nodes", v.measured, v.planned, v.nodes_answered,
                           v.nodes_planned);
  for (const Draft& d : drafts) {
    const std::string& code = d.finding.code;
    if (code == "node.silent" || code == "nic.missing" || code == "rail.down" || code == "rail.unreachable" ||
        code == "node.lost" || code == "engine.failed") {
      c.findings.push_back(d.finding.id);
    }
  }
  const double share = v.planned > 0 ? static_cast<double>(v.measured) / v.planned : 0;
  const bool not_reached = std::any_of(a.skipped.begin(), a.skipped.end(),
                                       [](const Skip& s) { return s.reason == SkipReason::not_reached; });
  if (v.measured == 0) {
    c.verdict = Verdict::inconclusive;
  } else if (share < p.gates.coverage) {
    c.verdict = not_reached && c.findings.empty() ? Verdict::inconclusive : Verdict::fail;
  } else if (v.measured < v.planned) {
    c.verdict = not_reached ? Verdict::inconclusive : Verdict::warn;
  }
  return c;
}

// Rounds that the time box, a signal, a full disk or broken launches left out. Absent where the plan was
// done.
std::optional<Criterion> reached(const Picture& p) {
  std::set<std::int32_t> sampled = p.broken;
  for (const FlowSample& f : p.evidence.samples.flows) sampled.insert(f.round);
  std::size_t planned = 0, missing = 0;
  for (const Round& r : p.evidence.schedule.rounds) {
    if (r.purpose != RoundPurpose::screen) continue;
    ++planned;
    if (!sampled.contains(r.id)) ++missing;
  }
  const std::string& why = p.evidence.stopped;
  if (missing == 0 && why.empty()) return std::nullopt;
  Criterion c = criterion("rounds", "Measured of planned rounds", "all of them", "plan");
  c.measured = fmt::format("{} of {} rounds; {}", planned - missing, planned,
                           why.empty() ? "the others were not reached" : "stopped: " + why);
  c.verdict = Verdict::inconclusive;
  return c;
}

// Damaged places of samples.rg, which a render of an old run reports as events. Absent where the file is
// whole.
std::optional<Criterion> record_whole(const Picture& p) {
  std::size_t damaged = 0;
  std::string first;
  for (const Event& e : p.evidence.samples.events) {
    if (e.kind != "record_damaged") continue;
    if (damaged++ == 0) first = e.text;
  }
  if (damaged == 0) return std::nullopt;
  Criterion c =
      criterion("record", "Record of the run is whole", "no damaged frame", "checksum of each frame");
  c.measured = fmt::format("{} damaged: {}", damaged, first);
  c.verdict = Verdict::warn;
  return c;
}

const char* kNothing = "no flow was measured";

Criterion model(const Picture& p, const std::vector<Draft>& drafts) {
  Criterion c = criterion(p.judged_case + ".model", "Rate against the expectation",
                          fmt::format("at least {:.0f} % of expected ({:.0f} % or it fails)",
                                      p.gates.model_warn * 100, p.gates.model_fail * 100),
                          "");
  const Pair* slowest = nullptr;
  std::size_t measured = 0, busy = 0;
  for (const Pair& pair : p.pairs) {
    if (pair.repeats == 0) continue;
    ++measured;
    if (pair.disturbed && p.bad(pair)) ++busy;
    if (pair.expected > 0 &&
        (slowest == nullptr || pair.rate / pair.expected < slowest->rate / slowest->expected))
      slowest = &pair;
  }
  take(c, drafts, &Draft::model);
  if (measured == 0) {
    c.verdict = Verdict::inconclusive;
    c.from = kNothing;
    return c;
  }
  if (slowest == nullptr) {
    const bool peers =
        std::any_of(p.classes.begin(), p.classes.end(), [](const PeerClass& k) { return k.judged; });
    c.from = p.endpoint(p.pairs.front().source).expected_from;
    c.required = peers ? "not applicable: no expectation is known, peers decide" : c.required;
    c.verdict = peers ? Verdict::pass : Verdict::inconclusive;
    return c;
  }
  c.from = expected_of_flow(p.endpoint(slowest->source), p.endpoint(slowest->target)).from;
  c.measured =
      fmt::format("slowest flow {} of expected ({})", percent_in_words(slowest->rate / slowest->expected),
                  pair_name(p, slowest->source, slowest->target));
  if (static_cast<double>(busy) > kTooBusy * static_cast<double>(measured)) {
    c.verdict = graver(c.verdict, Verdict::inconclusive);
    c.measured += fmt::format("; {} of {} flows were measured on hosts too busy to judge", busy, measured);
  }
  return c;
}

Criterion peers(const Picture& p, const std::vector<Draft>& drafts) {
  Criterion c =
      criterion(p.judged_case + ".peers", "Rate against the class median",
                fmt::format("within max({:.0f} %, {:g} x run-to-run spread); below {:.0f} % it fails",
                            p.gates.peer_floor * 100, p.gates.peer_sigmas, p.gates.peer_fail * 100),
                "");
  double lowest = 1, delta = p.gates.peer_floor;
  std::size_t judged = 0;
  for (const PeerClass& k : p.classes) {
    if (!k.judged || k.median <= 0) continue;
    ++judged;
    delta = std::max(delta, k.delta);
    for (const std::size_t i : k.pairs) lowest = std::min(lowest, p.pairs[i].rate / k.median);
  }
  if (judged == 0) {
    c.required = fmt::format("not applicable: no class has {} members", p.gates.peer_members);
    c.from = p.pairs.empty() ? kNothing : "number of nodes";
    return c;
  }
  take(c, drafts, &Draft::peers);
  c.measured = fmt::format("slowest flow {} of its class median; gate {:.1f} %", percent_in_words(lowest),
                           delta * 100);
  c.from = fmt::format("{} {} of this run, spread pooled {:.2f} %", judged, judged == 1 ? "class" : "classes",
                       p.sigma * 100);
  return c;
}

Criterion latency(const Picture& p, const std::vector<Draft>& drafts) {
  const bool software = p.evidence.site.software_links;
  Criterion c = criterion(
      "p2p.rail.latency", "Half round trip of small messages",
      software ? "reported: software links are not judged" : "class median + max(20 %, 6 MAD, 0.3 us)",
      software ? "site file" : "this run");
  std::vector<double> p50, p99;
  for (const LatencyPair& l : p.latency) {
    p50.push_back(l.p50);
    p99.push_back(l.p99);
  }
  const auto text = [](double ns) { return to_text(Nanos::ns(static_cast<std::int64_t>(ns))); };
  c.measured = fmt::format("median {}, p99 {} (medians of {} pairs, closed loop)", text(median(p50)),
                           text(median(p99)), p50.size());
  take_gate(c, drafts, Gate::latency);
  return c;
}

Criterion proven(const Proof& proof) {
  Criterion c = criterion("proof.counters", "Traffic went over the NICs it should",
                          fmt::format("own NIC at least {:.0f} % of the payload, others below {:.0f} %",
                                      kProofShare * 100, kProofOther * 100),
                          "byte counters of the NICs");
  if (proof.flows == 0) {
    c.verdict = Verdict::inconclusive;
    c.required += "; no counters were read";
    return c;
  }
  c.measured = fmt::format("least {} ({}), {} ends checked", percent_in_words(proof.worst_share),
                           proof.share_at, proof.flows);
  if (proof.worst_other >= 0)
    c.measured +=
        fmt::format("; others at most {} ({})", percent_in_words(proof.worst_other), proof.other_at);
  if (proof.worst_share < kProofShare || proof.worst_other >= kProofOther) c.verdict = Verdict::fail;
  return c;
}

}  // namespace

std::vector<Criterion> criteria_of(const Picture& p, const std::vector<Draft>& drafts, const Proof& proof,
                                   const Analysis& a) {
  std::vector<Criterion> all;
  all.push_back(coverage(p, drafts, a));
  if (auto c = reached(p)) all.push_back(std::move(*c));
  if (auto c = record_whole(p)) all.push_back(std::move(*c));
  if (!p.judged_case.empty()) {
    all.push_back(model(p, drafts));
    all.push_back(peers(p, drafts));
  }
  if (!p.latency.empty()) all.push_back(latency(p, drafts));
  Criterion flows = criterion("p2p.flows", "Flows that worked", "no flow fails", "every flow has a deadline");
  std::size_t failed = 0, cured = 0, wrong = 0;
  std::uint64_t verified = 0;
  for (const FlowResult& f : p.all) {
    if (f.failed) ++failed;
    if (f.cured) ++cured;
    if (f.wrong > 0) ++wrong;
    verified += f.verified;
  }
  flows.measured = fmt::format("{} of {} failed", failed, p.all.size());
  if (cured > 0) flows.measured += fmt::format(", {} of them once and not when measured again", cured);
  take_gate(flows, drafts, Gate::flows);
  all.push_back(std::move(flows));
  Criterion payload =
      criterion("p2p.payload", "Content of what arrived", "as it was sent", "pattern by flow and offset");
  payload.measured = verified == 0 ? "not checked"
                                   : fmt::format("{} flows with wrong bytes, {} checked", wrong,
                                                 to_text(Bytes::b(verified)));
  if (verified == 0) payload.required = "not applicable: no engine checked its payload";
  take_gate(payload, drafts, Gate::payload);
  all.push_back(std::move(payload));
  Criterion ranks =
      criterion("run.ranks", "Rank programs lived through the run", "none dies or hangs", "control channel");
  take_gate(ranks, drafts, Gate::ranks);
  ranks.measured = ranks.findings.empty() ? "all lived" : findings_in_words(ranks.findings.size());
  all.push_back(std::move(ranks));
  Criterion placement = criterion("placement", "NICs, cables and PCIe links are where the class has them",
                                  "as most nodes of the class", "inventory");
  take_gate(placement, drafts, Gate::placement);
  placement.measured = findings_in_words(placement.findings.size());
  all.push_back(std::move(placement));
  if (!p.judged_case.empty()) all.push_back(proven(proof));
  return all;
}

bool is_built_in_criterion(std::string_view id) {
  const auto starts = [id](std::string_view with) { return id.starts_with(with); };
  return id == "coverage" || id == "rounds" || id == "record" || id == "placement" || starts("p2p.") ||
         starts("collective.") || starts("run.") || starts("proof.");
}

Verdict worst(const std::vector<Criterion>& criteria) {
  Verdict v = criteria.empty() ? Verdict::inconclusive : Verdict::pass;
  for (const Criterion& c : criteria) v = graver(v, c.verdict);
  return v;
}

}  // namespace railgauge
