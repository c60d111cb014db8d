// Labs without root: a user namespace in which an ordinary user is root, over nothing but the lab.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "proto/result.h"

namespace railgauge {

struct OrdinaryUser {
  uid_t uid = 0;
  gid_t gid = 0;
};

// Who we are; empty as root, who needs no user namespace.
std::optional<OrdinaryUser> ordinary_user();

// fork() whose child is process 1 of new process and user namespaces, nobody there until become_root(). Call
// it from a process with one thread. Errors: this machine permits none, with what permits it.
Result<pid_t> fork_into_user_namespace();

// In that child: root inside is `user` outside. Errors (environment): the maps cannot be written.
Result<void> become_root(const OrdinaryUser& user);

// What keeps ordinary users from having labs here, and the command that permits it. setting: text of a file
// below /proc/sys, "" where there is none. rooted: is "/" where the machine's is, or are we in a chroot?
std::string how_to_permit_labs(const std::function<std::string(const char*)>& setting, bool rooted);
std::string how_to_permit_labs();

// Id of our user as files outside have it, from the text of /proc/self/uid_map; `inside` where it has no line
// for it.
uid_t outside_id(const std::string& uid_map, uid_t inside);
uid_t outside_id();

}  // namespace railgauge
