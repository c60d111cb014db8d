#include "fabric/report/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "fabric/report/text.h"

namespace railgauge {

namespace {

constexpr std::size_t kColumns = 79;  // 80 would wrap on terminals that move on at the last column
constexpr int kSlowPairs = 8;
constexpr Nanos kLinesEvery = Nanos::s(5);

// Whole seconds; a changing fraction would only flicker.
std::string left_text(Nanos left) {
  const std::int64_t s = std::max<std::int64_t>(0, (left.count() + 500'000'000) / 1'000'000'000);
  return s < 120 ? fmt::format("{} s left", s) : fmt::format("{} min left", (s + 59) / 60);
}

std::string bar(int done, int all) {
  constexpr int kCells = 20;
  const int full = static_cast<int>(static_cast<std::int64_t>(kCells) * std::clamp(done, 0, all) / all);
  return "[" + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(kCells - full), '.') + "]";
}

}  // namespace

std::string Progress::line() const {
  std::string out = pad(stage_, 13);
  if (all_ > 0) out += fmt::format(" {} {} of {} {}", bar(done_, all_), done_, all_, unit_);
  if (left_) out += "  " + left_text(*left_);
  if (slow_ > 0) out += fmt::format("  {} slow", plural(static_cast<std::size_t>(slow_), "pair"));
  return fit(out, kColumns);
}

std::string Progress::show(Nanos now, bool at_once) {
  const std::string text = line();
  if (style_ == ProgressStyle::lines) {
    if (!at_once && last_ && now - *last_ < kLinesEvery) return "";
    last_ = now;
    return text + "\n";
  }
  const std::size_t width = columns(text);
  std::string out = "\r" + text;
  if (drawn_columns_ > width) out.append(drawn_columns_ - width, ' ');
  drawn_columns_ = width;
  return out;
}

std::string Progress::above(std::string_view text, Nanos now) {
  const std::string shown = fit(visible(text), kColumns);
  if (style_ == ProgressStyle::lines) return shown + "\n";
  std::string out = "\r" + shown;
  if (drawn_columns_ > columns(shown)) out.append(drawn_columns_ - columns(shown), ' ');
  out += "\n";
  drawn_columns_ = 0;
  return stage_.empty() ? out : out + show(now, true);
}

std::string Progress::begin_stage(std::string_view stage, int all, Nanos now, std::string_view unit) {
  std::string out = finish();
  stage_ = visible(stage);
  done_ = 0;
  all_ = std::max(0, all);
  unit_ = unit;
  left_.reset();
  return out + show(now, true);
}

std::string Progress::update(int done, std::optional<Nanos> time_left, Nanos now) {
  done_ = done;
  left_ = time_left;
  return show(now, false);
}

std::string Progress::slow_pair(std::string_view pair, double share, Nanos now) {
  ++slow_;
  if (slow_ > kSlowPairs + 1) return "";
  if (slow_ == kSlowPairs + 1) return above("  slow: more slow pairs are in the report", now);
  return above(fmt::format("  slow: {} at {} of expected", fit(visible(pair), 50), percent_text(share)), now);
}

std::string Progress::note(std::string_view text, Nanos now) { return above(text, now); }

std::string Progress::finish() {
  const bool drawn = drawn_columns_ > 0;
  drawn_columns_ = 0;
  return drawn ? "\n" : "";
}

}  // namespace railgauge
