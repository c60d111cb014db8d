// A fabric in memory with plantable faults and seeded noise: the whole way from facts to an analysis without
// a machine.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fabric/diagnose/diagnose.h"

namespace railgauge {

struct Kind {
  int nodes = 4;
  int rails = 4;
  double rate = 200e6;  // of the link
};

class SmallFabric {
 public:
  // Nodes h1, h2 ... kind after kind. software: rates from the site file as in the lab; else 400 Gbit/s
  // InfiniBand.
  SmallFabric(const std::vector<Kind>& kinds, std::uint64_t seed, bool software = true);

  // Before build(): what the probe finds.
  std::function<void(std::vector<NodeFacts>&)> change_facts;
  std::vector<SwitchPort> ports;
  std::vector<std::string> silent;

  // Faults; node counts from 1. remaining: of the rate.
  void slow(int node, int rail, Direction d, double remaining);
  void slow_pair(int source, int target, int rail, double remaining) {
    pair_[{source, target, rail}] = remaining;
  }
  void slow_under_load(int node, int rail, double remaining) { under_load_[{node, rail}] = remaining; }
  void slow_between(const std::string& leaf, double remaining) { leaf_[leaf] = remaining; }
  std::set<std::pair<int, int>> unreachable;  // node, rail
  std::set<std::tuple<int, int, int>> wrong;  // source, target, rail: payload arrives changed
  double everywhere = 1;
  double acknowledgement_loss = 0;  // of the reverse direction of a slow end
  double disturbed_share = 0;       // of samples: half rate and a run delay of 30 %
  bool screen_only = false;         // pair and end faults are gone in the confirmation
  double wrong_nic_share = 0;       // of payload that moved over a NIC without a flow

  void build();                                      // inventory and schedule
  void screen(int repeats = 3);                      // measures the screening
  void die(int node, int rail, int round_from_end);  // a rank dies in this round of the screening
  void confirm();                                    // asks for the confirmation and measures it
  Analysis judge() const { return diagnose(evidence(), gates); }
  Analysis run(int repeats = 3);  // all of it

  Evidence evidence() const { return {inventory, site, schedule, samples}; }
  std::int32_t endpoint(int node, int rail) const;

  Inventory inventory;
  Site site;
  Schedule schedule;
  SampleSet samples;
  Gates gates;
  std::size_t confirmation_rounds = 0;

 private:
  double rate_of(const Endpoint& a, const Endpoint& b, bool loaded, bool confirming);
  void measure(const Round& round);

  std::vector<Kind> kinds_;
  bool software_;
  std::mt19937_64 random_;
  std::map<std::tuple<int, int, Direction>, double> end_;
  std::map<std::tuple<int, int, int>, double> pair_;
  std::map<std::pair<int, int>, double> under_load_;
  std::map<std::string, double> leaf_;
};

// "rail.slow h3 2 send", "node.slow h1 - both"; one line a finding.
std::string summary(const Analysis& a);

}  // namespace railgauge
