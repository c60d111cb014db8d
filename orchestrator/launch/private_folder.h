// A folder for one launch: its files, its temporary directory. Only we can read it.
#pragma once

#include <string>

#include "orchestrator/launch/launcher.h"
#include "proto/result.h"

namespace railgauge {

// Where a command wants a folder (it has files, or says "@DIR@" somewhere), makes one with mode 0700 under
// command.scratch, writes the files and puts its path in place of every "@DIR@" in arguments and environment.
// Returns the path, "" where none is wanted. scratch "": TMPDIR, or /tmp where TMPDIR is unset or too long
// for the sockets that MPI puts there (108 bytes). Errors (environment): cannot write; then nothing is left.
Result<std::string> make_private_folder(Command& command);

// Best effort: what cannot be removed stays.
void remove_private_folder(const std::string& path);

}  // namespace railgauge
