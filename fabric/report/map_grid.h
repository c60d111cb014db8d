// Nodes x rails as values: what each place of the map says. Pure; drawn by page_map.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fabric/report/report.h"

namespace railgauge {

enum class CellState {
  measured,
  down,     // there, but cannot be used
  missing,  // the node class has a NIC here, this node has none
  silent,   // the node did not answer
  skipped,  // planned, not measured for another reason
  none,     // the node class has no such rail
};

struct MapCell {
  CellState state = CellState::none;
  std::optional<double> send, receive;  // bit/s
  std::optional<double> expected;       // bit/s
  std::optional<double> send_share() const { return share(send); }
  std::optional<double> receive_share() const { return share(receive); }

 private:
  std::optional<double> share(const std::optional<double>& rate) const {
    if (!rate || !expected || !(*expected > 0)) return std::nullopt;
    return *rate / *expected;
  }
};

struct MapGrid {
  std::vector<std::string> nodes;  // order of the inventory, then nodes only the results know
  int rails = 0;
  std::vector<std::vector<MapCell>> cells;  // [node][rail]
};

// Rails of negative number (no rail) are left out. Two endpoints of one node on one rail show the slower rate
// of each direction.
MapGrid map_grid(const Report& report);

// "h3 rail 2: send 95.6 Mbit/s (50 %), receive 190 Mbit/s (99.4 %), expected 191 Mbit/s" or "h3 rail 2: down,
// not measured"
std::string cell_text(const std::string& node, int rail, const MapCell& cell);

}  // namespace railgauge
