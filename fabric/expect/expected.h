// What a part should reach, and who says so.
#pragma once

#include <string>

namespace railgauge {

struct Expected {
  double value = 0;
  std::string unit;  // "bit/s", "ns"
  std::string from;  // provenance: "site file", "class median of 15", "class majority"
};

template <class V>
void describe(V& v, Expected& e) {
  v("value", e.value);
  v("unit", e.unit);
  v("from", e.from);
}

}  // namespace railgauge
