// report.json: what people script against. Keys and their order: DESIGN section 4, share/report.schema.json.
#include <cmath>
#include <optional>
#include <string>

#include "fabric/report/render.h"
#include "proto/json.h"

namespace railgauge {

namespace {

struct Proof {
  std::optional<double> share, other_share;  // absent: NIC counters were not read
};

struct Document {
  std::string schema = "railgauge-report/1";
  const Report& report;
  Proof proof;
  std::optional<double> spread;
};

std::optional<double> known(double v) { return std::isfinite(v) && v >= 0 ? std::optional(v) : std::nullopt; }

template <class V>
void describe(V& v, Proof& p) {
  v("own_nic_share", p.share);
  v("other_nic_share", p.other_share);
}

template <class V>
void describe(V& v, Document& d) {
  // The writer only reads; its visitor takes references to what a reader could also fill.
  auto& analysis = const_cast<Analysis&>(d.report.analysis);
  auto& meta = const_cast<RunMeta&>(d.report.meta);
  v("schema", d.schema);
  v("verdict", analysis.verdict);
  v("simulated", analysis.simulated);
  v("coverage", analysis.coverage);
  v("criteria", analysis.criteria);
  v("findings", analysis.findings);
  v("sentence", analysis.sentence);
  v("meta", meta);
  v("run_to_run_spread", d.spread);
  v("proof", d.proof);
  v("endpoints", analysis.endpoints);
  v("skipped", analysis.skipped);
}

}  // namespace

std::string render_json(const Report& report, const RenderOptions&) {
  const Analysis& a = report.analysis;
  return to_json(Document{.report = report,
                          .proof = {known(a.proof_worst_share), known(a.proof_worst_other)},
                          .spread = known(a.pooled_sigma)}) +
         "\n";
}

}  // namespace railgauge
