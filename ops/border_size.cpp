#include "ops/border_size.h"

#include <fmt/format.h>

#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {

Status check_border_sizes(const Operator& rule, const OpInstance& op) {
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.has_input(i)) continue;
    const Operator::Reach reach = rule.reach(op, i);
    std::vector<std::int64_t> dims = op.input(i).dims();
    for (std::size_t axis = 0; axis < dims.size() && axis < reach.low.size(); ++axis) {
      dims[axis] += reach.low[axis] + reach.high[axis];
    }
    if (checked_elements(dims) >= 0) continue;
    const std::string border =
        dims == op.input(i).dims() ? "" : " and with the border that it reads " + dims_text(dims);
    return fail("onnx-too-large",
                fmt::format("{}: its input {} is {}{}, but a "
                            "tensor may hold at most {} elements; correct the attributes or pass a "
                            "smaller --shape",
                            label(op), i, to_text(op.input(i)), border, kMaxElements));
  }
  return {};
}

}  // namespace frit
