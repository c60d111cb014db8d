// The registry: one line a case.
#include <array>

#include "fabric/cases/case.h"

namespace railgauge {

Case write_bw_case();
Case latency_case();

std::span<const Case> all_cases() {
  static const std::array cases = {write_bw_case(), latency_case()};
  return cases;
}

const Case* find_case(std::string_view id) {
  for (const Case& c : all_cases()) {
    if (c.id == id) return &c;
  }
  return nullptr;
}

}  // namespace railgauge
