#include "fabric/diagnose/diagnose.h"

#include <fmt/format.h>

#include <algorithm>

#include "fabric/diagnose/criteria.h"
#include "fabric/diagnose/rules.h"
#include "fabric/diagnose/stated_criteria.h"
#include "fabric/diagnose/tables.h"

namespace railgauge {
namespace {

void number(std::vector<Draft>& drafts) {
  std::stable_sort(drafts.begin(), drafts.end(), [](const Draft& a, const Draft& b) {
    return a.finding.severity != b.finding.severity ? a.finding.severity < b.finding.severity
                                                    : a.weight > b.weight;
  });
  for (std::size_t i = 0; i < drafts.size(); ++i) drafts[i].finding.id = fmt::format("F{:03}", i + 1);
}

std::string sentence_of(const Analysis& a) {
  const auto ids_with = [&a](Verdict v, bool unexplained) {
    std::string ids;
    for (const Criterion& c : a.criteria) {
      if (c.verdict == v && (!unexplained || c.findings.empty())) ids += (ids.empty() ? "" : ", ") + c.id;
    }
    return ids;
  };
  const std::string unclear = ids_with(Verdict::inconclusive, false);
  const std::string missed = ids_with(Verdict::fail, true);
  const auto real = std::count_if(a.findings.begin(), a.findings.end(),
                                  [](const Finding& f) { return f.severity != Severity::note; });
  const std::string measured =
      fmt::format("{} of {} endpoints were measured", a.coverage.measured, a.coverage.planned);
  std::string text;
  if (real == 0) {
    text = a.verdict == Verdict::pass ? fmt::format("All as expected: {}, no finding.", measured)
                                      : measured + ".";
  } else {
    text = fmt::format("{}{}. {}.", a.findings.front().title,
                       real > 1 ? fmt::format(", and {} more", real - 1) : "", measured);
  }
  if (!missed.empty()) text += fmt::format(" Not met, and no finding says why: {}.", missed);
  if (!unclear.empty()) text += fmt::format(" Not settled: {}.", unclear);
  return text;
}

}  // namespace

Analysis diagnose(const Evidence& evidence, const Gates& gates) {
  const Picture picture = picture_of(evidence, gates);
  Inquiry inquiry = judge(picture);
  number(inquiry.drafts);
  Analysis a;
  fill_tables(inquiry, a);
  const Proof proof = prove(picture);
  a.proof_worst_share = proof.worst_share;
  a.proof_worst_other = proof.worst_other;
  for (const Draft& d : inquiry.drafts) a.findings.push_back(d.finding);
  a.criteria = criteria_of(picture, inquiry.drafts, proof, a);
  for (Criterion& c : stated_criteria(picture, inquiry.drafts, a.skipped)) a.criteria.push_back(std::move(c));
  a.verdict = worst(a.criteria);
  a.sentence = sentence_of(a);
  return a;
}

}  // namespace railgauge
