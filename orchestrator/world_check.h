// Is this one world, of one build, in one environment? Asked before the first round of every launch: an
// answer measured by four worlds of one rank each, or with two settings of UCX_TLS, would be wrong without
// looking wrong. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/cases/schedule.h"
#include "proto/result.h"

namespace railgauge {

// One rank as it sees itself (RankSelf of proto/control.proto), and the node whose leader reported it.
struct RankReport {
  std::string node;
  std::int32_t rank = -1;
  std::int32_t world_size = 0;
  std::int32_t endpoint = -1;
  std::uint64_t environment_hash = 0;
  std::string environment;  // lines NAME=VALUE, sorted; may be cut
  std::string build_id;
  std::string error;  // "" ready
  std::vector<std::string> engine_facts;
};

// living: endpoints that take part, ascending, one rank each. endpoints: of the schedule, for names.
// Errors (peer): names the node and what differs - another build, several worlds of one rank, wrong world
// size, an endpoint twice or missing, a rank number twice, a differing environment with the first NAME=VALUE
// that differs. A rank whose engine did not open (error) is no fault of the world: the caller leaves it out.
Result<void> check_world(std::span<const RankReport> ranks, std::span<const std::int32_t> living,
                         std::span<const Endpoint> endpoints, const std::string& our_build);

// First line in which two sorted lists of NAME=VALUE differ: "UCX_TLS=tcp,self on h1, UCX_TLS=all on h2",
// "UCX_TLS=all on h2, not set on h1".
std::string environment_difference(const std::string& a, const std::string& node_a, const std::string& b,
                                   const std::string& node_b);

}  // namespace railgauge
