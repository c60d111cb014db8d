#include "orchestrator/launch/program_path.h"

namespace railgauge {

const std::filesystem::path& program_path() {
  static const std::filesystem::path path = [] {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored);
  }();
  return path;
}

}  // namespace railgauge
