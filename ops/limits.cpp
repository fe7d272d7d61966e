#include "ops/limits.h"

#include <fmt/format.h>

#include "ops/rules.h"

namespace frit {

std::int64_t checked_elements(const std::vector<std::int64_t>& dims) {
  bool empty = false;
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || dim > kMaxExtent) return -1;
    if (dim == 0) {
      empty = true;
    } else if (product > kMaxElements / dim) {
      return -1;
    } else {
      product *= dim;
    }
  }
  return empty ? 0 : product;
}

Status check_size(const OpInstance& op, const std::vector<std::int64_t>& dims) {
  if (checked_elements(dims) >= 0) return {};
  return fail("onnx-shape",
              fmt::format("{}: its output would be {} but a tensor may hold at most {} elements; "
                          "check the attributes or pass a smaller --shape",
                          label(op), dims_text(dims), kMaxElements));
}

Status check_constant_shape(const OpInstance& op, std::size_t i, const std::string& name) {
  for (const Extent& extent : op.input(i).shape) {
    if (extent.is_constant()) continue;
    return fail("onnx-shape", fmt::format("{}: {} is {} but its extent '{}' must be known when "
                                          "building; pin it with --shape",
                                          label(op), name, to_text(op.input(i)), extent.symbol));
  }
  return {};
}

}  // namespace frit
