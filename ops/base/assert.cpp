#include "ops/base/assert.h"

#include <fmt/format.h>

namespace frit {

void assertion_failed(const char* condition, const std::string& broken, const char* file,
                      int line) {
  throw InternalError(fmt::format("{}:{}: {} ({})", file, line, broken, condition));
}

}  // namespace frit
