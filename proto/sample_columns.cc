#include "proto/sample_columns.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "proto/samples.pb.h"

namespace railgauge {
namespace {

using google::protobuf::RepeatedField;
using google::protobuf::RepeatedPtrField;

// The one list of columns per kind; packing and unpacking both walk it.
template <class V>
void columns(V& v, wire::FlowColumns& c) {
  v("round", c.mutable_round(), &FlowSample::round);
  v("source", c.mutable_source(), &FlowSample::source);
  v("target", c.mutable_target(), &FlowSample::target);
  v("side", c.mutable_side(), &FlowSample::side);
  v("status", c.mutable_status(), &FlowSample::status);
  v("payload_bytes", c.mutable_payload_bytes(), &FlowSample::payload_bytes);
  v("total_bytes", c.mutable_total_bytes(), &FlowSample::total_bytes);
  v("interval_ns", c.mutable_interval_ns(), &FlowSample::interval_ns);
  v("goodput_bits_per_second", c.mutable_goodput_bits_per_second(), &FlowSample::goodput_bits_per_second);
  v("median_bits_per_second", c.mutable_median_bits_per_second(), &FlowSample::median_bits_per_second);
  v("longest_stall_ns", c.mutable_longest_stall_ns(), &FlowSample::longest_stall_ns);
  v("windows", c.mutable_windows(), &FlowSample::windows);
  v("latency_count", c.mutable_latency_count(), &FlowSample::latency_count);
  v("latency_p50_ns", c.mutable_latency_p50_ns(), &FlowSample::latency_p50_ns);
  v("latency_p99_ns", c.mutable_latency_p99_ns(), &FlowSample::latency_p99_ns);
  v("latency_p999_ns", c.mutable_latency_p999_ns(), &FlowSample::latency_p999_ns);
  v("latency_max_ns", c.mutable_latency_max_ns(), &FlowSample::latency_max_ns);
  v("run_delay_ns", c.mutable_run_delay_ns(), &FlowSample::run_delay_ns);
  v("verified_bytes", c.mutable_verified_bytes(), &FlowSample::verified_bytes);
  v("wrong_bytes", c.mutable_wrong_bytes(), &FlowSample::wrong_bytes);
  v("error_code", c.mutable_error_code(), &FlowSample::error_code);
  v("error", c.mutable_error(), &FlowSample::error);
}

template <class V>
void columns(V& v, wire::CounterColumns& c) {
  v("round", c.mutable_round(), &CounterSample::round);
  v("endpoint", c.mutable_endpoint(), &CounterSample::endpoint);
  v("tx_bytes", c.mutable_tx_bytes(), &CounterSample::tx_bytes);
  v("rx_bytes", c.mutable_rx_bytes(), &CounterSample::rx_bytes);
  v("payload_sent_bytes", c.mutable_payload_sent_bytes(), &CounterSample::payload_sent);
  v("payload_received_bytes", c.mutable_payload_received_bytes(), &CounterSample::payload_received);
  v("begin_ns", c.mutable_begin_ns(), &CounterSample::begin_ns);
  v("end_ns", c.mutable_end_ns(), &CounterSample::end_ns);
}

template <class V>
void columns(V& v, wire::EventColumns& c) {
  v("time_ns", c.mutable_time_ns(), &Event::time_ns);
  v("kind", c.mutable_kind(), &Event::kind);
  v("event_node", c.mutable_event_node(), &Event::node);
  v("endpoint", c.mutable_endpoint(), &Event::endpoint);
  v("round", c.mutable_round(), &Event::round);
  v("text", c.mutable_text(), &Event::text);
}

template <class Row>
class Pack {
 public:
  explicit Pack(std::span<const Row> rows) : rows_(rows) {}
  template <class F, class M>
  void operator()(const char*, RepeatedField<F>* column, M Row::*member) {
    column->Reserve(static_cast<int>(rows_.size()));
    for (const Row& r : rows_) column->Add(static_cast<F>(r.*member));
  }
  void operator()(const char*, RepeatedPtrField<std::string>* column, std::string Row::*member) {
    for (const Row& r : rows_) column->Add((r.*member).substr(0, kMaxEventText));
  }
  template <std::size_t N>
  void operator()(const char*, RepeatedPtrField<std::string>* column, char (Row::*member)[N]) {
    for (const Row& r : rows_) column->Add(std::string(r.*member, ::strnlen(r.*member, N - 1)));
  }

 private:
  std::span<const Row> rows_;
};

template <class Row>
class Unpack {
 public:
  explicit Unpack(std::span<Row> rows) : rows_(rows) {}
  template <class F, class M>
  void operator()(const char* name, RepeatedField<F>* column, M Row::*member) {
    if (!whole(name, column->size())) return;
    for (int i = 0; i < column->size(); ++i) {
      const F v = column->Get(i);
      if constexpr (std::is_enum_v<M>) {
        if (v > greatest(M{})) return wrong(fmt::format("column {} has value {}", name, v));
      }
      rows_[static_cast<std::size_t>(i)].*member = static_cast<M>(v);
    }
  }
  void operator()(const char* name, RepeatedPtrField<std::string>* column, std::string Row::*member) {
    if (!whole(name, column->size())) return;
    for (int i = 0; i < column->size(); ++i) {
      rows_[static_cast<std::size_t>(i)].*member = std::move(*column->Mutable(i));
    }
  }
  template <std::size_t N>
  void operator()(const char* name, RepeatedPtrField<std::string>* column, char (Row::*member)[N]) {
    if (!whole(name, column->size())) return;
    for (int i = 0; i < column->size(); ++i) {
      const std::string& s = column->Get(i);
      if (s.size() >= N) return wrong(fmt::format("column {} has a text of {} bytes", name, s.size()));
      std::memcpy(rows_[static_cast<std::size_t>(i)].*member, s.data(), s.size());
    }
  }
  const std::string& error() const { return error_; }

 private:
  static constexpr std::uint32_t greatest(Side) { return static_cast<std::uint32_t>(Side::receive); }
  static constexpr std::uint32_t greatest(FlowStatus) {
    return static_cast<std::uint32_t>(FlowStatus::peer_missing);
  }
  bool whole(const char* name, int size) {
    if (size == 0 || std::cmp_equal(size, rows_.size())) return true;
    wrong(fmt::format("column {} has {} of {} rows", name, size, rows_.size()));
    return false;
  }
  void wrong(std::string what) {
    if (error_.empty()) error_ = std::move(what);
  }
  std::span<Row> rows_;
  std::string error_;
};

template <class Message, class Row>
std::string pack(std::string_view node, std::span<const Row> rows, std::size_t most) {
  RG_CHECK(rows.size() <= most);
  Message m;
  m.set_rows(static_cast<std::uint32_t>(rows.size()));
  m.set_node(std::string(node));
  Pack<Row> v(rows);
  columns(v, m);
  return m.SerializeAsString();
}

template <class Message, class Row>
Result<void> unpack(std::string_view payload, std::size_t most, std::vector<Row>& out) {
  Message m;
  if (payload.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !m.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
    return fail(ErrorKind::peer, "payload is not columns");
  }
  if (m.rows() > most) return fail(ErrorKind::peer, fmt::format("{} rows, at most {}", m.rows(), most));
  std::vector<Row> rows(m.rows());
  Unpack<Row> v(rows);
  columns(v, m);
  if (!v.error().empty()) return fail(ErrorKind::peer, v.error());
  out.insert(out.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  return {};
}

}  // namespace

std::string pack_columns(std::string_view node, std::span<const FlowSample> rows) {
  return pack<wire::FlowColumns>(node, rows, kMaxRows);
}
std::string pack_columns(std::string_view node, std::span<const CounterSample> rows) {
  return pack<wire::CounterColumns>(node, rows, kMaxRows);
}
std::string pack_columns(std::string_view node, std::span<const Event> rows) {
  return pack<wire::EventColumns>(node, rows, kMaxEventRows);
}

Result<void> unpack_columns(FrameKind kind, std::string_view payload, SampleSet& out) {
  switch (kind) {
    case FrameKind::flows:
      return unpack<wire::FlowColumns>(payload, kMaxRows, out.flows);
    case FrameKind::counters:
      return unpack<wire::CounterColumns>(payload, kMaxRows, out.counters);
    case FrameKind::events:
      return unpack<wire::EventColumns>(payload, kMaxEventRows, out.events);
  }
  return fail(ErrorKind::peer, fmt::format("unknown kind {}", static_cast<std::uint32_t>(kind)));
}

}  // namespace railgauge
