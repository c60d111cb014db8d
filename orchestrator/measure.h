// The run stage: rounds in, samples out, over as many launches as deaths make necessary.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fabric/cases/schedule.h"
#include "fabric/report/progress.h"
#include "orchestrator/control/control_server.h"
#include "orchestrator/launch/launcher.h"
#include "orchestrator/launch_process.h"
#include "orchestrator/session.h"
#include "proto/result.h"
#include "proto/samples.h"

namespace railgauge {

struct MeasureSetup {
  std::vector<Endpoint> endpoints;
  std::string run_id, token, rank_path;
  ControlOptions control;  // nodes are filled in for each launch
  std::filesystem::path logs;
  std::function<void(std::string_view frames)> record;  // whole frames for samples.rg
  std::function<void(const std::string& text)> say;     // progress text, for stderr
  int first_launch = 1;
};

class Measurement final : public SessionSink {
 public:
  // All must outlive it.
  Measurement(MeasureSetup setup, const Launcher& launcher, Progress& progress, std::function<bool()> stop);
  ~Measurement() override;

  // Runs the rounds. A broken launch keeps what it measured; the rounds after the one it broke in go on in a
  // new launch, without endpoints that died twice. Errors: the first launch did not come to a world (its
  // reason), or launches keep breaking without a new sample. Stopped: no error, the rest is not measured.
  Result<void> run(const std::string& stage, std::vector<Round> rounds);
  // Ends the open launch, patiently.
  void finish();

  const SampleSet& measured() const { return samples_; }
  std::size_t rounds_left() const { return open_rounds_.size(); }  // of the last run(), without a sample
  const std::vector<bool>& living() const { return living_; }
  Nanos payload_time() const { return payload_; }
  Nanos since_start() const;

 private:
  void samples(const std::string& node, const std::string& bytes, const SampleSet& samples) override;
  void event(Event event) override;
  void artifact(const std::string& node, const std::string& name, const std::string& content) override;
  void tick() override;

  Result<void> open();
  Result<void> open_once(Assembly& assembly);
  void close(bool patient);
  void sweep_leftovers();
  void leave_out(std::int32_t endpoint);
  void show_slow(const FlowSample& sample);

  MeasureSetup setup_;
  const Launcher& launcher_;
  Progress& progress_;
  std::function<bool()> stop_;
  SampleSet samples_;
  std::vector<bool> living_;
  std::vector<int> deaths_;
  Nanos begin_, payload_;
  int launch_ = 0;
  bool leftovers_ = false;  // a launch of this run did not end by itself: the nodes are swept before the next
  // The open launch. Order matters: the session goes first.
  std::unique_ptr<ControlServer> server_;
  std::unique_ptr<LaunchProcess> process_;
  std::unique_ptr<Session> session_;
  // The running batch.
  std::map<std::int32_t, std::int64_t> open_rounds_;  // id -> duration of rounds without a sample
  std::set<std::int32_t> rate_rounds_;                // whose samples are rates
  std::int32_t last_sampled_ = -1;
  int rounds_all_ = 0;
  std::set<std::pair<std::int32_t, std::int32_t>> slow_shown_;
  int artifacts_ = 0;
};

// Ids of the rounds of which every flow between living endpoints has a sample of its receiver.
std::set<std::int32_t> complete_rounds(const Schedule& schedule, const SampleSet& samples);

}  // namespace railgauge
