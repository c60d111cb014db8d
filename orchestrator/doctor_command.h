// `railgauge doctor`: the local checks, printed.
#pragma once

namespace railgauge {

// One line a check, with what to do. Exit code: 0 this host can run the suite, 1 it cannot, 2 it could not be
// looked at.
int doctor_command();

}  // namespace railgauge
