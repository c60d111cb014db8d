// The progress line: state and text only. The caller owns the clock and stderr.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proto/units.h"

namespace railgauge {

enum class ProgressStyle {
  rewrite,  // a terminal: one line, rewritten with '\r'
  lines,    // a file or pipe: whole lines, one as a stage begins and then at most one every 5 s
};

// Every text returned is what to write to stderr now; "" nothing. Lines have at most 79 columns.
class Progress {
 public:
  explicit Progress(ProgressStyle style) : style_(style) {}

  // A stage begins: "probe", "screening", "confirmation". all: units of work in it, 0 not counted.
  std::string begin_stage(std::string_view stage, int all, Nanos now, std::string_view unit = "rounds");
  // done: units of this stage. time_left: absent = not known.
  std::string update(int done, std::optional<Nanos> time_left, Nanos now);
  // A slow pair appeared: "h1 - h3 rail 2", share of expected. Stands above the progress line and stays. At
  // most 8, then once "more slow pairs are in the report".
  std::string slow_pair(std::string_view pair, double share, Nanos now);
  // A line that stays ("h4: no answer in 10 s, left out").
  std::string note(std::string_view text, Nanos now);
  // Ends the line; writes nothing if there is none.
  std::string finish();

 private:
  std::string show(Nanos now, bool at_once);
  std::string line() const;
  std::string above(std::string_view text, Nanos now);

  ProgressStyle style_;
  std::string stage_, unit_ = "rounds";
  int done_ = 0, all_ = 0;
  std::optional<Nanos> left_;
  int slow_ = 0;
  std::size_t drawn_columns_ = 0;  // of the line on the terminal now
  std::optional<Nanos> last_;      // when a line was last written
};

}  // namespace railgauge
