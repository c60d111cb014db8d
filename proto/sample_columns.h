// Rows to columns and back: the payload of one frame of samples.rg before compression. Hostile input gives an
// error, never more than kMaxRows rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "proto/result.h"
#include "proto/samples.h"

namespace railgauge {

enum class FrameKind : std::uint32_t { flows = 1, counters = 2, events = 3 };

// More rows become a second frame. It bounds what a reader may have to hold: 65 536 rows of 250 bytes are 16
// MiB.
inline constexpr std::size_t kMaxRows = 65536;
inline constexpr std::size_t kMaxEventRows = 2048;   // with texts of at most kMaxEventText
inline constexpr std::size_t kMaxEventText = 16384;  // longer ones are cut

// At most kMaxRows (events: kMaxEventRows) rows; more is a bug.
std::string pack_columns(std::string_view node, std::span<const FlowSample> rows);
std::string pack_columns(std::string_view node, std::span<const CounterSample> rows);
std::string pack_columns(std::string_view node, std::span<const Event> rows);

// Appends the rows to out; on error out is as before. Errors (peer): not these columns, columns of different
// length, a value out of range.
Result<void> unpack_columns(FrameKind kind, std::string_view payload, SampleSet& out);

}  // namespace railgauge
