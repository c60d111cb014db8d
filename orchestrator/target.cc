#include "orchestrator/target.h"

#include <fmt/format.h>
#include <netdb.h>

#include <filesystem>
#include <memory>

#include "orchestrator/host_file.h"
#include "orchestrator/site_file.h"

namespace railgauge {
namespace {

constexpr const char* kSiteHere = "railgauge.yaml";

Result<void> check_names(const std::vector<HostLine>& hosts, const std::string& file) {
  for (const HostLine& h : hosts) {
    addrinfo* found = nullptr;
    const int status = getaddrinfo(h.name.c_str(), nullptr, nullptr, &found);
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> holder(found, freeaddrinfo);
    if (status == 0) continue;
    return fail(ErrorKind::input,
                fmt::format("{}:{}: {}: unknown host ({})", file, h.line, h.name, gai_strerror(status)));
  }
  return {};
}

Result<void> aim_at_lab(const RunOptions& options, Target& target) {
  if (!options.launcher.empty() && options.launcher != "lab") {
    return fail(ErrorKind::input, fmt::format("--launcher {}: cannot reach the hosts of a lab: leave it out",
                                              options.launcher));
  }
  if (!target.site.launcher.empty() && target.site.launcher != "lab") {
    return fail(ErrorKind::input,
                fmt::format("{}: launcher: {} cannot reach the hosts of a lab: leave it out",
                            options.site_file, target.site.launcher));
  }
  target.launcher = "lab";
  if (!options.lab.empty() && !options.kinds.empty()) {
    return fail(ErrorKind::input, "--lab and --kinds: give one of them");
  }
  const std::string text = options.kinds.empty() ? options.lab : options.kinds;
  if (options.kinds.empty() && is_lab_name(text)) {
    if (!options.faults.empty()) {
      return fail(ErrorKind::input, "--fault: the lab is up already: use railgauge lab fault");
    }
    target.named_lab = text;
    return {};
  }
  const char* option = options.kinds.empty() ? "--lab" : "--kinds";
  auto spec = parse_lab_spec(text);
  if (!spec) return fail(ErrorKind::input, fmt::format("{}: {}", option, spec.error().message));
  if (hosts_of(*spec).size() < 2)
    return fail(ErrorKind::input, fmt::format("{} {}: one host has nobody to measure with", option, text));
  for (const std::string& words : options.faults) {
    const auto fault = parse_lab_fault(words);
    if (!fault) return fail(ErrorKind::input, "--fault: " + fault.error().message);
    spec->faults.push_back(*fault);
  }
  if (auto ok = check_lab_spec(*spec); !ok) return ok;
  enter_lab(target, *spec);
  target.lab = *spec;
  return {};
}

}  // namespace

void enter_lab(Target& target, const LabSpec& spec) {
  target.hosts.clear();
  for (const LabHost& h : hosts_of(spec)) target.hosts.push_back(h.name);
  const Site lab = lab_site(spec);
  Site& site = target.site;
  if (site.name.empty()) site.name = lab.name;
  if (site.control_interface.empty()) site.control_interface = lab.control_interface;
  if (site.rates.empty()) site.rates = lab.rates;
  site.launcher = lab.launcher;
  site.software_links = lab.software_links;
}

Result<Target> target_of(const RunOptions& options) {
  Target target;
  const bool lab = !options.lab.empty() || !options.kinds.empty();
  std::error_code ec;
  const std::string site = !options.site_file.empty()                       ? options.site_file
                           : !lab && std::filesystem::exists(kSiteHere, ec) ? kSiteHere
                                                                            : "";
  if (!site.empty()) {
    auto read = read_site_file(site);
    if (!read) return tl::make_unexpected(read.error());
    target.site = std::move(*read);
  }
  if (lab) {
    if (auto ok = aim_at_lab(options, target); !ok) return tl::make_unexpected(ok.error());
    return target;
  }
  if (!options.faults.empty())
    return fail(ErrorKind::input, "--fault: only a lab can have faults planted: add --lab 4x4");
  if (options.hosts_file.empty()) {
    return fail(ErrorKind::input,
                fmt::format("nothing to measure between: give --hosts FILE, or --lab 4x4 for a lab on this "
                            "machine{}",
                            options.out_mode == OutMode::fresh ? "" : ", as the run was begun with"));
  }
  const auto hosts = read_host_file(options.hosts_file);
  if (!hosts) return tl::make_unexpected(hosts.error());
  target.launcher = !options.launcher.empty() ? options.launcher : target.site.launcher;
  if (target.launcher.empty()) target.launcher = "mpirun";
  if (target.launcher == "lab") {
    return fail(
        ErrorKind::input,
        "launcher lab: reaches only the hosts of a lab: give --lab 4x4, or --launcher mpirun with --hosts");
  }
  if (target.launcher == "mpirun") {
    if (auto ok = check_names(*hosts, options.hosts_file); !ok) return tl::make_unexpected(ok.error());
  }
  for (const HostLine& h : *hosts) target.hosts.push_back(h.name);
  return target;
}

}  // namespace railgauge
