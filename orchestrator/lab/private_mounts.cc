#include "orchestrator/lab/private_mounts.h"

#include <sys/mount.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

namespace railgauge {

bool make_mounts_private() {
  if (::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0) return true;
  if (errno != EINVAL) return false;
  std::ifstream table("/proc/self/mountinfo");
  std::string line;
  // Fifth word: the mount point as this root sees it. One that cannot be reached by that name is not below
  // us.
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string id, parent, device, root, point;
    words >> id >> parent >> device >> root >> point;
    if (!point.empty() && ::mount("", point.c_str(), nullptr, MS_PRIVATE, nullptr) != 0 && errno == EPERM)
      return false;
  }
  return true;
}

}  // namespace railgauge
