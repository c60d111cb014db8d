#include "proto/samples.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

#include "proto/result.h"

namespace railgauge {
namespace {

template <class Row, class Key>
void keep_later(std::vector<Row>& rows, Key key) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(rows[a]) < key(rows[b]); });
  std::vector<bool> superseded(rows.size());
  for (std::size_t i = 1; i < order.size(); ++i)
    superseded[order[i - 1]] = key(rows[order[i - 1]]) == key(rows[order[i]]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!superseded[i]) rows[kept++] = rows[i];
  rows.resize(kept);
}

}  // namespace

void keep_later_rows(SampleSet& samples) {
  keep_later(samples.flows,
             [](const FlowSample& f) { return std::tuple(f.round, f.source, f.target, f.side); });
  keep_later(samples.counters, [](const CounterSample& c) { return std::tuple(c.round, c.endpoint); });
}

std::string_view to_text(Side side) {
  switch (side) {
    case Side::send:
      return "send";
    case Side::receive:
      return "receive";
  }
  RG_CHECK(false && "side out of range");
}

std::string_view to_text(FlowStatus status) {
  switch (status) {
    case FlowStatus::ok:
      return "ok";
    case FlowStatus::failed:
      return "failed";
    case FlowStatus::not_started:
      return "not_started";
    case FlowStatus::peer_missing:
      return "peer_missing";
  }
  RG_CHECK(false && "flow status out of range");
}

}  // namespace railgauge
