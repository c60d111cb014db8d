// Two ends of a flow over the loopback interface: threads of this process, or a child process that can be
// killed.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "workers/engines/engine.h"

namespace railgauge::rig {

class RawClock final : public Clock {
 public:
  Nanos now() const override;
};
const Clock& raw_clock();

// Aborts the test program if the plug-in does not open on `device`.
std::unique_ptr<Engine> open(const std::string& device = "lo");

FlowTask task(bool is_source, Operation operation, std::uint64_t size, std::int32_t round = 1,
              std::int32_t source = 0, std::int32_t target = 1);
// Starts 20 ms from now.
TimeBox box(Nanos length, Nanos grace = Nanos::s(5));

// Endpoint `own` in a process of its own: connects to endpoint `peer`, then runs one task in a box.
// Own address comes out of its stdout, everything else goes into its stdin.
class Child {
 public:
  Child(std::int32_t own, std::int32_t peer);
  ~Child();  // kills and reaps
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  const std::vector<std::uint8_t>& address() const { return address_; }
  void start(const std::vector<std::uint8_t>& peer_address, const FlowTask& task, const TimeBox& box);
  void kill();
  // Ends by itself: its exit status, 0 if its flow was good.
  int join();

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::vector<std::uint8_t> address_;
};

}  // namespace railgauge::rig
