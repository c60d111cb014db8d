// Parts of report.html. Each returns markup with everything that others wrote escaped; no part needs script
// or an outside reference.
#pragma once

#include <string>
#include <string_view>

#include "fabric/report/report.h"

namespace railgauge {

// Shapes are told apart without colour: octagon, triangle, diamond, circle, check. name: "critical", "pass",
// "open" ... of page_symbols().
std::string glyph(std::string_view name, std::string_view label);
std::string page_symbols();                 // <svg> with the symbols that glyph() uses
std::string_view verdict_glyph(Verdict v);  // "pass", "warn", "fail", "open", "waived"; also the colour class

std::string criteria_table(const Report& report);
std::string findings_list(const Report& report);
std::string map_figure(const Report& report);   // nodes x rails with legend; "" without rails
std::string rail_strips(const Report& report);  // distribution per rail; "" without rails
std::string endpoints_table(const Report& report);
std::string pairs_table(const Report& report);    // slowest pairs; "" without pairs
std::string skipped_table(const Report& report);  // "" if nothing was skipped
std::string run_section(const Report& report);

}  // namespace railgauge
