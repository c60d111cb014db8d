#include <gtest/gtest.h>

#include "tests/doubles/fake_clock.h"
#include "workers/engines/engine.h"

namespace railgauge {
namespace {

TEST(EngineLoader, an_absent_plug_in_is_named_with_the_places_looked_at) {
  const FakeClock clock;
  const auto engine = load_engine("nosuch", OpenRequest{}, clock);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().kind, ErrorKind::environment);
  EXPECT_NE(engine.error().message.find("railgauge_nosuch.so"), std::string::npos);
  EXPECT_NE(engine.error().message.find("lib/railgauge"), std::string::npos);
}

TEST(EngineLoader, a_name_cannot_be_a_path) {
  const FakeClock clock;
  for (const char* name : {"", "../evil", "a/b", "UCX", "x.so"})
    EXPECT_FALSE(load_engine(name, OpenRequest{}, clock)) << name;
}

}  // namespace
}  // namespace railgauge
