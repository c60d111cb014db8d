// Text that Prometheus and OpenMetrics readers both take: families of gauges, each with its help and type.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace railgauge {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

class Metrics {
 public:
  // Starts a family; its name ends in its base unit (bytes, seconds, ratio). help: no quotes or backslashes.
  void family(std::string_view name, std::string_view help);
  // One sample of the family begun last. Labels of others' text are made visible, cut to 200 columns and
  // escaped. Not finite, or with the labels of a sample before it (readers refuse a file with two): left out.
  void sample(const Labels& labels, double value);
  // The whole text; ends in "# EOF", a comment to Prometheus and the end to OpenMetrics.
  std::string take();

 private:
  std::string out_, name_;
  std::set<std::string> seen_;  // samples of the family
};

}  // namespace railgauge
