#include "ops/broadcast.h"

#include "ops/base/assert.h"

namespace frit {

Halide::Expr read_broadcast(const Operand& operand, const Index& index,
                            const std::vector<std::int64_t>& dims) {
  const std::vector<std::int64_t> own = operand.type.dims();
  FRIT_ASSERT(own.size() <= index.size() && index.size() == dims.size(),
              "an operand of higher rank than the result");
  const std::size_t skipped = index.size() - own.size();
  Index at(own.size());
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    const bool stretched = own[axis] == 1 && dims[skipped + axis] != 1;
    at[axis] = stretched ? Halide::Expr(0) : index[skipped + axis];
  }
  return operand.at(at);
}

}  // namespace frit
