// What a lab is made of: hosts, rails, rates and planted faults. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/inventory/site.h"
#include "proto/result.h"
#include "proto/units.h"

namespace railgauge {

enum class LabFaultKind { slow, down, swap, missing, cpu_hog };
std::string_view to_text(LabFaultKind kind);
std::span<const LabFaultKind> all_values(LabFaultKind);

enum class LabDirection { send, receive, both };
std::string_view to_text(LabDirection direction);
std::span<const LabDirection> all_values(LabDirection);

struct LabFault {
  LabFaultKind kind = LabFaultKind::slow;
  std::string host;
  int rail = -1;
  int other_rail = -1;                          // swap
  double remaining = 1;                         // slow: share of the rate that is left
  LabDirection direction = LabDirection::both;  // slow
  int count = 0;                                // cpu_hog: processes
  bool operator==(const LabFault&) const = default;
};

struct LabKind {
  int count = 0;
  int rails = 0;
  double rate_bits_per_second = 0;
};

struct LabSpec {
  std::string name = "lab";
  std::vector<LabKind> kinds;  // hosts h1, h2, ... in this order; never empty in a checked spec
  std::vector<LabFault> faults;
};

struct LabHost {
  std::string name;
  int number = 0;  // 1 for h1
  int rails = 0;
  BitRate rate;
  bool operator==(const LabHost&) const = default;
};
std::vector<LabHost> hosts_of(const LabSpec& spec);
int rails_of(const LabSpec& spec);  // of the host that has most

// "4x4", "4x4@400mbit", "2x4@200mbit,2x2@100mbit": HOSTSxRAILS@RATE, default 200mbit (what 16 flows reach on
// two cores). Errors (input): the text, the part and what is expected; more than 200 hosts or 32 rails; rate
// outside 1 Mbit/s to 100 Gbit/s.
Result<LabSpec> parse_lab_spec(std::string_view text);

// "slow:h3:rail2:0.5:send" (send, receive, both; left out: both), "down:h2:rail1", "swap:h2:rail2:rail3",
// "missing:h4:rail0", "cpu-hog:h1:2". Errors (input): names the text and the form expected.
Result<LabFault> parse_lab_fault(std::string_view text);
std::string to_text(const LabFault& fault);

// Does every fault name a host and rail of the spec, and no rail twice? Errors (input).
Result<void> check_lab_spec(const LabSpec& spec);

// Letters, digits and '-', a letter first (so that no name looks like "4x4"), at most 32.
bool is_lab_name(std::string_view text);

// The site file of a lab: rates per kind, launcher, control interface; software links: what veth claims means
// nothing.
Site lab_site(const LabSpec& spec);

template <class V>
void describe(V& v, LabFault& f) {
  v("kind", f.kind);
  v("host", f.host);
  v("rail", f.rail);
  v("other_rail", f.other_rail);
  v("remaining", f.remaining);
  v("direction", f.direction);
  v("count", f.count);
}
template <class V>
void describe(V& v, LabKind& k) {
  v("count", k.count);
  v("rails", k.rails);
  v("rate_bits_per_second", k.rate_bits_per_second);
}
template <class V>
void describe(V& v, LabSpec& s) {
  v("name", s.name);
  v("kinds", s.kinds);
  v("faults", s.faults);
}

}  // namespace railgauge
