// What the site says about itself: railgauge.yaml, and the file that the lab writes. Parsed by orchestrator/site_file.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace railgauge {

// What NICs should reach. Matches where `nodes` (empty = all) holds the node and `nics` (empty = all compute NICs) the device.
struct RateRule {
  std::vector<std::string> nodes;
  std::vector<std::string> nics;
  double rate_bits_per_second = 0;   // of the link
  double payload_share = 1;          // of the link rate that a perfect transfer delivers (1448/1514 for TCP at MTU 1500)
};

struct SwitchPort {            // one attachment of the switch graph
  std::string leaf;
  std::string mac;             // or GUID of the NIC
};

struct Site {
  std::string name;
  std::string launcher;                        // "", lab, local, mpirun
  std::vector<std::string> mpirun_arguments;   // added before the program
  std::string rank_path;                       // on the nodes; "" = beside railgauge
  std::string control_interface;               // "" = interface of the default route
  int control_port_first = 0, control_port_last = 0;  // 0 = any free port
  std::vector<std::string> compute_nics;       // "" = chosen (DESIGN section 1)
  std::vector<std::string> rail_order;         // device names, rail 0 first; overrides slots
  std::vector<RateRule> rates;
  std::optional<double> bisection;             // share of full bisection between leaves; absent: reported, not judged
  bool software_links = false;                 // lab: rates come from `rates` only, never from what the port claims
};

template <class V> void describe(V& v, RateRule& r) {
  v("nodes", r.nodes); v("nics", r.nics); v("rate_bits_per_second", r.rate_bits_per_second); v("payload_share", r.payload_share);
}
template <class V> void describe(V& v, SwitchPort& p) { v("leaf", p.leaf); v("mac", p.mac); }
template <class V> void describe(V& v, Site& s) {
  v("name", s.name); v("launcher", s.launcher); v("mpirun_arguments", s.mpirun_arguments); v("rank_path", s.rank_path);
  v("control_interface", s.control_interface); v("control_port_first", s.control_port_first);
  v("control_port_last", s.control_port_last); v("compute_nics", s.compute_nics); v("rail_order", s.rail_order);
  v("rates", s.rates); v("bisection", s.bisection); v("software_links", s.software_links);
}

}  // namespace railgauge
