#include "orchestrator/launch/launchers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "orchestrator/launch/launcher_registry.h"

namespace railgauge {
namespace {

struct Entry {
  std::string_view name;
  Result<std::unique_ptr<Launcher>> (*make)(const LauncherOptions&);
};
constexpr std::array kLaunchers{
    Entry{"lab", make_lab_launcher},
    Entry{"local", make_local_launcher},
    Entry{"mpirun", make_mpirun_launcher},
};

}  // namespace

std::vector<std::string> launcher_names() {
  std::vector<std::string> names;
  for (const Entry& e : kLaunchers) names.emplace_back(e.name);
  return names;
}

Result<std::unique_ptr<Launcher>> make_launcher(std::string_view name, const LauncherOptions& options) {
  for (const Entry& e : kLaunchers) {
    if (e.name == name) return e.make(options);
  }
  return fail(ErrorKind::input,
              fmt::format("launcher {}: unknown; one of {}", name, fmt::join(launcher_names(), ", ")));
}

}  // namespace railgauge
