// FRIT_ASSERT(cond, "what is broken"): a bug in frit, never bad input. On in release builds.
#pragma once

#include <stdexcept>
#include <string>

namespace frit {

/// Thrown by FRIT_ASSERT; apps/ turns it into exit code 70 and a crash bundle.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void assertion_failed(const char* condition, const std::string& broken,
                                   const char* file, int line);

}  // namespace frit

#define FRIT_ASSERT(cond, broken)                                   \
  do {                                                              \
    if (!(cond)) {                                                  \
      ::frit::assertion_failed(#cond, (broken), __FILE__, __LINE__); \
    }                                                               \
  } while (false)
