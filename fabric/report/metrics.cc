#include "fabric/report/metrics.h"

#include <fmt/format.h>

#include <cmath>

#include "fabric/report/text.h"

namespace railgauge {

namespace {

constexpr std::size_t kLabelColumns = 200;

// visible() leaves no newline or control character.
std::string label_value(std::string_view text) {
  std::string out;
  for (const char c : fit(visible(text), kLabelColumns)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void Metrics::family(std::string_view name, std::string_view help) {
  name_ = name;
  seen_.clear();
  out_ += fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
}

void Metrics::sample(const Labels& labels, double value) {
  if (!std::isfinite(value)) return;
  std::string text;
  for (const auto& [name, label] : labels)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, label_value(label));
  if (!seen_.insert(text).second) return;
  out_ += name_ + (text.empty() ? "" : "{" + text + "}") + fmt::format(" {}\n", value);
}

std::string Metrics::take() { return std::move(out_) + "# EOF\n"; }

}  // namespace railgauge
