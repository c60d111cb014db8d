// p2p.rail.latency: closed-loop half round trip of an 8-byte write between NICs of the same rail.
#include "fabric/cases/case.h"

namespace railgauge {
namespace {

Bytes default_size(BitRate) { return Bytes::b(8); }

}  // namespace

Case latency_case() {
  Case c;
  c.id = "p2p.rail.latency";
  c.unit = "ns";
  c.title = "Half round trip of a small write between NICs of one rail, closed loop";
  c.needs = "one NIC on two nodes";
  c.layout = Layout::per_nic;
  c.operation = Operation::write_ping_pong;
  c.default_size = default_size;
  c.default_box = Nanos::ms(400);
  c.default_repeats = 1;
  c.expand = pairwise_rounds;
  return c;
}

}  // namespace railgauge
