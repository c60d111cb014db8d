#include <fmt/format.h>

#include <array>
#include <string_view>

#include "workers/probe/host.h"
#include "workers/probe/sysfs.h"

namespace railgauge {
namespace {

struct Library {
  std::string_view name, package, file;
};
constexpr std::array kLibraries = {Library{"mpi", "ompi", "libmpi.so."}, Library{"ucx", "ucx", "libucp.so."},
                                   Library{"cuda", "cudart", "libcudart.so."},
                                   Library{"nccl", "nccl", "libnccl.so."},
                                   Library{"rdma-core", "libibverbs", "libibverbs.so."}};
constexpr std::array<std::string_view, 8> kFolders = {"/usr/lib/x86_64-linux-gnu",
                                                      "/usr/lib/aarch64-linux-gnu",
                                                      "/usr/lib64",
                                                      "/usr/local/lib",
                                                      "/usr/local/cuda/lib64",
                                                      "/opt/amazon/openmpi/lib64",
                                                      "/opt/amazon/efa/lib64",
                                                      "/usr/lib"};

// "Version: 4.1.4" of a pkg-config file. Empty: none.
std::string package_version(const std::string& file) {
  const std::string text = "\n" + sysfs::text(file);
  constexpr std::string_view kKey = "\nVersion:";
  const std::size_t at = text.find(kKey);
  if (at == std::string::npos) return "";
  const std::size_t start = text.find_first_not_of(' ', at + kKey.size());
  const std::size_t end = std::min(text.find('\n', at + 1), text.size());
  return start == std::string::npos || start >= end ? "" : text.substr(start, end - start);
}

// Of nccl.h: the library's own name says only the major number.
std::string nccl_version(const std::string& header) {
  const std::string text = sysfs::text(header);
  std::string version;
  for (const std::string_view part : {"NCCL_MAJOR ", "NCCL_MINOR ", "NCCL_PATCH "}) {
    const std::size_t at = text.find(part);
    const std::optional<int> n = at == std::string::npos
                                     ? std::nullopt
                                     : sysfs::integer(std::string_view(text).substr(at + part.size()));
    if (!n) return "";
    version += (version.empty() ? "" : ".") + std::to_string(*n);
  }
  return version;
}

// The longest suffix is the real file: libucp.so.0 is a link to libucp.so.0.0.0.
std::string suffix_in(const std::string& folder, std::string_view file) {
  std::string best;
  for (const std::string& name : sysfs::names(folder)) {
    if (name.starts_with(file) && name.size() > file.size() + best.size()) best = name.substr(file.size());
  }
  return best;
}

}  // namespace

std::vector<Version> library_versions(const std::string& root) {
  std::vector<Version> found;
  for (const Library& l : kLibraries) {
    for (const std::string_view in : kFolders) {
      const std::string folder = root + std::string(in);
      std::string version = suffix_in(folder, l.file);
      if (version.empty()) continue;
      std::string better = package_version(fmt::format("{}/pkgconfig/{}.pc", folder, l.package));
      if (l.name == "nccl" && better.empty()) {
        for (const std::string_view at : {"/usr/include/nccl.h", "/usr/local/cuda/include/nccl.h"}) {
          if (better.empty()) better = nccl_version(root + std::string(at));
        }
      }
      // Without the package's word only the library's own number is known: said as such.
      found.push_back({std::string(l.name), better.empty() ? std::string(l.file) + version : better});
      break;
    }
  }
  return found;
}

}  // namespace railgauge
