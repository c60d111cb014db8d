#include "orchestrator/lab/lab_network.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "orchestrator/lab/lab.h"
#include "orchestrator/lab/lab_hogs.h"
#include "orchestrator/lab/lab_script.h"
#include "orchestrator/launch/process.h"
#include "proto/json.h"

namespace railgauge {
namespace {

constexpr Nanos kToolLimit = Nanos::s(30);

tl::unexpected<Error> system_error(const std::string& what) {
  return fail(ErrorKind::environment, fmt::format("lab: {}: {}", what, std::strerror(errno)));
}

Result<void> run_tool(const char* tool, const std::string& lines) {
  if (lines.empty()) return {};
  Command c;
  c.argv = {tool, "-batch", "-"};
  c.stdin_text = lines;
  const Result<std::string> done = run_checked(c, kToolLimit);
  if (!done) return fail(done.error().kind, "lab: " + done.error().message);
  return {};
}

Result<void> run_batch(const LabBatch& batch) {
  return in_host(batch.host, [&]() -> Result<void> {
    if (Result<void> ok = run_tool("ip", batch.ip); !ok) return ok;
    return run_tool("tc", batch.tc);
  });
}

Result<void> write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) return system_error(path);
  return {};
}

Result<void> set_sysctls() {
  for (const Sysctl& s : host_sysctls()) {
    const Result<void> ok = write_file("/proc/sys/" + s.path, s.value);
    if (!ok && s.required) return ok;
  }
  return {};
}

// A new network namespace with a name, as `ip netns add` makes it: a bind mount keeps it.
Result<void> add_host(const std::string& host) {
  const std::string path = fmt::format("{}/{}", kNetnsFolder, host);
  if (Result<void> ok = write_file(path, ""); !ok) return ok;
  return in_host("", [&]() -> Result<void> {
    if (::unshare(CLONE_NEWNET) != 0) return system_error("no network namespace");
    if (::mount("/proc/thread-self/ns/net", path.c_str(), nullptr, MS_BIND, nullptr) != 0)
      return system_error(path);
    return set_sysctls();
  });
}

std::string random_hex() {
  std::array<unsigned char, 16> bytes{};
  RG_CHECK(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  std::string text;
  for (const unsigned char b : bytes) text += fmt::format("{:02x}", b);
  return text;
}

Result<void> write_identities(const LabSpec& spec) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(lab_machine_id_file("h1")).parent_path(), error);
  if (error) return fail(ErrorKind::environment, fmt::format("lab: {}: {}", kLabFolder, error.message()));
  for (const LabHost& h : hosts_of(spec)) {
    if (Result<void> ok = write_file(lab_machine_id_file(h.name), random_hex() + "\n"); !ok) return ok;
  }
  // So that mpirun's look-up of h1 never leaves this machine. Without /etc/hosts nothing is lost but time.
  const std::string hosts = fmt::format("{}/hosts", kLabFolder);
  if (Result<void> ok = write_file(hosts, hosts_text(spec)); !ok) return ok;
  ::mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr);
  return write_file(fmt::format("{}/spec.json", kLabFolder), to_json(spec) + "\n");
}

}  // namespace

Result<void> in_host(const std::string& host, const std::function<Result<void>()>& body) {
  const int here = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  if (here < 0) return system_error("/proc/thread-self/ns/net");
  if (!host.empty()) {
    const int there = ::open(fmt::format("{}/{}", kNetnsFolder, host).c_str(), O_RDONLY | O_CLOEXEC);
    const bool entered = there >= 0 && ::setns(there, CLONE_NEWNET) == 0;
    if (there >= 0) ::close(there);
    if (!entered) {
      ::close(here);
      return fail(ErrorKind::environment,
                  fmt::format("lab: no host {} here; `railgauge lab status` lists labs", host));
    }
  }
  Result<void> result = body();
  RG_CHECK(::setns(here, CLONE_NEWNET) == 0);
  ::close(here);
  return result;
}

Result<void> build_network(const LabSpec& spec) {
  if (Result<void> ok = set_sysctls(); !ok) return ok;
  if (Result<void> ok = write_identities(spec); !ok) return ok;
  for (const LabHost& h : hosts_of(spec)) {
    if (Result<void> ok = add_host(h.name); !ok) return ok;
  }
  for (const LabBatch& b : build_batches(spec)) {
    if (Result<void> ok = run_batch(b); !ok) return ok;
  }
  for (const LabFault& f : spec.faults) {
    if (f.kind == LabFaultKind::missing) continue;  // never made
    if (Result<void> ok = change_network(spec, f, false); !ok) return ok;
  }
  return {};
}

Result<void> change_network(const LabSpec& spec, const LabFault& fault, bool undo) {
  if (fault.kind == LabFaultKind::cpu_hog) {
    if (undo) return stop_hogs(fault.host);
    return start_hogs(fault.host, fault.count);
  }
  for (const LabBatch& b : fault_batches(spec, fault, undo)) {
    if (Result<void> ok = run_batch(b); !ok) return ok;
  }
  return {};
}

std::string lab_machine_id_file(const std::string& host) {
  return fmt::format("{}/machine-id/{}", kLabFolder, host);
}

}  // namespace railgauge
