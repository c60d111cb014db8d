#include "fabric/report/page.h"

#include <gtest/gtest.h>

#include "fabric/report/map_grid.h"
#include "fabric/report/page_ramp.h"
#include "fabric/report/render.h"
#include "tests/unit/fabric/report/sample_report.h"

namespace railgauge {
namespace {

// Not HasSubstr on whole pages: a failure would print all of one.
bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Ramp, steps_begin_at_their_edges_and_the_tolerance_is_one_of_them) {
  EXPECT_EQ(ramp_step(-1), 0U);
  EXPECT_EQ(ramp_step(0.5), 3U);
  EXPECT_EQ(ramp_step(0.95), ramp_step(0.9549));
  EXPECT_NE(ramp_step(0.95), ramp_step(0.9499));
  EXPECT_EQ(ramp_step(9), kRampEdges.size() - 1);
}

TEST(Ramp, axis_rises_and_stays_in_its_width) {
  double last = 0;
  for (double p = 0; p < 130; p += 0.5) {
    EXPECT_GE(axis_place(p), last);
    last = axis_place(p);
  }
  EXPECT_EQ(axis_place(0), 0);
  EXPECT_EQ(axis_place(200), 1);
  EXPECT_GT(axis_place(105) - axis_place(80), 0.66);
}

TEST(MapGrid, a_place_says_why_it_has_no_number) {
  SampleReport s = faulty_report();
  s.inventory.nodes[0].silent = "no answer in 10 s";
  std::erase_if(s.analysis.endpoints, [](const EndpointResult& e) { return e.node == "h1"; });
  const MapGrid grid = map_grid(s.report());
  ASSERT_EQ(grid.rails, 4);
  ASSERT_EQ(grid.nodes.size(), 4U);
  EXPECT_EQ(grid.cells[0][0].state, CellState::silent);
  EXPECT_EQ(grid.cells[1][1].state, CellState::down);
  EXPECT_EQ(grid.cells[3][3].state, CellState::missing);
  EXPECT_EQ(grid.cells[2][2].state, CellState::measured);
  EXPECT_NEAR(*grid.cells[2][2].send_share(), 0.4997, 1e-3);
  EXPECT_EQ(cell_text("h2", 1, grid.cells[1][1]), "h2 rail 1: down, not measured");
}

TEST(MapGrid, a_class_with_fewer_rails_has_no_fault_there) {
  SampleReport s = healthy_report(4, 4);
  NodeClass small{"2 rails", {"h4"}, {{0, "rail0", ""}, {1, "rail1", ""}}};
  s.inventory.classes.push_back(small);
  s.inventory.nodes[3].node_class = 1;
  s.inventory.nodes[3].nics.resize(2);
  std::erase_if(s.analysis.endpoints, [](const EndpointResult& e) { return e.node == "h4" && e.rail > 1; });
  const MapGrid grid = map_grid(s.report());
  EXPECT_EQ(grid.cells[3][1].state, CellState::measured);
  EXPECT_EQ(grid.cells[3][2].state, CellState::none);
}

TEST(MapGrid, two_ports_of_one_rail_show_the_slower) {
  SampleReport s = healthy_report(2, 1);
  EndpointResult second = s.analysis.endpoints[0];
  second.send_bits_per_second = 1e6;
  s.analysis.endpoints.push_back(second);
  EXPECT_DOUBLE_EQ(*map_grid(s.report()).cells[0][0].send, 1e6);
}

TEST(MapGrid, a_planned_place_without_result_is_not_measured_and_never_fine) {
  SampleReport s = healthy_report(2, 2);
  s.analysis.endpoints.clear();
  const MapGrid grid = map_grid(s.report());
  EXPECT_EQ(grid.cells[1][1].state, CellState::skipped);
  EXPECT_FALSE(has(map_figure(s.report()), "class=\"k23 "));
}

TEST(MapFigure, numbers_stand_in_the_cells_up_to_16_nodes) {
  const std::string map = map_figure(faulty_report().report());
  EXPECT_TRUE(has(map, "h3 rail 2: send 95.6 Mbit/s (50 %)"));
  EXPECT_TRUE(has(map, ">50</text>"));
  EXPECT_TRUE(has(map, ">down</text>"));
  EXPECT_TRUE(has(map, ">missing</text>"));
  EXPECT_TRUE(has(map_figure(healthy_report(16, 8).report()), ">h16<")) << "names";
}

TEST(MapFigure, beyond_16_nodes_blocks_of_32_nodes_show_every_node) {
  SampleReport s = healthy_report(64, 8);
  s.analysis.endpoints[300].send_bits_per_second = 20e6;
  const std::string map = map_figure(s.report());
  EXPECT_TRUE(has(map, "n000 \u2013 n031"));
  EXPECT_TRUE(has(map, "n032 \u2013 n063"));
  EXPECT_TRUE(has(map, "n037 rail 4: send 20 Mbit/s (10 %)"));
  EXPECT_EQ(count(map, "<title>n0"), 3U) << "two block heads and the one slow place";
}

TEST(MapFigure, size_of_2048_nodes_stays_bounded) {
  EXPECT_LT(map_figure(healthy_report(2048, 8).report()).size(), 2'000'000U);
}

TEST(Page, has_no_script_and_every_finding_once) {
  const std::string page = render_html(faulty_report().report(), {});
  EXPECT_FALSE(has(page, "<script"));
  EXPECT_FALSE(has(page, "http://"));
  EXPECT_FALSE(has(page, "https://"));
  EXPECT_FALSE(has(page, "unsafe-inline"));
  for (const char* id : {"F001", "F002", "F003", "F004"})
    EXPECT_EQ(count(page, std::string("id=\"") + id + "\""), 1U);
}

TEST(Page, what_was_not_measured_has_a_dash_and_a_word) {
  const std::string table = endpoints_table(faulty_report().report());
  EXPECT_EQ(count(table, ">0<"), 4U) << "rail 0 of four nodes, no rate of 0";
  EXPECT_TRUE(has(table, "<td class=\"no\">down</td>"));
  SampleReport s = healthy_report(2, 1);
  s.analysis.endpoints[0].send_bits_per_second = s.analysis.endpoints[0].receive_bits_per_second =
      std::nullopt;
  EXPECT_TRUE(has(endpoints_table(s.report()), "not measured</td>"))
      << "a state of ok without numbers is not ok";
}

TEST(Page, slowest_pair_comes_first) {
  const std::string pairs = pairs_table(faulty_report().report());
  const std::size_t row = pairs.find("<tbody>");
  EXPECT_TRUE(has(pairs.substr(row, 60), "<td>h3</td>"));
  EXPECT_EQ(pairs_table(SampleReport{}.report()), "");
}

TEST(Page, a_pair_outside_the_schedule_is_left_out) {
  SampleReport s = healthy_report(2, 1);
  s.analysis.pairs = {{7, 99, 1e6, 2e6, 1}, {-1, 0, 1e6, 2e6, 1}};
  EXPECT_EQ(pairs_table(s.report()), "");
}

TEST(Page, many_endpoints_are_ranked_and_cut_with_a_note) {
  SampleReport s = healthy_report(128, 8);
  s.analysis.endpoints[777].receive_bits_per_second = 11e6;
  const std::string table = endpoints_table(s.report());
  EXPECT_LT(table.find("n097"), table.find("n001"));
  EXPECT_TRUE(has(table, "The 512 slowest of 1,024 endpoints"));
}

TEST(Page, a_measured_rate_without_expectation_gets_no_colour_of_the_ramp) {
  SampleReport s = healthy_report(2, 1);
  for (EndpointResult& e : s.analysis.endpoints) e.expected_bits_per_second = std::nullopt;
  EXPECT_TRUE(has(map_figure(s.report()), "class=\"kn\""));
  EXPECT_TRUE(has(rail_strips(s.report()), "not measured"));
}

TEST(Page, unproven_traffic_is_said) {
  SampleReport s = healthy_report(2, 1);
  s.analysis.proof_worst_share = -1;
  EXPECT_TRUE(has(run_section(s.report()), "where the traffic went is not proven"));
}

}  // namespace
}  // namespace railgauge
