// The text that builds and changes a lab, as lines for `ip -batch -` and `tc -batch -`. Pure: labs are tested
// here without root. Names: hN host namespace, mgmt0 and railR in it, hNm and hNrR their other ends outside;
// bridges mgmt, leafR, spine; upR and dnR join leaf R and the spine.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/lab/lab_spec.h"

namespace railgauge {

inline constexpr const char* kLabFolder =
    "/run/railgauge-lab";  // private to the lab: its /run is a tmpfs of its own
inline constexpr const char* kNetnsFolder = "/run/netns";

// Lines for one namespace. host "" is the outer one. ip comes before tc.
struct LabBatch {
  std::string host;
  std::string ip;
  std::string tc;
  bool operator==(const LabBatch&) const = default;
};

// The whole lab without its faults, but for `missing`: such a rail is never made. The first batch is the
// outer one without ports' shaping; order matters.
std::vector<LabBatch> build_batches(const LabSpec& spec);

// One fault planted, or taken away again. cpu_hog: nothing, it is no network change.
std::vector<LabBatch> fault_batches(const LabSpec& spec, const LabFault& fault, bool undo);

// Settings of a namespace: path below /proc/sys and value. What keeps rails apart; see the comments inside.
struct Sysctl {
  std::string path, value;
  bool required = true;
};
std::vector<Sysctl> host_sysctls();

// "h1 10.9.0.1" lines for the lab's own /etc/hosts.
std::string hosts_text(const LabSpec& spec);

}  // namespace railgauge
