#include "fabric/inventory/natural_order.h"

namespace railgauge {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// Takes a run of digits off the front; without its leading zeros.
std::string_view take_number(std::string_view& s) {
  std::size_t n = 0;
  while (n < s.size() && digit(s[n])) ++n;
  std::string_view number = s.substr(0, n);
  s.remove_prefix(n);
  while (!number.empty() && number.front() == '0') number.remove_prefix(1);
  return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (digit(a.front()) && digit(b.front())) {
      const std::string_view x = take_number(a);
      const std::string_view y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a.size() != whole_b.size() ? whole_a.size() < whole_b.size() : whole_a < whole_b;
}

}  // namespace railgauge
