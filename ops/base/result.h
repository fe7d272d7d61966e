// Result<T>: a T, or the Diagnostic that says why there is none.
#pragma once

#include <tl/expected.hpp>
#include <vector>

#include "ops/base/diagnostic.h"

namespace frit {

template <class T>
using Result = tl::expected<T, Diagnostic>;

/// Success or a Diagnostic.
using Status = tl::expected<void, Diagnostic>;

/// For work that reports every fault at once (import, schedule parsing).
using Diagnostics = std::vector<Diagnostic>;

/// return fail("code", "message");
inline tl::unexpected<Diagnostic> fail(std::string code, std::string message) {
  return tl::unexpected<Diagnostic>(error(std::move(code), std::move(message)));
}
inline tl::unexpected<Diagnostic> fail(Diagnostic diagnostic) {
  return tl::unexpected<Diagnostic>(std::move(diagnostic));
}

}  // namespace frit

/// Returns the error of `expr` from the enclosing function, if it has one.
#define FRIT_TRY(expr)                                                       \
  do {                                                                       \
    if (auto frit_status_ = (expr); !frit_status_) {                         \
      return tl::unexpected<::frit::Diagnostic>(std::move(frit_status_).error()); \
    }                                                                        \
  } while (false)
