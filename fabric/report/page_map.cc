// The map of nodes x rails as inline SVG: numbers in the cells up to 16 nodes, blocks of 32 nodes beyond
// that.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "fabric/report/map_grid.h"
#include "fabric/report/page.h"
#include "fabric/report/page_ramp.h"
#include "fabric/report/text.h"
#include "fabric/report/words.h"

namespace railgauge {

namespace {

constexpr std::size_t kNumbersUpTo = 16;  // nodes
constexpr int kNumberRails = 16;
constexpr std::size_t kBlock = 32;

// In a small cell there is room for "99.4" or "100".
std::string cell_number(double share) {
  std::string text = percent_text(share);
  text.resize(text.size() - 2);  // " %" stands in the legend
  if (text.size() > 4) text.resize(3);
  return text;
}

std::string_view state_word(CellState s) {
  switch (s) {
    case CellState::down:
      return "down";
    case CellState::missing:
      return "missing";
    case CellState::silent:
      return "silent";
    case CellState::skipped:
      return "not measured";
    case CellState::measured:
    case CellState::none:
      break;
  }
  return "";
}

// A cross, a dash, an empty dashed box or a short dash: told apart without colour.
std::string state_mark(CellState s, double x, double y, double w, double h) {
  const double cx = x + w / 2, cy = y + h / 2, a = std::min(4.0, h / 2 - 1);
  switch (s) {
    case CellState::down:
      return fmt::format(R"(<path class="xbad" d="M{:.1f} {:.1f}l{:.1f} {:.1f}m0 {:.1f}l{:.1f} {:.1f}"/>)",
                         cx - a, cy - a, 2 * a, 2 * a, -2 * a, -2 * a, 2 * a);
    case CellState::missing:
      return fmt::format(R"(<path class="xbad" d="M{:.1f} {:.1f}h{:.1f}"/>)", cx - 5, cy, 10.0);
    case CellState::skipped:
      return fmt::format(R"(<path class="dash" d="M{:.1f} {:.1f}h{:.1f}"/>)", cx - 3, cy, 6.0);
    case CellState::silent:
    case CellState::measured:
    case CellState::none:
      break;
  }
  return "";
}

std::string half_cell(double x, double y, double w, double h, const std::optional<double>& rate,
                      const std::optional<double>& share) {
  const double cx = x + w / 2, base = y + h / 2 + 4;
  if (share) {
    const std::size_t k = ramp_step(*share);
    return fmt::format(
        R"(<rect class="k{}" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/><text class="c n{}" x="{:g}" y="{:g}">{}</text>)",
        k, x, y, w, h, k, cx, base, cell_number(*share));
  }
  if (rate) {  // measured, nothing to compare with: no colour of the ramp
    return fmt::format(
        R"(<rect class="kn" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/><text class="c sm nn" x="{:g}" y="{:g}">rate</text>)",
        x, y, w, h, cx, base);
  }
  return fmt::format(R"(<rect class="off" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/>)", x + 0.5, y + 0.5,
                     w - 1, h - 1) +
         state_mark(CellState::skipped, x, y, w, h);
}

std::string number_cell(const std::string& title, const MapCell& cell, double x, double y, double w,
                        double h) {
  std::string out = fmt::format("<g><title>{}</title>", html_text(title));
  if (cell.state == CellState::measured) {
    out += half_cell(x, y, w / 2 - 0.5, h, cell.send, cell.send_share());
    out += half_cell(x + w / 2 + 0.5, y, w / 2 - 0.5, h, cell.receive, cell.receive_share());
  } else if (cell.state == CellState::none) {
    out += fmt::format(R"(<rect class="nil" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/>)", x + 0.5,
                       y + 0.5, w - 1, h - 1);
  } else {
    out += fmt::format(R"(<rect class="off" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/>)", x + 0.5,
                       y + 0.5, w - 1, h - 1);
    const bool words = w >= 80;
    if (cell.state == CellState::silent) {
      out += fmt::format(R"(<text class="c st" x="{:g}" y="{:g}">{}</text>)", x + w / 2, y + h / 2 + 4,
                         words ? "? silent" : "?");
    } else {
      out += state_mark(cell.state, x, y, words ? 24 : w, h);
      if (words)
        out += fmt::format(R"(<text class="st" x="{:g}" y="{:g}">{}</text>)", x + 22, y + h / 2 + 4,
                           state_word(cell.state));
    }
  }
  return out + "</g>";
}

std::string number_map(const MapGrid& grid) {
  std::size_t longest = 4;
  for (const std::string& name : grid.nodes)
    longest = std::max(longest, std::min<std::size_t>(15, columns(visible(name))));
  const double label = 14 + 7 * static_cast<double>(longest), cell = grid.rails <= 5 ? 96 : 62, row = 30,
               gap = 3, top = 34;
  const double width = label + grid.rails * (cell + gap),
               height = top + static_cast<double>(grid.nodes.size()) * (row + gap);
  std::string out = fmt::format(
      R"(<svg class="map{}" viewBox="0 0 {:g} {:g}" width="{:g}" height="{:g}" role="img" aria-labelledby="map-title"><title id="map-title">)"
      "Each node's rails, send and receive, in % of expected</title>\n",
      grid.rails > 5 ? " wide" : "", width, height, width, height);
  for (int r = 0; r < grid.rails; ++r) {
    const double x = label + r * (cell + gap);
    out += fmt::format(
        R"(<text class="c hd" x="{0:g}" y="11">rail {1}</text><text class="c sm" x="{2:g}" y="26">send</text><text class="c sm" x="{3:g}" y="26">recv</text>)",
        x + cell / 2, r, x + cell / 4, x + cell * 3 / 4);
  }
  out += '\n';
  for (std::size_t n = 0; n < grid.nodes.size(); ++n) {
    const double y = top + static_cast<double>(n) * (row + gap);
    const std::string name = visible(grid.nodes[n]);
    out += fmt::format(R"(<text class="e nm" x="{:g}" y="{:g}"><title>{}</title>{}</text>)", label - 12,
                       y + row / 2 + 4, html_text(name), html_text(fit(name, 15)));
    for (int r = 0; r < grid.rails; ++r) {
      const MapCell& c = grid.cells[n][static_cast<std::size_t>(r)];
      out += number_cell(cell_text(grid.nodes[n], r, c), c, label + r * (cell + gap), y, cell, row);
    }
    out += '\n';
  }
  return out + "</svg>\n";
}

struct BlockSize {
  double half, gap, row;  // half cell, gap between rails, row pitch
};

// One path per colour instead of one element per cell keeps 2048 x 8 in a few hundred KB; only what is not
// well gets a title of its own.
std::string block_map(const MapGrid& grid) {
  const BlockSize size = grid.nodes.size() <= 256 ? BlockSize{9, 4, 11} : BlockSize{5, 2, 5};
  constexpr double kPage = 1256, kBetween = 28, kHead = 18;
  const double pitch = 2 * size.half + size.gap, block_width = std::max(60.0, grid.rails * pitch - size.gap);
  const std::size_t blocks = (grid.nodes.size() + kBlock - 1) / kBlock;
  const std::size_t across = std::clamp<std::size_t>(
      static_cast<std::size_t>((kPage + kBetween) / (block_width + kBetween)), 1, blocks);
  const double block_height = kHead + kBlock * size.row + 16;
  const double width = static_cast<double>(across) * (block_width + kBetween) - kBetween;
  const double height = static_cast<double>((blocks + across - 1) / across) * block_height;
  std::string out = fmt::format(
      R"(<svg class="map wide" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" aria-labelledby="map-title"><title id="map-title">)"
      "Blocks of 32 nodes: a row is a node, a column a rail, each with send and receive</title>\n",
      width, height);
  std::map<std::size_t, std::string> colours;  // ramp step -> path
  std::string neutral, empty, marks;
  for (std::size_t n = 0; n < grid.nodes.size(); ++n) {
    const std::size_t block = n / kBlock;
    const double left = static_cast<double>(block % across) * (block_width + kBetween);
    const double head = static_cast<double>(block / across) * block_height;
    if (n % kBlock == 0) {
      const std::string& last = grid.nodes[std::min(grid.nodes.size(), n + kBlock) - 1];
      const std::string name = fmt::format("{} \u2013 {}", visible(grid.nodes[n]), visible(last));
      const auto room = static_cast<std::size_t>(std::max(8.0, block_width / 6.4));
      out += fmt::format(R"(<text class="hd" x="{:g}" y="{:g}"><title>{}</title>{}</text>)", left, head + 11,
                         html_text(name), html_text(fit(name, room)));
    }
    const double y = head + kHead + static_cast<double>(n % kBlock) * size.row, h = size.row - 1;
    for (int r = 0; r < grid.rails; ++r) {
      const MapCell& c = grid.cells[n][static_cast<std::size_t>(r)];
      const double x = left + r * pitch, w = 2 * size.half;
      const auto box = [&](double at) {
        return fmt::format("M{:g} {:g}h{:g}v{:g}h{:g}z", at, y, size.half - 0.5, h, 0.5 - size.half);
      };
      bool well = c.state == CellState::measured || c.state == CellState::none;
      if (c.state == CellState::measured) {
        for (const auto& [at, rate, share] : {std::tuple(x, c.send, c.send_share()),
                                              std::tuple(x + size.half, c.receive, c.receive_share())}) {
          if (share) {
            colours[ramp_step(*share)] += box(at);
            well = well && *share >= kTolerance && *share < 1.03;
          } else {
            (rate ? neutral : empty) += box(at);
            well = false;
          }
        }
      } else if (c.state != CellState::none) {
        marks += fmt::format(R"(<rect class="off" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/>)", x + 0.25,
                             y + 0.25, w - 1, h - 0.5);
        marks += state_mark(c.state, x, y, w, h);
      }
      if (!well) {
        marks += fmt::format(
            R"(<rect class="nil" pointer-events="all" x="{:g}" y="{:g}" width="{:g}" height="{:g}"><title>{}</title></rect>)",
            x, y, w - 0.5, h, html_text(cell_text(grid.nodes[n], r, c)));
        marks += '\n';
      }
    }
  }
  for (const auto& [step, path] : colours) out += fmt::format("<path class=\"k{}\" d=\"{}\"/>\n", step, path);
  if (!neutral.empty()) out += fmt::format("<path class=\"kn\" d=\"{}\"/>\n", neutral);
  if (!empty.empty()) out += fmt::format("<path class=\"off\" d=\"{}\"/>\n", empty);
  return out + marks + "</svg>\n";
}

std::string legend(const MapGrid& grid) {
  constexpr double kWidth = 420;
  std::string out = fmt::format(
      R"(<div class="lg"><svg viewBox="0 0 {0:g} 30" width="{0:g}" height="30" role="img" aria-label="Colours from 40 to 105 % of expected">)",
      kWidth);
  for (std::size_t k = 0; k < kRampEdges.size(); ++k) {
    const double from = k == 0 ? 0 : axis_place(kRampEdges[k]) * kWidth;
    const double to = k + 1 < kRampEdges.size() ? axis_place(kRampEdges[k + 1]) * kWidth : kWidth;
    if (to > from)
      out += fmt::format(R"(<rect class="k{}" x="{:.1f}" y="4" width="{:.1f}" height="9"/>)", k, from,
                         to - from);
  }
  for (const int tick : {40, 65, 80, 90, 95, 100}) {
    const double x = axis_place(tick) * kWidth;
    out += fmt::format(R"(<text{} x="{:.1f}" y="26">{}{}{}</text>)", tick == 40 ? "" : R"( class="c")", x,
                       tick == 40 ? "\u2264 " : "", tick, tick == 100 ? " %" : "");
  }
  out += fmt::format(R"(<path class="tol" d="M{:.1f} 1v15"/></svg>)", axis_place(kTolerance * 100) * kWidth);
  out += "<p>Left half of a cell: what the node sends on that rail. Right half: what it receives. ";
  out += grid.nodes.size() <= kNumbersUpTo && grid.rails <= kNumberRails
             ? "Numbers are % of expected.</p>"
             : "A row is a node, a column a rail.</p>";
  out += "<p>";
  for (const CellState s : {CellState::down, CellState::missing, CellState::silent, CellState::skipped}) {
    const bool used = std::any_of(grid.cells.begin(), grid.cells.end(), [s](const auto& row) {
      return std::any_of(row.begin(), row.end(), [s](const MapCell& c) { return c.state == s; });
    });
    if (!used) continue;
    out += fmt::format(
        R"(<span><svg class="gly" viewBox="0 0 13 11"><rect class="off" x=".5" y=".5" width="12" height="10"/>{}</svg>{}</span>)",
        state_mark(s, 0, 0, 13, 11),
        s == CellState::silent    ? "node silent"
        : s == CellState::missing ? "NIC missing"
                                  : state_word(s));
  }
  return out + "</p></div>\n";
}

}  // namespace

std::string map_figure(const Report& report) {
  const MapGrid grid = map_grid(report);
  if (grid.rails == 0 || grid.nodes.empty()) return "";
  const bool numbers = grid.nodes.size() <= kNumbersUpTo && grid.rails <= kNumberRails;
  return "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Map of nodes and rails\">" +
         (numbers ? number_map(grid) : block_map(grid)) + "</div>\n" + legend(grid);
}

}  // namespace railgauge
