// What the node itself says about one NIC and this process: byte counters and scheduling delay. Faked in
// tests.
#pragma once

#include <cstdint>
#include <string>

#include "workers/engines/engine.h"

namespace railgauge {

struct NicBytes {
  bool known = false;  // false: this NIC has no readable counter; both stay 0
  std::uint64_t sent = 0, received = 0;
};

class Meters {
 public:
  virtual ~Meters() = default;
  virtual NicBytes nic_bytes() const = 0;
  // Time this process was runnable and did not run, since it began; 0 where the kernel does not say.
  virtual std::int64_t run_delay_ns() const = 0;
};

// /sys/class/net/INTERFACE/statistics, or for an RDMA device without one
// /sys/class/infiniband/DEVICE/ports/PORT/counters (port_xmit_data and port_rcv_data count units of 4 bytes);
// /proc/self/schedstat.
class SystemMeters : public Meters {
 public:
  SystemMeters(std::string interface, std::string device, int port, std::string root = "");
  NicBytes nic_bytes() const override;
  std::int64_t run_delay_ns() const override;

 private:
  std::string root_, interface_, infiniband_;
};

// CLOCK_MONOTONIC_RAW.
class SystemClock : public Clock {
 public:
  Nanos now() const override;
};

}  // namespace railgauge
