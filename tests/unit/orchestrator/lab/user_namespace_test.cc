#include "orchestrator/lab/user_namespace.h"

#include <gtest/gtest.h>

#include <map>

namespace railgauge {
namespace {

std::string advice(const std::map<std::string, std::string>& settings, bool rooted = true) {
  return how_to_permit_labs(
      [&](const char* name) {
        const auto found = settings.find(name);
        return found == settings.end() ? std::string() : found->second;
      },
      rooted);
}

TEST(UserNamespace, the_switch_that_forbids_it_is_named_with_the_command_that_permits_it) {
  EXPECT_EQ(
      advice({{"kernel/unprivileged_userns_clone", "0"}}),
      "kernel.unprivileged_userns_clone is 0: `sudo sysctl -w kernel.unprivileged_userns_clone=1` permits "
      "it, or run it with sudo");
  EXPECT_NE(advice({{"user/max_user_namespaces", "0"}}).find("sysctl -w user.max_user_namespaces=15000"),
            std::string::npos);
  EXPECT_NE(advice({{"kernel/unprivileged_userns_clone", "1"},
                    {"user/max_user_namespaces", "96365"},
                    {"kernel/apparmor_restrict_unprivileged_userns", "1"}})
                .find("sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
            std::string::npos);
  EXPECT_EQ(advice({}, false), "in a chroot only root can have a lab: run it with sudo");
  EXPECT_NE(advice({}).find("run it with sudo"), std::string::npos);
}

TEST(UserNamespace, root_inside_owns_files_of_the_user_outside) {
  EXPECT_EQ(outside_id("         0       1001          1\n", 0), 1001U);
  EXPECT_EQ(outside_id("         0          0 4294967295\n", 0), 0U);
  EXPECT_EQ(outside_id("0 1001 1\n1 100000 65536\n", 5), 100004U);
  EXPECT_EQ(outside_id("", 7), 7U);
  EXPECT_EQ(outside_id("0 1001 1\n", 7), 7U);
}

}  // namespace
}  // namespace railgauge
