// What the confirmation rounds say about a suspect.
#pragma once

#include <string>
#include <vector>

#include "fabric/diagnose/rules.h"

namespace railgauge {

// Good partners of an end: same rail and subnet, another node, never accused in the direction in which they
// would be used, and not accused with it as a pair. Those that it was screened with come first; among these
// one of its own leaf, then one of another where leaves are known.
std::vector<std::int32_t> good_partners(const Inquiry& q, const Suspect& s);

enum class Outcome {
  unmeasured,  // no confirmation round was measured
  confirmed,   // bad under load and alone (or alone was not measured)
  under_load,  // bad under load, good alone
  cured,       // not bad again
};

struct Retest {
  Outcome outcome = Outcome::unmeasured;
  int loaded = 0, alone = 0;                 // flows measured
  double loaded_rate = 0, alone_rate = 0;    // medians, bits per second
  double loaded_ratio = 1, alone_ratio = 1;  // medians of measured over reference
  std::vector<std::int32_t> partners;        // it was measured with
  double rate() const {
    return alone > 0 && loaded > 0 ? (loaded_rate + alone_rate) / 2 : alone > 0 ? alone_rate : loaded_rate;
  }
  std::string text(const Picture& p) const;  // for Finding::confirm
};

// Bad = the median of its flows with each partner is below the floor of the screening. An end is bad only if
// it is so with every partner.
Retest retest(const Inquiry& q, const Suspect& s);

}  // namespace railgauge
