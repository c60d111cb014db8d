#include "fabric/report/map_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "fabric/report/text.h"

namespace railgauge {

namespace {

constexpr int kMostRails = 256;  // a damaged analysis must not make a page of any size

std::optional<double> slower(const std::optional<double>& a, const std::optional<double>& b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

CellState state_of(const EndpointResult& e) {
  if (e.send_bits_per_second || e.receive_bits_per_second) return CellState::measured;
  if (e.state == "down") return CellState::down;
  if (e.state == "missing") return CellState::missing;
  if (e.state == "silent") return CellState::silent;
  return CellState::skipped;
}

// What the inventory alone knows; the results come on top.
void fill_from_inventory(const NodeEntry& node, const Inventory& inventory, std::vector<MapCell>& row) {
  const auto set = [&](int rail, CellState state) {
    if (rail >= 0 && rail < static_cast<int>(row.size())) row[static_cast<std::size_t>(rail)].state = state;
  };
  if (!node.silent.empty()) {
    for (MapCell& cell : row) cell.state = CellState::silent;
    return;
  }
  if (node.node_class >= 0 && node.node_class < static_cast<int>(inventory.classes.size())) {
    for (const RailSlot& slot : inventory.classes[static_cast<std::size_t>(node.node_class)].rails)
      set(slot.rail, CellState::skipped);
  }
  for (const NicEntry& nic : node.nics) {
    if (nic.rail >= 0) set(nic.rail, nic.unusable.empty() ? CellState::skipped : CellState::down);
  }
  for (const Hole& hole : node.holes) set(hole.rail, CellState::missing);
}

int rails_of(const Report& report) {
  int most = -1;
  for (const EndpointResult& e : report.analysis.endpoints) most = std::max(most, e.rail);
  for (const NodeClass& c : report.inventory.classes) {
    for (const RailSlot& slot : c.rails) most = std::max(most, slot.rail);
  }
  for (const NodeEntry& n : report.inventory.nodes) {
    for (const NicEntry& nic : n.nics) most = std::max(most, nic.rail);
    for (const Hole& hole : n.holes) most = std::max(most, hole.rail);
  }
  return std::min(most + 1, kMostRails);
}

}  // namespace

MapGrid map_grid(const Report& report) {
  MapGrid grid;
  grid.rails = rails_of(report);
  std::map<std::string, std::size_t, std::less<>> row_of;
  const auto row = [&](const std::string& node) -> std::vector<MapCell>& {
    const auto [at, added] = row_of.emplace(node, grid.nodes.size());
    if (added) {
      grid.nodes.push_back(node);
      grid.cells.emplace_back(static_cast<std::size_t>(grid.rails));
    }
    return grid.cells[at->second];
  };
  for (const NodeEntry& n : report.inventory.nodes) fill_from_inventory(n, report.inventory, row(n.id));
  for (const EndpointResult& e : report.analysis.endpoints) {
    if (e.rail < 0 || e.rail >= grid.rails) continue;
    MapCell& cell = row(e.node)[static_cast<std::size_t>(e.rail)];
    const CellState state = state_of(e);
    if (cell.state == CellState::measured && state != CellState::measured) continue;
    const bool second = cell.state == CellState::measured;
    cell.state = state;
    cell.send = second ? slower(cell.send, e.send_bits_per_second) : e.send_bits_per_second;
    cell.receive = second ? slower(cell.receive, e.receive_bits_per_second) : e.receive_bits_per_second;
    if (e.expected_bits_per_second) cell.expected = e.expected_bits_per_second;
  }
  return grid;
}

std::string cell_text(const std::string& node, int rail, const MapCell& cell) {
  const std::string place = fmt::format("{} rail {}: ", visible(node), rail);
  switch (cell.state) {
    case CellState::measured:
      break;
    case CellState::down:
      return place + "down, not measured";
    case CellState::missing:
      return place + "NIC missing, not measured";
    case CellState::silent:
      return place + "node did not answer, not measured";
    case CellState::skipped:
      return place + "not measured";
    case CellState::none:
      return place + "no such rail in this node class";
  }
  const auto side = [](std::string_view word, const std::optional<double>& rate,
                       const std::optional<double>& share) {
    return share ? fmt::format("{} {} ({})", word, rate_text(rate), percent_text(*share))
                 : fmt::format("{} {}", word, rate_text(rate));
  };
  std::string out = place + side("send", cell.send, cell.send_share()) + ", " +
                    side("receive", cell.receive, cell.receive_share());
  if (cell.expected) out += ", expected " + rate_text(cell.expected);
  return out;
}

}  // namespace railgauge
