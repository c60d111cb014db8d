// dump_samples RUN/samples.rg: the records as CSV, for tests. Names come from schedule.json beside it.
#include <fmt/format.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fabric/cases/schedule.h"
#include "proto/json.h"
#include "proto/sample_file.h"

namespace {

using namespace railgauge;

std::string name_of(const Schedule& s, std::int32_t endpoint, bool node) {
  if (endpoint < 0 || static_cast<std::size_t>(endpoint) >= s.endpoints.size()) return "";
  const Endpoint& e = s.endpoints[static_cast<std::size_t>(endpoint)];
  return node ? e.node : std::to_string(e.rail);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: dump_samples RUN/samples.rg\n");
    return 2;
  }
  const std::filesystem::path path = argv[1];
  std::ifstream in(path.parent_path() / "schedule.json");
  std::stringstream text;
  text << in.rdbuf();
  const auto schedule = from_json<Schedule>(text.str());
  const auto file = read_sample_file(path);
  if (!schedule || !file) {
    fmt::print(stderr, "dump_samples: {}\n", schedule ? file.error().message : schedule.error().message);
    return 2;
  }
  fmt::print(
      "kind,round,side,status,source_node,target_node,rail,goodput,total_bytes,interval_ns,tx_bytes,rx_bytes,"
      "payload_sent,"
      "payload_received,run_delay_ns,latency_p50_ns,begin_ns,end_ns,text\n");
  for (const FlowSample& f : file->samples.flows) {
    fmt::print("flow,{},{},{},{},{},{},{},{},{},,,,,{},{},,,\n", f.round, to_text(f.side), to_text(f.status),
               name_of(*schedule, f.source, true), name_of(*schedule, f.target, true),
               name_of(*schedule, f.target, false), f.goodput_bits_per_second, f.total_bytes, f.interval_ns,
               f.run_delay_ns, f.latency_p50_ns);
  }
  for (const CounterSample& c : file->samples.counters) {
    fmt::print("counter,{},,,{},,{},,,,{},{},{},{},,,{},{},\n", c.round, name_of(*schedule, c.endpoint, true),
               name_of(*schedule, c.endpoint, false), c.tx_bytes, c.rx_bytes, c.payload_sent,
               c.payload_received, c.begin_ns, c.end_ns);
  }
  for (const Event& e : file->samples.events) {
    std::string said = e.text;  // quotes and line ends would break the table
    for (char& c : said) c = c == '"' ? '\'' : c == '\n' || c == '\r' ? ' ' : c;
    fmt::print("event,{},,{},{},,{},,,,,,,,,,,,\"{}\"\n", e.round, e.kind, e.node,
               name_of(*schedule, e.endpoint, false), said);
  }
  for (const DamagedFrame& d : file->damaged) fmt::print(stderr, "damaged at {}: {}\n", d.offset, d.reason);
  return 0;
}
