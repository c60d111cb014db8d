// What was measured. One FlowSample is one *side* of one flow in one repeat: the receiver counts the bytes (a
// sender's completion only means "handed over"), the sender contributes its status and counters. Columns of
// samples.rg (proto/sample_file.h) have these names. Plain and of fixed size, so that a rank can hand it to
// its leader through shared memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

enum class Side : std::uint8_t { send, receive };
enum class FlowStatus : std::uint8_t {
  ok,
  failed,        // started and broke, or ran into its deadline: error_code and error say how
  not_started,   // connection could not be made
  peer_missing,  // the other end was not there (dead rank, excluded)
};
std::string_view to_text(Side side);
std::string_view to_text(FlowStatus status);

struct FlowSample {
  std::int32_t round = -1;
  std::int32_t source = -1, target = -1;  // endpoints of the schedule
  Side side = Side::receive;
  FlowStatus status = FlowStatus::ok;
  std::uint64_t payload_bytes = 0;  // in the common interval (receive), handed over in the whole round (send)
  std::uint64_t total_bytes = 0;    // payload of the whole round, ramp and drain included
  std::int64_t interval_ns = 0;     // common interval of the round; 0: none
  double goodput_bits_per_second = 0;  // payload_bytes over interval_ns; stalls and errors count as zero
  double median_bits_per_second = 0;   // median window
  std::int64_t longest_stall_ns = 0;   // longest gap between two arrivals
  std::uint32_t windows = 0;
  // ping-pong only; half round trips. count 0: not a latency sample
  std::uint64_t latency_count = 0;
  double latency_p50_ns = 0, latency_p99_ns = 0, latency_p999_ns = 0, latency_max_ns = 0;
  std::int64_t run_delay_ns =
      0;  // time this rank's threads were runnable and did not run (schedstat) in the round
  std::uint32_t verified_bytes = 0;  // payload bytes whose content was checked
  std::uint32_t wrong_bytes = 0;
  std::int32_t error_code = 0;  // the engine's own
  char error[96] = {};          // short text, NUL-terminated, cut if longer
};

// Byte counters of one NIC over one round, whether or not it had a flow: the proof of where traffic went.
struct CounterSample {
  std::int32_t round = -1;
  std::int32_t endpoint = -1;
  std::uint64_t tx_bytes = 0, rx_bytes = 0;              // NIC counter differences, all layers included
  std::uint64_t payload_sent = 0, payload_received = 0;  // what the engine says it moved over it
  // Clock of rank 0 of the launch: agreed start of the round, and when this endpoint's last flow ended. 0: of
  // an older file.
  std::int64_t begin_ns = 0, end_ns = 0;
};

// Something that happened. kind: "rank_died", "rank_hung", "launch_failed", "engine_fact", "refused", "note"
// ...
struct Event {
  std::int64_t time_ns = 0;  // since the run began
  std::string kind;
  std::string node;            // "" none
  std::int32_t endpoint = -1;  // -1 none
  std::int32_t round = -1;
  std::string text;
};

struct SampleSet {
  std::vector<FlowSample> flows;
  std::vector<CounterSample> counters;
  std::vector<Event> events;
};

// A round that a killed start had begun is measured again by the next: of two rows of one flow's side, or of
// one endpoint's counters, in one round the later one stays. Order is kept; events stay as they are.
void keep_later_rows(SampleSet& samples);

}  // namespace railgauge
