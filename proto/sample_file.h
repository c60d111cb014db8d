// samples.rg: header {magic "RGSAMP\r\n", format major.minor, run id}; then frames {magic "RGF1", kind,
// length, XXH3-64, zstd payload}. A frame = one kind (flows, counters, events) of one round of one node, in
// columns (proto/samples.proto). The reader finds the next frame magic after damage, so a torn or damaged
// frame costs itself only and is named.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "proto/result.h"
#include "proto/samples.h"

namespace railgauge {

std::string encode_header(std::string_view run_id);
// One frame with whatever of flows, counters, events is not empty becomes one frame per kind, concatenated.
// node: who took them.
std::string encode_frames(std::string_view node, const SampleSet& samples);

struct DamagedFrame {
  std::uint64_t offset = 0;
  std::string reason;  // "checksum differs", "cut off after 120 of 4096 bytes"
};
struct SampleFile {
  std::string run_id;
  SampleSet samples;  // in file order
  std::vector<DamagedFrame> damaged;
  std::uint64_t whole_bytes =
      0;  // end of the last whole frame: what comes behind is a torn tail; --resume goes on here
};

// Errors (input): cannot be read; not a samples.rg; newer major format. Damage is not an error.
Result<SampleFile> read_sample_file(const std::filesystem::path& path);
Result<SampleFile> parse_sample_file(std::string_view bytes);
// Frames without header, as they come over the control channel. Errors (peer): not whole valid frames, or
// larger than 64 MiB unpacked.
Result<SampleSet> parse_frames(std::string_view bytes);

}  // namespace railgauge
