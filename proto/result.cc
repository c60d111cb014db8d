#include "proto/result.h"

#include <cstdio>
#include <cstdlib>

namespace railgauge {

void check_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "error: %s:%d: bug: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace railgauge
