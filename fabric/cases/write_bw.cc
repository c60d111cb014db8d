// p2p.rail.write_bw: one-sided writes from NIC to NIC of the same rail, all rails at once.
#include "fabric/cases/case.h"

namespace railgauge {
namespace {

// A window needs 50 completions in 100 ms (DESIGN section 5): 16 KiB gives 150 at 200 Mbit/s, 1 MiB 120 at 10
// Gbit/s.
Bytes default_size(BitRate slowest) {
  return slowest.bps() > 0 && slowest < BitRate::gbit(1) ? Bytes::kib(16) : Bytes::mib(1);
}

}  // namespace

Case write_bw_case() {
  Case c;
  c.id = "p2p.rail.write_bw";
  c.unit = "bit/s";
  c.title = "Write bandwidth between NICs of one rail, each direction by itself, all rails at once";
  c.needs = "one NIC on two nodes";
  c.layout = Layout::per_nic;
  c.operation = Operation::write_stream;
  c.default_size = default_size;
  c.default_box = Nanos::ms(800);
  c.default_repeats = 3;
  c.expand = pairwise_rounds;
  return c;
}

}  // namespace railgauge
