// Did the traffic go where it should? The NICs' own byte counters against what the flows moved.
#pragma once

#include "fabric/diagnose/picture.h"

namespace railgauge {

struct Proof {
  double worst_share =
      -1;  // least part of its payload that a flow's own NIC counters saw, over both ends; -1 unknown
  double worst_other = -1;  // largest part of a round's largest payload that a NIC moved without a flow of
                            // that direction; -1 unknown
  std::string share_at, other_at;  // "h3 rail 2 in round 17"
  int flows = 0;                   // ends that were checked
};

// Rounds with a death and rounds that moved too little to tell from control traffic (below 1 MB per flow) are
// left out. Acknowledgements are not payload: a sender may receive, and a receiver send, 6 % of what it
// moved.
Proof prove(const Picture& picture);

}  // namespace railgauge
