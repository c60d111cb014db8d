// What this mount namespace mounts from now on is seen nowhere else.
#pragma once

namespace railgauge {

// Call after unshare(CLONE_NEWNS). False with errno set on failure. In a chroot "/" need not be a mount: then
// every mount below it is made private by itself.
bool make_mounts_private();

}  // namespace railgauge
