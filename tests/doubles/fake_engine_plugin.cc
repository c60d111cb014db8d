// railgauge_fake.so: the fake engine in real time, for tests that need real ranks and no fabric.
#include <time.h>

#include <algorithm>

#include "tests/doubles/fake_engine.h"

namespace railgauge {
namespace {

class SleepingEngine : public FakeEngine {
 public:
  explicit SleepingEngine(const Clock& clock) : FakeEngine([](Nanos) {}), clock_(clock) {}
  std::vector<FlowOutcome> run(const std::vector<FlowTask>& tasks, const TimeBox& box,
                               const std::function<bool()>& stop_early) override {
    while (clock_.now() < box.stop && !stop_early()) {
      const timespec t{0,
                       std::clamp<long>(static_cast<long>((box.stop - clock_.now()).count()), 0, 5'000'000)};
      nanosleep(&t, nullptr);
    }
    return FakeEngine::run(tasks, box, stop_early);
  }

 private:
  const Clock& clock_;
};

}  // namespace
}  // namespace railgauge

extern "C" railgauge::Engine* railgauge_open_engine(const railgauge::OpenRequest& request,
                                                    const railgauge::Clock& clock, railgauge::Error* error) {
  if (request.device == "missing0") {
    *error = {railgauge::ErrorKind::environment, "missing0: no such device"};
    return nullptr;
  }
  return new railgauge::SleepingEngine(clock);
}
