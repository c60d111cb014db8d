#include "orchestrator/site_file.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "orchestrator/strict_yaml.h"

namespace railgauge {
namespace {

// "20000" or "20000-20100".
bool parse_ports(const std::string& text, Site& site) {
  const std::size_t dash = text.find('-');
  const auto port = [](std::string_view s, int& out) {
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out);
    return error == std::errc() && end == s.data() + s.size() && out >= 1 && out <= 65535;
  };
  const std::string_view whole = text;
  int first = 0, last = 0;
  if (!port(whole.substr(0, dash), first)) return false;
  last = first;
  if (dash != std::string::npos && !port(whole.substr(dash + 1), last)) return false;
  if (last < first) return false;
  site.control_port_first = first;
  site.control_port_last = last;
  return true;
}

void read_rate(StrictYaml& yaml, const YAML::Node& node, const std::string& key, Site& site) {
  RateRule rule;
  BitRate rate;
  yaml.map(node, key,
           {{"nodes", [&](auto& n, auto& k) { yaml.texts(n, k, rule.nodes); }},
            {"nics", [&](auto& n, auto& k) { yaml.texts(n, k, rule.nics); }},
            {"rate",
             [&](auto& n, auto& k) {
               yaml.rate(n, k, rate);
               if (rate.bps() <= 0) yaml.wrong(n, k, "a rate above 0 is expected");
             }},
            {"payload_share", [&](auto& n, auto& k) { yaml.number(n, k, 0.01, 1, rule.payload_share); }}});
  if (rate.bps() <= 0) yaml.wrong(node, key + ".rate", "missing");
  rule.rate_bits_per_second = rate.bps();
  site.rates.push_back(rule);
}

void no_duplicates(StrictYaml& yaml, const YAML::Node& node, const std::string& key,
                   const std::vector<std::string>& values) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!seen.insert(values[i]).second) yaml.wrong(node[i], key, fmt::format("{} is given twice", values[i]));
  }
}

}  // namespace

Result<Site> parse_site(const std::string& text, const std::string& file) {
  StrictYaml yaml(file, text);
  Site site;
  if (!yaml.error() && yaml.root().IsNull()) return site;
  const auto launcher = [&](const YAML::Node& n, const std::string& k) {
    yaml.text(n, k, site.launcher);
    static const std::set<std::string> known = {"lab", "local", "mpirun"};
    if (!known.contains(site.launcher)) {
      yaml.wrong(n, k, fmt::format("'{}' is no launcher: lab, local or mpirun", site.launcher));
    }
  };
  const auto control = [&](const YAML::Node& n, const std::string& k) {
    yaml.map(n, k,
             {{"interface", [&](auto& v, auto& w) { yaml.text(v, w, site.control_interface); }},
              {"ports", [&](auto& v, auto& w) {
                 std::string ports;
                 yaml.text(v, w, ports);
                 if (!parse_ports(ports, site)) {
                   yaml.wrong(v, w, fmt::format("'{}': write PORT or FIRST-LAST, from 1 to 65535", ports));
                 }
               }}});
  };
  const auto names = [&yaml](std::vector<std::string>& out) {
    return [&yaml, &out](const YAML::Node& n, const std::string& k) {
      yaml.texts(n, k, out);
      if (!yaml.error()) no_duplicates(yaml, n, k, out);
    };
  };
  yaml.map(
      yaml.root(), "",
      {{"name", [&](auto& n, auto& k) { yaml.text(n, k, site.name); }},
       {"launcher", launcher},
       {"mpirun_arguments", [&](auto& n, auto& k) { yaml.texts(n, k, site.mpirun_arguments); }},
       {"rank_path", [&](auto& n, auto& k) { yaml.text(n, k, site.rank_path); }},
       {"control", control},
       {"compute_nics", names(site.compute_nics)},
       {"rail_order", names(site.rail_order)},
       {"rates",
        [&](auto& n, auto& k) { yaml.list(n, k, [&](auto& e, auto& w) { read_rate(yaml, e, w, site); }); }},
       {"bisection",
        [&](auto& n, auto& k) {
          double share = 0;
          yaml.number(n, k, 0.01, 1, share);
          site.bisection = share;
        }},
       {"software_links", [&](auto& n, auto& k) { yaml.flag(n, k, site.software_links); }}});
  if (yaml.error()) return tl::make_unexpected(*yaml.error());
  return site;
}

Result<Site> read_site_file(const std::filesystem::path& path) {
  const auto text = read_small_file(path);
  if (!text) return tl::make_unexpected(text.error());
  return parse_site(*text, path.string());
}

}  // namespace railgauge
