#include "ops/indices.h"

#include <fmt/format.h>

#include <array>

#include "ops/halide_type.h"
#include "ops/rules.h"

namespace frit {

using Halide::Expr;

std::span<const DType> index_types() {
  static constexpr std::array kTypes = {DType::kI32, DType::kI64};
  return kTypes;
}

Expr position_in(const Expr& index, std::int64_t dim) {
  const Halide::Type type = index.type();
  const Expr extent = constant_of(type, dim);
  const Expr positive = Halide::select(index < 0, index + extent, index);
  return Halide::cast<int>(Halide::clamp(positive, constant_of(type, std::int64_t{0}), extent - 1));
}

Status check_known_indices(const OpInstance& op, std::size_t i, std::size_t axis,
                           std::size_t tuple) {
  const Tensor* known = op.constant(i);
  if (known == nullptr) return {};
  const std::vector<std::int64_t> dims = op.input(0).dims(), values = known->to_ints();
  for (std::size_t at = 0; at < values.size(); ++at) {
    const std::size_t of = axis + at % tuple;
    if (values[at] >= -dims[of] && values[at] < dims[of]) continue;
    return fail("onnx-shape",
                fmt::format("{}: index {} is outside axis {} of its input {}; correct "
                            "the indices",
                            label(op), values[at], of, to_text(op.input(0))));
  }
  return {};
}

Result<std::size_t> axis_attribute(const OpInstance& op, std::int64_t otherwise) {
  const std::int64_t stated = int_attribute(op.attributes, "axis", otherwise);
  const std::optional<int> axis = normal_axis(stated, op.input(0).rank());
  if (axis) return static_cast<std::size_t>(*axis);
  return fail("onnx-attribute", fmt::format("{}: axis is {} but its input is {}; correct the "
                                            "attribute",
                                            label(op), stated, to_text(op.input(0))));
}

}  // namespace frit
