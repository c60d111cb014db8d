// What a run can meet is a Result; what only a bug can cause is a CHECK that aborts.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace railgauge {

// Who has to act. It decides the exit code: `input` and `environment` are 2 (nothing was measured).
enum class ErrorKind {
  input,        // plan, site file, host file, run directory or command line is wrong
  environment,  // this machine or allocation cannot do it (missing program, permission, disk full)
  deadline,     // an answer did not come in time
  peer,         // another process or node failed or broke the protocol
};

// message: where, what, and what to do, in one line without a final full stop or newline.
struct Error {
  ErrorKind kind = ErrorKind::environment;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return tl::make_unexpected(Error{kind, std::move(message)});
}

[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace railgauge

// Aborts with place and condition. Never for what an operator or a network can cause.
#define RG_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::railgauge::check_failed(__FILE__, __LINE__, #condition))
