// Engines are plug-ins: what a node does not have (UCX, verbs, CUDA) must not keep the rank program from
// starting there.
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "workers/engines/engine.h"

namespace railgauge {
namespace {

std::vector<std::filesystem::path> places(const std::string& file) {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::filesystem::path folder = program.parent_path();
  return {folder / file, folder.parent_path() / "lib" / "railgauge" / file};
}

bool plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 32 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

}  // namespace

Result<std::unique_ptr<Engine>> load_engine(const std::string& name, const OpenRequest& request,
                                            const Clock& clock) {
  if (!plain_name(name)) {
    return fail(
        ErrorKind::environment,
        fmt::format("engine '{}': not a name of an engine (lower case letters, digits)", name.substr(0, 64)));
  }
  const std::string file = fmt::format("railgauge_{}.so", name);
  std::string looked;
  for (const std::filesystem::path& path : places(file)) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      looked += (looked.empty() ? "" : ", ") + path.parent_path().string();
      continue;
    }
    // Never closed again: libraries such as UCX leave threads and exit handlers behind.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* why = dlerror();
      return fail(ErrorKind::environment,
                  fmt::format("engine {}: {} cannot be loaded: {}; install its library", name, path.string(),
                              why != nullptr ? why : "?"));
    }
    auto* open = reinterpret_cast<OpenEngineFunction>(dlsym(library, "railgauge_open_engine"));
    if (open == nullptr) {
      return fail(ErrorKind::environment,
                  fmt::format("engine {}: {} has no railgauge_open_engine; it is not of this build", name,
                              path.string()));
    }
    Error error;
    std::unique_ptr<Engine> engine(open(request, clock, &error));
    if (!engine) return tl::make_unexpected(error);
    return engine;
  }
  return fail(ErrorKind::environment,
              fmt::format("engine {}: no {} in {}; not built here?", name, file, looked));
}

}  // namespace railgauge
