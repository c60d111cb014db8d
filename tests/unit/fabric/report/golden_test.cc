// Whole reports against files that people have looked at. RG_UPDATE_GOLDEN=1 writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fabric/report/render.h"
#include "tests/unit/fabric/report/sample_report.h"

namespace railgauge {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(RG_GOLDEN_REPORTS) / name;
  if (std::getenv("RG_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing";
  std::ostringstream golden;
  golden << in.rdbuf();
  EXPECT_TRUE(golden.str() == text) << path << " differs; look at the change, then RG_UPDATE_GOLDEN=1";
}

void expect_golden_formats(const std::string& name, const SampleReport& s) {
  for (const Format& f : formats()) {
    expect_golden(name + std::filesystem::path(f.file).extension().string(),
                  f.render(s.report(), {false, "run/report.html"}));
  }
}

TEST(Golden, healthy_4x4) { expect_golden_formats("healthy", healthy_report(4, 4)); }
TEST(Golden, faulty_4x4) { expect_golden_formats("faulty", faulty_report()); }
// For the outside readers of tests/report: an XML parser and promtool.
TEST(Golden, hostile_names_in_machine_formats) {
  for (const char* name : {"junit", "prom"}) {
    const Format f = *find_format(name);
    expect_golden("hostile" + std::filesystem::path(f.file).extension().string(),
                  f.render(hostile_report().report(), {}));
  }
}

}  // namespace
}  // namespace railgauge
