#include "fabric/diagnose/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fabric/diagnose/statistics.h"

namespace railgauge {
namespace {

struct Figures {
  std::optional<double> send, receive;
  std::vector<double> p50, p99;
};

std::vector<Figures> figures_of(const Picture& p) {
  std::vector<Figures> figures(p.endpoints());
  const auto better = [](std::optional<double>& at, double v) { at = std::max(at.value_or(0), v); };
  for (const Pair& pair : p.pairs) {
    if (pair.repeats == 0) continue;
    better(figures[static_cast<std::size_t>(pair.source)].send, pair.best);
    better(figures[static_cast<std::size_t>(pair.target)].receive, pair.best);
  }
  for (const LatencyPair& l : p.latency) {
    for (const std::int32_t e : {l.source, l.target}) {
      figures[static_cast<std::size_t>(e)].p50.push_back(l.p50);
      figures[static_cast<std::size_t>(e)].p99.push_back(l.p99);
    }
  }
  return figures;
}

std::string rail_name(const std::string& node, int rail) { return fmt::format("{} rail {}", node, rail); }

// Rails that most nodes of the run have: what a node that never answered should have had.
std::vector<int> usual_rails(const Inventory& inventory) {
  const NodeClass* most = nullptr;
  for (const NodeClass& c : inventory.classes) {
    if (most == nullptr || c.nodes.size() > most->nodes.size()) most = &c;
  }
  std::vector<int> rails;
  if (most == nullptr) return rails;
  for (const RailSlot& r : most->rails) rails.push_back(r.rail);
  return rails;
}

void absent(Analysis& a, const std::string& node, int rail, const std::string& device, const char* state,
            const std::string& why) {
  EndpointResult r;
  r.node = node;
  r.rail = rail;
  r.device = device;
  r.state = state;
  a.endpoints.push_back(std::move(r));
  a.skipped.push_back({rail_name(node, rail), SkipReason::not_available, why});
}

void measured(const Inquiry& q, Analysis& a) {
  const Picture& p = q.picture;
  std::map<std::int32_t, std::string> states;
  for (const Draft& d : q.drafts) {
    if (d.state.empty()) continue;
    for (const std::int32_t e : d.endpoints) {
      if (states[e] != "down") states[e] = d.state;
    }
  }
  const std::vector<Figures> figures = figures_of(p);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Endpoint& e = p.endpoint(static_cast<std::int32_t>(i));
    EndpointResult r;
    r.node = e.node;
    r.rail = e.rail;
    r.device = e.device;
    r.send_bits_per_second = figures[i].send;
    r.receive_bits_per_second = figures[i].receive;
    if (e.expected_bits_per_second > 0) r.expected_bits_per_second = e.expected_bits_per_second;
    if (!figures[i].p50.empty()) r.latency_p50_ns = median(figures[i].p50);
    if (!figures[i].p99.empty()) r.latency_p99_ns = median(figures[i].p99);
    const bool any = r.send_bits_per_second || r.receive_bits_per_second;
    const std::string state = states[static_cast<std::int32_t>(i)];
    r.state = !state.empty() ? state : any ? "ok" : "skipped";
    if (any) {
      ++a.coverage.measured;
    } else {
      const bool down = r.state == "down";
      a.skipped.push_back({rail_name(e.node, e.rail),
                           down ? SkipReason::not_available : SkipReason::not_reached,
                           down ? "all its flows failed" : "no flow of it was measured"});
    }
    a.endpoints.push_back(std::move(r));
  }
}

}  // namespace

void fill_tables(const Inquiry& q, Analysis& a) {
  const Inventory& inventory = q.picture.evidence.inventory;
  measured(q, a);
  const std::vector<int> usual = usual_rails(inventory);
  a.coverage.nodes_planned = static_cast<int>(inventory.nodes.size());
  for (const NodeEntry& n : inventory.nodes) {
    if (!n.silent.empty()) {
      for (const int rail : usual) absent(a, n.id, rail, "", "silent", n.silent);
      continue;
    }
    ++a.coverage.nodes_answered;
    for (const NicEntry& nic : n.nics) {
      if (nic.role == NicRole::compute && nic.rail >= 0 && !nic.unusable.empty())
        absent(a, n.id, nic.rail, nic.device, "down", nic.unusable);
    }
    for (const Hole& h : n.holes) {
      absent(a, n.id, h.rail, h.expected_device, "missing",
             fmt::format("{} is missing on {}", h.expected_device, n.id));
    }
  }
  a.coverage.planned = static_cast<int>(a.endpoints.size());
  for (const Pair& p : q.picture.pairs) {
    if (p.repeats > 0) a.pairs.push_back({p.source, p.target, p.rate, p.expected, p.repeats});
  }
  a.pooled_sigma = q.picture.sigma;
}

}  // namespace railgauge
