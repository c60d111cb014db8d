#include "orchestrator/about.h"

#include <fmt/format.h>

#include <filesystem>

#include "orchestrator/launch/program_path.h"
#include "proto/version.h"

namespace railgauge {
namespace {

// Engines are plug-ins beside the program: what the build found is what lies there.
std::string engine(const std::filesystem::path& folder, const char* name) {
  std::error_code ec;
  for (const auto& place : {folder, folder.parent_path() / "lib" / "railgauge"}) {
    const auto file = place / (std::string("railgauge_") + name + ".so");
    if (std::filesystem::exists(file, ec)) return "built in (" + file.string() + ")";
  }
  return "not found when this was built";
}

}  // namespace

std::string about() {
  const auto folder = program_path().parent_path();
  return fmt::format("railgauge {} build {}\nUCX: {}\nverbs: {}\nCUDA: {}", version(), build_id(),
                     engine(folder, "ucx"), engine(folder, "verbs"), engine(folder, "gpu"));
}

}  // namespace railgauge
