#include <fmt/format.h>
#include <ucs/config/global_opts.h>
#include <ucs/debug/debug.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "workers/engines/ucx/ucx_worker.h"

namespace railgauge {
namespace {

struct ConfigRelease {
  void operator()(ucp_config_t* config) const { ucp_config_release(config); }
};

// Settings of transports that only the environment reaches. A person's own setting wins.
void set_environment() {
  setenv("UCX_WARN_UNUSED_ENV_VARS", "n", 0);
  setenv("UCX_HANDLE_ERRORS", "none", 0);
  // A blocking connect() to a silent host would hold the whole rank for the kernel's two minutes.
  setenv("UCX_TCP_CONN_NB", "y", 0);
  setenv("UCX_POSIX_ERROR_HANDLING", "y", 0);
  setenv("UCX_SYSV_ERROR_HANDLING", "y", 0);
  // UCX read its global settings when it was loaded, before this line.
  ucs_global_opts_set_value("WARN_UNUSED_ENV_VARS", "n");
  char handled[64] = {};
  if (ucs_global_opts_get_value("HANDLE_ERRORS", handled, sizeof handled) != UCS_OK ||
      std::string(handled) == "none")
    return;
  ucs_global_opts_set_value("HANDLE_ERRORS", "none");
  for (const int signal : {SIGSEGV, SIGILL, SIGBUS, SIGFPE}) ucs_debug_disable_signal(signal);
}

}  // namespace

Result<std::shared_ptr<UcxContext>> UcxContext::open(const NetworkDevice& device, const std::string& tls) {
  set_environment();
  std::signal(SIGPIPE, SIG_IGN);
  ucp_config_t* raw = nullptr;
  ucs_status_t status = ucp_config_read(nullptr, nullptr, &raw);
  if (status != UCS_OK)
    return fail(ErrorKind::environment, fmt::format("UCX configuration: {}", ucs_status_string(status)));
  const std::unique_ptr<ucp_config_t, ConfigRelease> config(raw);
  // One rail only: large messages would be split over two devices, and shared memory would pass for the rail
  // (10 GB/s measured).
  const std::pair<const char*, std::string> settings[] = {
      {"NET_DEVICES", device.ucx_name}, {"TLS", tls}, {"MAX_RNDV_RAILS", "1"}, {"MAX_EAGER_RAILS", "1"}};
  for (const auto& [name, value] : settings) {
    status = ucp_config_modify(config.get(), name, value.c_str());
    if (status != UCS_OK)
      return fail(ErrorKind::environment,
                  fmt::format("UCX does not take {}={}: {}", name, value, ucs_status_string(status)));
  }
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  ucp_context_h handle = nullptr;
  status = ucp_init(&params, config.get(), &handle);
  if (status != UCS_OK)
    return fail(ErrorKind::environment, fmt::format("{}: UCX cannot use it with {}: {}; see `ucx_info -d`",
                                                    device.ucx_name, tls, ucs_status_string(status)));
  return std::make_shared<UcxContext>(handle);
}

UcxContext::~UcxContext() { ucp_cleanup(handle_); }

std::string UcxContext::resources() const {
  char* text = nullptr;
  std::size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  if (out == nullptr) return {};
  ucp_context_print_info(handle_, out);
  std::fclose(out);
  const std::string all(text, size);
  std::free(text);
  // "#   resource 1  :  md 1  dev 1  flags -- tcp/rail2"
  std::string found;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string line = all.substr(at, end - at);
    const std::size_t name = line.find_last_of(' ');
    if (line.find("resource") != std::string::npos && line.find('/') != std::string::npos &&
        name != std::string::npos) {
      const std::string resource = line.substr(name + 1);
      if (resource.rfind("self/", 0) != 0) found += (found.empty() ? "" : ",") + resource;
    }
    at = end + 1;
  }
  return found;
}

}  // namespace railgauge
