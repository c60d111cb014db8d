#include "workers/probe/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "proto/units.h"

namespace railgauge {
namespace {

constexpr Bytes kMemlock = Bytes::mib(64);  // registered buffers of one rank with all its queue pairs
constexpr Bytes kShm = Bytes::mib(256);     // MPI's and UCX's shared segments of a full node

std::string version_of(const NodeFacts& facts, std::string_view name) {
  for (const Version& v : facts.versions) {
    if (v.name == name) return v.value;
  }
  return "";
}

DoctorLine program(const std::string& path, const std::string& name, DoctorLevel without,
                   const std::string& why, const std::string& command) {
  if (!path.empty()) return {DoctorLevel::ok, name, path, ""};
  return {without, name, fmt::format("not on PATH: {}", why), command};
}

DoctorLine memlock(const NodeFacts& facts) {
  const bool rdma = std::any_of(facts.nics.begin(), facts.nics.end(),
                                [](const NicFacts& n) { return n.device != n.interface; });
  if (!facts.limits.memlock_bytes) return {DoctorLevel::ok, "locked memory", "unlimited", ""};
  const Bytes limit = Bytes::b(*facts.limits.memlock_bytes);
  const std::string text = to_text(limit);
  if (limit >= kMemlock) return {DoctorLevel::ok, "locked memory", text, ""};
  // Without RDMA nothing is registered and a small limit does no harm.
  return {rdma ? DoctorLevel::bad : DoctorLevel::ok, "locked memory",
          rdma ? fmt::format("{}: RDMA buffers need at least {}; raise it in limits.conf or in the service",
                             text, to_text(kMemlock))
               : fmt::format("{} (enough without RDMA)", text),
          rdma ? "ulimit -l unlimited" : ""};
}

DoctorLine clock(const HostState& host) {
  if (host.clock_source.empty())
    return {DoctorLevel::warn, "clock", "the kernel's clock source could not be read", ""};
  const bool slow =
      host.clock_source == "hpet" || host.clock_source == "acpi_pm" || host.clock_source == "jiffies";
  return {slow ? DoctorLevel::warn : DoctorLevel::ok, "clock",
          host.clock_source + (slow ? ": reading it costs about a microsecond; latencies are doubtful" : ""),
          slow ? "cat /sys/devices/system/clocksource/clocksource0/available_clocksource" : ""};
}

DoctorLine nics(const NodeFacts& facts) {
  const auto up =
      std::count_if(facts.nics.begin(), facts.nics.end(), [](const NicFacts& n) { return n.state == "up"; });
  if (facts.nics.empty())
    return {DoctorLevel::warn, "NICs", "none: only the lab can be measured here", "ip link show"};
  return {up > 0 ? DoctorLevel::ok : DoctorLevel::warn, "NICs",
          fmt::format("{} of {} up", up, facts.nics.size()), up > 0 ? "" : "ip link show"};
}

}  // namespace

std::string_view to_text(DoctorLevel level) {
  switch (level) {
    case DoctorLevel::ok:
      return "ok";
    case DoctorLevel::warn:
      return "warn";
    case DoctorLevel::bad:
      return "bad";
  }
  return "";
}

std::vector<DoctorLine> doctor(const NodeFacts& facts, const HostState& host) {
  std::vector<DoctorLine> lines;
  lines.push_back(program(host.mpirun, "mpirun", DoctorLevel::bad,
                          "the rank program is started by Open MPI or by Slurm",
                          "apt-get install openmpi-bin"));
  const std::string mpi = version_of(facts, "mpi");
  lines.push_back(mpi.empty()
                      ? DoctorLine{DoctorLevel::bad, "MPI library",
                                   "libmpi was not found in the usual folders", "apt-get install libopenmpi3"}
                      : DoctorLine{DoctorLevel::ok, "MPI library", mpi, ""});
  lines.push_back(host.ucx_plugin.empty()
                      ? DoctorLine{DoctorLevel::bad, "UCX engine",
                                   "the plug-in is not beside railgauge: no point-to-point case can run",
                                   "apt-get install libucx-dev"}
                      : DoctorLine{DoctorLevel::ok, "UCX engine", host.ucx_plugin, ""});
  const std::string ucx = version_of(facts, "ucx");
  if (ucx.empty())
    lines.push_back({DoctorLevel::warn, "UCX library", "libucp was not found in the usual folders",
                     "apt-get install libucx0"});
  else
    lines.push_back({DoctorLevel::ok, "UCX library", ucx, ""});
  lines.push_back(memlock(facts));
  if (host.shm_bytes) {
    const Bytes shm = Bytes::b(*host.shm_bytes);
    lines.push_back({shm < kShm ? DoctorLevel::warn : DoctorLevel::ok, "/dev/shm",
                     to_text(shm) + (shm < kShm ? ": MPI and UCX may fail with many ranks on a node" : ""),
                     shm < kShm ? "mount -o remount,size=1G /dev/shm" : ""});
  } else {
    lines.push_back(
        {DoctorLevel::bad, "/dev/shm", "not mounted: MPI and UCX need it", "mount -t tmpfs none /dev/shm"});
  }
  lines.push_back(clock(host));
  if (host.control_port) {
    lines.push_back(
        *host.control_port
            ? DoctorLine{DoctorLevel::ok, "control port", "can listen", ""}
            : DoctorLine{DoctorLevel::bad, "control port",
                         "cannot listen: choose another range under `control: {ports}` in the site file",
                         "ss -ltn"});
  }
  lines.push_back(nics(facts));
  lines.push_back(
      program(host.ip, "lab: ip", DoctorLevel::warn, "the lab needs it", "apt-get install iproute2"));
  lines.push_back(
      program(host.tc, "lab: tc", DoctorLevel::warn, "the lab needs it", "apt-get install iproute2"));
  lines.push_back({host.namespaces ? DoctorLevel::ok : DoctorLevel::warn, "lab: namespaces",
                   host.namespaces ? "can be made"
                   : host.root
                       ? "the kernel refuses network namespaces: no lab here"
                       : "not for ordinary users here; `railgauge run --lab 2x2` says what permits it",
                   host.namespaces || host.root ? "" : "sudo railgauge run --lab 4x4"});
  for (const std::string& note : facts.notes) lines.push_back({DoctorLevel::ok, "probe", note, ""});
  return lines;
}

}  // namespace railgauge
