#pragma once

#include <filesystem>

namespace railgauge {

// This program's file, as it was at the first call: main() calls it before anything else. Inside a new mount
// namespace in a chroot the kernel names it by a path that is not there. Empty where /proc is not mounted.
const std::filesystem::path& program_path();

}  // namespace railgauge
