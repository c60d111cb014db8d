// What a renderer gets: the judgement and everything needed to say how it was reached. Nothing here is
// computed by a renderer's reader again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/cases/schedule.h"
#include "fabric/diagnose/analysis.h"
#include "fabric/inventory/inventory.h"

namespace railgauge {

struct StageTime {
  std::string stage;  // "probe", "screening", "confirmation", "diagnose"
  std::int64_t wall_ns = 0;
};

// The run around the judgement. "" and 0 = not known; renderers then leave the line out.
struct RunMeta {
  std::string run_id;
  std::string plan;                // "quick", "nightly", "accept" or the plan file's name
  std::string cluster;             // Site::name, "lab 4x4"
  std::vector<std::string> hosts;  // as asked for, in host-file order
  std::string started_utc;         // "2026-03-14T02:10:00Z"
  std::int64_t wall_ns = 0;        // of the whole run
  std::int64_t payload_ns = 0;     // of it, time in which payload flowed
  std::string command;             // as typed
  std::string version;             // railgauge version, "0.1.0"
  std::string build_id;
  std::string launcher;  // "lab", "mpirun"
  std::string stopped;   // why the run ended before its plan did, "" = it did not
  std::vector<StageTime> stages;
  std::vector<std::string> method;  // how it was measured, one sentence each: windows, repeats, engine facts
};

// Borrowed: inventory, schedule and analysis must outlive it.
struct Report {
  RunMeta meta;
  const Inventory& inventory;
  const Schedule& schedule;
  const Analysis& analysis;
};

template <class V>
void describe(V& v, StageTime& s) {
  v("stage", s.stage);
  v("wall_ns", s.wall_ns);
}
template <class V>
void describe(V& v, RunMeta& m) {
  v("run_id", m.run_id);
  v("plan", m.plan);
  v("cluster", m.cluster);
  v("hosts", m.hosts);
  v("started_utc", m.started_utc);
  v("wall_ns", m.wall_ns);
  v("payload_ns", m.payload_ns);
  v("command", m.command);
  v("version", m.version);
  v("build_id", m.build_id);
  v("launcher", m.launcher);
  v("stopped", m.stopped);
  v("stages", m.stages);
  v("method", m.method);
}

}  // namespace railgauge
