// Words that several rules share: names of ends, figures with units, causes and actions.
#pragma once

#include <string>

#include "fabric/diagnose/rules.h"

namespace railgauge {

std::string rate_in_words(double bits_per_second);  // "191 Mbit/s"
std::string percent_in_words(double share);         // "50 %", "94.6 %" near 100
std::string end_name(const Endpoint& e);            // "h3 rail 2 (mlx5_2)", "h3 rail2"
std::string pair_name(const Picture& p, std::int32_t source, std::int32_t target);  // "h1 rail2 to h3 rail2"
std::string verb(Direction d);  // "sends", "receives", "sends and receives"
const NodeEntry* node_of(const Inventory& inventory, const std::string& id);  // nullptr: none

Where where_of(const Endpoint& e);
// Command that shows the counters and state of this NIC; for a software link its queue.
Action look_at(const Picture& p, std::int32_t endpoint);
// The same for an end whose flows fail: its link first, not how fast it is.
Action look_at_link(const Picture& p, std::int32_t endpoint);
// Causes and actions of a NIC that is slow in this direction, explained_by where its state predicts less than
// `expected`.
void slow_end_words(const Picture& p, std::int32_t endpoint, Direction d, double expected, Finding& f);

// Verdicts of a rate against both gates.
void judge_rate(const Picture& p, std::int32_t source, std::int32_t target, double rate, Draft& d);
// From the verdicts: major for FAIL, minor for WARN.
Severity severity_of(const Draft& d);

}  // namespace railgauge
