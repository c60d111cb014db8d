// The plug-in's entry: one UCX context bound to one NIC, one worker at a time, flows driven by UcxRunner.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "workers/engines/engine.h"
#include "workers/engines/ucx/host_buffer.h"
#include "workers/engines/ucx/network_device.h"
#include "workers/engines/ucx/ucx_runner.h"
#include "workers/engines/ucx/ucx_worker.h"

namespace railgauge {
namespace {

// RAILGAUGE_UCX_IN_FLIGHT=BYTES, for comparisons with programs that use one buffer over and over. 4 KiB to 64
// MiB, else it is not taken.
std::uint64_t choose_in_flight() {
  const char* asked = std::getenv("RAILGAUGE_UCX_IN_FLIGHT");
  const unsigned long long bytes = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 0;
  return bytes >= 4096 && bytes <= (64U << 20U) ? bytes : usual_in_flight;
}

bool over_tcp(const std::string& tls) { return tls.find("tcp") != std::string::npos; }

class UcxEngine final : public Engine {
 public:
  UcxEngine(NetworkDevice device, std::string tls, int numa_node, bool near, WriteBy write_by,
            const Clock& clock, std::shared_ptr<UcxContext> context)
      : device_(std::move(device)),
        tls_(std::move(tls)),
        numa_node_(numa_node),
        near_(near),
        write_by_(write_by),
        clock_(clock),
        context_(std::move(context)) {}

  Result<void> renew() override {
    runner_.reset();
    worker_.reset();
    auto made = UcxWorker::open(context_, numa_node_, write_by_);
    if (!made)
      return tl::make_unexpected(
          Error{made.error().kind, fmt::format("{}: {}", device_.ucx_name, made.error().message)});
    worker_ = std::move(*made);
    runner_.emplace(*worker_, clock_, device_.ucx_name, write_by_ == WriteBy::put && !over_tcp(tls_),
                    in_flight_);
    return {};
  }

  std::vector<EngineFact> facts() const override {
    unsigned major = 0, minor = 0, patch = 0;
    ucp_get_version(&major, &minor, &patch);
    const std::string resources = context_->resources();
    return {{"engine", "ucx"},
            {"transport", resources.empty() ? tls_ : resources},
            {"device", device_.ucx_name},
            {"memory", near_ ? fmt::format("host numa {}", numa_node_) : "host"},
            {"depth", to_text(Bytes::b(in_flight_)) + " in flight, 2 to 64 messages"},
            {"ring", to_text(Bytes::b(2 * in_flight_)) + ", 4 to 4096 slots"},
            {"write", write_by_ == WriteBy::put ? "ucp_put into the target's ring"
                                                : "active message into the target's ring (no put over tcp)"},
            {"wait", write_by_ == WriteBy::put && !over_tcp(tls_) ? "looks into memory"
                                                                  : "sleeps on the event descriptor, 2 ms"},
            {"error_handling", "peer"},
            {"ucx", fmt::format("{}.{}.{}", major, minor, patch)}};
  }

  Result<std::vector<std::uint8_t>> address() override {
    if (!worker_) return not_open();
    return worker_->address();
  }

  Result<void> connect(std::int32_t peer_endpoint, const std::vector<std::uint8_t>& peer_address) override {
    if (!worker_) return not_open();
    auto made = worker_->connect(peer_endpoint, peer_address);
    if (!made)
      return tl::make_unexpected(
          Error{made.error().kind, fmt::format("{}: {}", device_.ucx_name, made.error().message)});
    return {};
  }

  std::vector<FlowOutcome> run(const std::vector<FlowTask>& tasks, const TimeBox& box,
                               const std::function<bool()>& stop_early) override {
    if (!runner_) {
      FlowOutcome none;
      none.ok = none.connected = false;
      none.error = not_open().value().message;
      return {tasks.size(), none};
    }
    return runner_->run(tasks, box, stop_early);
  }

 private:
  tl::unexpected<Error> not_open() const {
    return fail(ErrorKind::environment,
                fmt::format("{}: not open since the last renew failed", device_.ucx_name));
  }

  const NetworkDevice device_;
  const std::string tls_;
  const int numa_node_;
  const bool near_;  // memory policy was accepted
  const WriteBy write_by_;
  const std::uint64_t in_flight_ = choose_in_flight();
  const Clock& clock_;
  std::shared_ptr<UcxContext> context_;
  std::unique_ptr<UcxWorker> worker_;
  std::optional<UcxRunner> runner_;
};

// RAILGAUGE_UCX_WRITE=put asks for ucp_put where it is emulated too, to compare with other programs that use
// it.
WriteBy choose_write(const std::string& tls) {
  const char* asked = std::getenv("RAILGAUGE_UCX_WRITE");
  if (asked != nullptr && std::string(asked) == "put") return WriteBy::put;
  return over_tcp(tls) ? WriteBy::message : WriteBy::put;
}

Result<std::unique_ptr<Engine>> open_engine(const OpenRequest& request, const Clock& clock) {
  auto device = find_device("/sys", request.device, request.port);
  if (!device) return tl::make_unexpected(device.error());
  // Only a person who asks for it by name gets shared memory: between two hosts of the lab it would pass for
  // a rail.
  const char* asked = std::getenv("RAILGAUGE_UCX_TLS");
  const std::string tls = asked != nullptr && *asked != '\0' ? asked
                          : device->kind == DeviceKind::rdma ? "rc,ud,self"
                                                             : "tcp,self";
  auto context = UcxContext::open(*device, tls);
  if (!context) return tl::make_unexpected(context.error());
  const bool near = NumaPreference(request.numa_node).bound();
  auto engine = std::make_unique<UcxEngine>(std::move(*device), tls, request.numa_node, near,
                                            choose_write(tls), clock, std::move(*context));
  auto made = engine->renew();
  if (!made) return tl::make_unexpected(made.error());
  return engine;
}

}  // namespace
}  // namespace railgauge

extern "C" railgauge::Engine* railgauge_open_engine(const railgauge::OpenRequest& request,
                                                    const railgauge::Clock& clock, railgauge::Error* error) {
  auto engine = railgauge::open_engine(request, clock);
  if (engine) return engine->release();
  if (error != nullptr) *error = engine.error();
  return nullptr;
}
