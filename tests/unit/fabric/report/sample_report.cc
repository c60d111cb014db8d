#include "tests/unit/fabric/report/sample_report.h"

#include <fmt/format.h>

namespace railgauge {

namespace {

constexpr double kExpected = 191.3e6;

std::string node_name(int nodes, int i) {
  return nodes <= 16 ? fmt::format("h{}", i + 1) : fmt::format("n{:03}", i);
}

// Deterministic and not uniform, so that medians and orders mean something.
double wobble(int i) { return 1 - 0.0007 * ((i * 7 + 3) % 13); }

Finding slow_send() {
  Finding f;
  f.id = "F001";
  f.code = "rail.slow";
  f.severity = Severity::critical;
  f.scope = Scope::endpoint;
  f.title = "h3 rail 2 sends at half rate";
  f.where.node = "h3";
  f.where.rail = 2;
  f.where.nic = "rail2";
  f.direction = Direction::send;
  f.measured = Quantity{95.6e6, "bit/s"};
  f.expected = Expected{kExpected, "bit/s", "site file: 200 Mbit/s x 0.956"};
  f.causes = {{"bad cable or transceiver: one fibre of the pair", "likely"},
              {"rate limit on the NIC or the switch port", "possible"}};
  f.evidence = {"Slow to all 3 partners (50 %), so the limit is this endpoint and not a path.",
                "Receives at 99.4 %: only the sending direction is hit.",
                "The other 3 rails of h3 are at 99-100 %: the host is well."};
  f.actions = {{"Read the link's rate and error counters", "ssh h3 ethtool -S rail2"},
               {"Reseat, then exchange the cable with a known good one", ""},
               {"Measure this node again", "railgauge run quick --hosts h1,h3 --out again"}};
  f.confirm = "Measured again 6 times with other partners and alone: 50 % each time.";
  return f;
}

Finding link_down() {
  Finding f;
  f.id = "F002";
  f.code = "nic.down";
  f.severity = Severity::critical;
  f.title = "h2 rail 1 is down";
  f.where.node = "h2";
  f.where.rail = 1;
  f.where.nic = "rail1";
  f.causes = {{"cable unplugged or switch port disabled", "likely"}};
  f.evidence = {"operstate of rail1 is down; the other 3 rails of h2 are up."};
  f.actions = {{"Look at the port", "ssh h2 ip link show rail1"}};
  return f;
}

Finding nic_missing() {
  Finding f;
  f.id = "F003";
  f.code = "nic.missing";
  f.severity = Severity::major;
  f.scope = Scope::node;
  f.title = "h4 has no NIC where its class has rail 3";
  f.where.node = "h4";
  f.where.rail = 3;
  f.evidence = {"3 of 4 nodes of the class have rail3 in this slot."};
  f.actions = {{"Reseat the card and look for it on the bus", "ssh h4 lspci -nn"}};
  return f;
}

Finding latency_note() {
  Finding f;
  f.id = "F004";
  f.code = "latency.high";
  f.severity = Severity::note;
  f.title = "h1 rail 0 answers late";
  f.where.node = "h1";
  f.where.rail = 0;
  f.direction = Direction::both;
  f.measured = Quantity{182000, "ns"};
  f.expected = Expected{79000, "ns", "class median of 14"};
  f.evidence = {"Seen once and not again."};
  return f;
}

}  // namespace

SampleReport healthy_report(int nodes, int rails) {
  SampleReport s;
  RunMeta& m = s.meta;
  m.run_id = "20260314-021000-quick";
  m.plan = "quick";
  m.cluster = fmt::format("lab {}x{}", nodes, rails);
  m.started_utc = "2026-03-14T02:10:00Z";
  m.wall_ns = 41'200'000'000;
  m.payload_ns = 28'400'000'000;
  m.command = fmt::format("railgauge run quick --lab {}x{}", nodes, rails);
  m.version = "0.1.0";
  m.build_id = "1f2e3d4c";
  m.launcher = "lab";
  m.stages = {{"probe", 1'900'000'000}, {"screening", 33'100'000'000}, {"diagnose", 40'000'000}};
  m.method = {"UCX 1.13 over TCP, one-sided writes of 1 MiB from host memory, 4 outstanding.",
              "Rounds of 400 ms, 3 repeats; every pair of every rail once in each direction."};
  NodeClass c{fmt::format("0 GPUs, {} x 200 Mbit/s", rails), {}, {}};
  for (int r = 0; r < rails; ++r) c.rails.push_back({r, fmt::format("rail{}", r), fmt::format("leaf{}", r)});
  for (int n = 0; n < nodes; ++n) {
    const std::string name = node_name(nodes, n);
    m.hosts.push_back(name);
    c.nodes.push_back(name);
    NodeEntry entry;
    entry.id = name;
    entry.node_class = 0;
    entry.facts.node = name;
    entry.facts.versions = {{"kernel", "6.1.0-28"}, {"mpi", "Open MPI 4.1.4"}, {"ucx", "1.13.1"}};
    for (int r = 0; r < rails; ++r) {
      const std::string device = fmt::format("rail{}", r);
      NicEntry nic;
      nic.device = device;
      nic.role = NicRole::compute;
      nic.rail = r;
      entry.nics.push_back(nic);
      const int i = n * rails + r;
      Endpoint e;
      e.node = name;
      e.device = device;
      e.rail = r;
      e.node_class = 0;
      e.expected_bits_per_second = kExpected;
      s.schedule.endpoints.push_back(e);
      s.analysis.endpoints.push_back({name, r, device, kExpected * wobble(i), kExpected * wobble(i + 5),
                                      kExpected, 78000.0 + 400 * ((i * 5) % 11),
                                      121000.0 + 900 * ((i * 3) % 7), "ok"});
    }
    s.inventory.nodes.push_back(entry);
  }
  s.inventory.classes = {c};
  s.inventory.compute_choice =
      fmt::format("Compute NICs: rail0 to rail{}, named by the site file.", rails - 1);
  s.inventory.order_choice = "Ranks are ordered by host name: which switch a node hangs on is not known.";
  Round round;
  round.case_id = "p2p.rail.write_bw";
  s.schedule.rounds.assign(6, round);
  round.case_id = "p2p.rail.latency";
  s.schedule.rounds.push_back(round);
  Analysis& a = s.analysis;
  const int all = nodes * rails;
  for (int i = 0; i < all; ++i) {
    const int to = (i + rails) % all;
    a.pairs.push_back({i, to, kExpected * wobble(i + 2), kExpected, 3});
  }
  a.verdict = Verdict::pass;
  a.sentence = fmt::format("All {} endpoints reach at least 99 % of what they should.", all);
  a.coverage = {all, all, nodes, nodes};
  a.criteria = {{"coverage",
                 "Endpoints measured",
                 "at least 98 %",
                 fmt::format("{} of {}", all, all),
                 "plan quick",
                 Verdict::pass,
                 {}},
                {"p2p.rail.write_bw.model",
                 "Rate against expected",
                 "at least 90 % of expected",
                 "slowest 99 % of expected",
                 "built-in gate",
                 Verdict::pass,
                 {}},
                {"p2p.rail.write_bw.peers",
                 "Rate against peers",
                 "at most 3 % below the class median",
                 "largest gap 0.8 %",
                 "built-in gate",
                 Verdict::pass,
                 {}},
                {"placement",
                 "GPU, NIC and cable placement",
                 "as the node class",
                 "no difference",
                 "class majority",
                 Verdict::pass,
                 {}}};
  a.pooled_sigma = 0.0041;
  a.proof_worst_share = 0.9931;
  a.proof_worst_other = 0.0042;
  return s;
}

SampleReport faulty_report() {
  SampleReport s = healthy_report(4, 4);
  Analysis& a = s.analysis;
  a.verdict = Verdict::fail;
  a.sentence =
      "3 of 16 endpoints are not what they should be: h3 rail 2 sends at half rate, h2 rail 1 is down, h4 "
      "lacks a NIC.";
  a.findings = {slow_send(), link_down(), nic_missing(), latency_note()};
  a.coverage.measured = 14;
  a.criteria[0] = {"coverage",   "Endpoints measured", "at least 98 %", "14 of 16",
                   "plan quick", Verdict::fail,        {"F002", "F003"}};
  a.criteria[1].verdict = Verdict::fail;
  a.criteria[1].measured = "slowest 50 % of expected (h3 rail 2)";
  a.criteria[1].findings = {"F001"};
  a.criteria[2].verdict = Verdict::inconclusive;
  a.criteria[2].measured = "";
  a.criteria[3].verdict = Verdict::warn;
  a.criteria[3].measured = "1 difference";
  a.criteria[3].findings = {"F003"};
  const auto at = [&](int node, int rail) -> EndpointResult& {
    return a.endpoints[static_cast<std::size_t>(node * 4 + rail)];
  };
  at(2, 2).send_bits_per_second = 95.6e6;
  at(2, 2).state = "slow";
  for (EndpointResult* e : {&at(1, 1), &at(3, 3)}) {
    e->send_bits_per_second = e->receive_bits_per_second = e->latency_p50_ns = e->latency_p99_ns =
        std::nullopt;
  }
  at(1, 1).state = "down";
  at(3, 3).state = "missing";
  at(0, 0).latency_p50_ns = 182000;
  s.inventory.nodes[1].nics[1].unusable = "rail1 is down";
  s.inventory.nodes[3].nics.pop_back();
  s.inventory.nodes[3].holes = {{3, "rail3"}};
  std::erase_if(a.pairs, [](const PairResult& p) {
    return p.source == 5 || p.target == 5 || p.source == 15 || p.target == 15;
  });
  for (PairResult& p : a.pairs) {
    if (p.source == 10) p.median_bits_per_second = 95.6e6;
  }
  a.skipped = {{"h2 rail 1", SkipReason::not_available, "rail1 is down"},
               {"p2p.gpu.write_bw", SkipReason::not_applicable, "no GPU in the node class"}};
  return s;
}

SampleReport hostile_report() {
  SampleReport s = faulty_report();
  const std::string name =
      "</script><img src=x onerror=alert(1)>\x1b[2J\u202e\"'&\n`|" + std::string(300, 'w');
  s.meta.cluster = s.meta.command = s.meta.run_id = s.meta.plan = s.meta.version = name;
  s.meta.hosts = {name, name + "1"};
  s.meta.method = {name};
  s.meta.stages = {{name, 5}};
  Analysis& a = s.analysis;
  a.sentence = name;
  for (Criterion& c : a.criteria) c.title = c.required = c.measured = c.from = name;
  for (Finding& f : a.findings) {
    f.title = f.confirm = name;
    f.where.node = f.where.nic = f.where.gpu = name;
    f.evidence = {name};
    f.causes = {{name, name}};
    f.actions = {{name, name}};
    if (f.expected) f.expected->from = name;
  }
  for (EndpointResult& e : a.endpoints) e.node = e.device = name;
  for (Skip& k : a.skipped) k.what = k.text = name;
  for (Endpoint& e : s.schedule.endpoints) e.node = name;
  for (NodeEntry& n : s.inventory.nodes) {
    n.id = name;
    n.facts.versions = {{name, name}};
  }
  for (NodeClass& c : s.inventory.classes) c.name = name;
  s.inventory.compute_choice = s.inventory.order_choice = name;
  s.inventory.warnings = {name};
  return s;
}

}  // namespace railgauge
