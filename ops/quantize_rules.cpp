#include "ops/quantize_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/quantize.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

enum class Granularity : std::uint8_t { kOne, kAxis, kBlocks };

std::int64_t block_size_of(const OpInstance& op) {
  return int_attribute(op.attributes, "block_size", 0);
}

// Of a rank 1 input, the only axis: the default, 1, is outside of it.
std::optional<int> axis_of(const OpInstance& op) {
  const int rank = op.input(0).rank();
  if (rank == 1) return 0;
  return normal_axis(int_attribute(op.attributes, "axis", 1), rank);
}

Granularity granularity_of(const OpInstance& op) {
  if (block_size_of(op) > 0) return Granularity::kBlocks;
  return op.input(1).elements() == 1 && op.input(1).rank() <= 1 ? Granularity::kOne
                                                                : Granularity::kAxis;
}

Ints wanted_dims(const OpInstance& op, std::size_t axis) {
  Ints dims = op.input(0).dims();
  if (granularity_of(op) == Granularity::kAxis) return {dims[axis]};
  const std::int64_t block = block_size_of(op);
  dims[axis] = (dims[axis] + block - 1) / block;
  return dims;
}

Result<DType> float_type(const OpInstance& op, const char* name) {
  static constexpr std::array kFloats = {DType::kF32, DType::kF16, DType::kBF16};
  const std::int64_t number = int_attribute(op.attributes, name, 0);
  for (const DType dtype : kFloats) {
    if (onnx_number(dtype) == number) return dtype;
  }
  return fail("onnx-attribute",
              fmt::format("{}: {} is {} but must be 1, 10 or 16: f32, f16 or bf16; correct the "
                          "attribute",
                          label(op), name, number));
}

}  // namespace

std::span<const DType> quantized_types() {
  static constexpr std::array kTypes = {
      DType::kU8,     DType::kI8,         DType::kU16,    DType::kI16,      DType::kU4,
      DType::kI4,     DType::kU2,         DType::kI2,     DType::kF8E4M3FN, DType::kF8E4M3FNUZ,
      DType::kF8E5M2, DType::kF8E5M2FNUZ, DType::kF4E2M1, DType::kF6E2M3,   DType::kF6E3M2};
  return kTypes;
}

std::pair<std::int64_t, std::int64_t> integer_range(DType dtype) {
  const int bits = packed_bits(dtype);
  const bool is_signed = dtype == DType::kI8 || dtype == DType::kI16 || dtype == DType::kI4 ||
                         dtype == DType::kI2 || dtype == DType::kI32;
  const std::int64_t count = std::int64_t{1} << bits;
  return is_signed ? std::pair{-count / 2, count / 2 - 1} : std::pair{std::int64_t{0}, count - 1};
}

Result<DType> quantized_type(const OpInstance& op) {
  const std::int64_t stated = int_attribute(op.attributes, "output_dtype", 0);
  const std::optional<DType> named =
      stated == 0 ? std::optional(DType::kU8) : dtype_of_onnx(stated);
  if (op.has_input(2)) {
    FRIT_TRY(check_dtype(op, 2, "its zero point", quantized_types()));
    const DType dtype = op.input(2).dtype;
    if (stated == 0 || named == dtype) return dtype;
    return fail("onnx-attribute",
                fmt::format("{}: output_dtype is {} but its zero point is {}; leave output_dtype "
                            "out",
                            label(op), stated, name_of(dtype)));
  }
  const auto types = quantized_types();
  if (named && std::find(types.begin(), types.end(), *named) != types.end()) return *named;
  return fail("onnx-attribute",
              fmt::format("{}: output_dtype is {}, which names no type that values are quantised "
                          "to; correct the attribute",
                          label(op), stated));
}

Result<DType> dequantized_type(const OpInstance& op) {
  if (int_attribute(op.attributes, "output_dtype", 0) != 0) return float_type(op, "output_dtype");
  const DType scale = op.input(1).dtype;
  return scale == DType::kF8E8M0 ? DType::kF32 : scale;
}

Result<DType> precision_of(const OpInstance& op) {
  if (int_attribute(op.attributes, "precision", 0) != 0) return float_type(op, "precision");
  const DType scale = op.input(1).dtype;
  if (scale == DType::kI32) return DType::kF64;
  return scale == DType::kF8E8M0 ? DType::kF32 : scale;
}

Status check_granularity(const OpInstance& op) {
  const TensorType& scale = op.input(1);
  const auto is_one = [](const TensorType& type) {
    return type.elements() == 1 && type.rank() <= 1;
  };
  const bool alike = !op.has_input(2) || op.input(2).dims() == scale.dims() ||
                     (is_one(scale) && is_one(op.input(2)));
  if (!alike) {
    return fail("onnx-shape",
                fmt::format("{}: its scale is {} but its zero point {}; both need one shape",
                            label(op), to_text(scale), to_text(op.input(2))));
  }
  if (block_size_of(op) < 0) {
    return fail("onnx-attribute", fmt::format("{}: block_size is {} but must be positive, or 0 for "
                                              "no blocks; correct the attribute",
                                              label(op), block_size_of(op)));
  }
  if (granularity_of(op) == Granularity::kOne) return {};
  const std::optional<int> axis = axis_of(op);
  if (!axis) {
    const int rank = op.input(0).rank();
    return fail(
        "onnx-attribute",
        fmt::format("{}: axis {} is outside its input of rank {}; axes run from {} to {}",
                    label(op), int_attribute(op.attributes, "axis", 1), rank, -rank, rank - 1));
  }
  const Ints wanted = wanted_dims(op, static_cast<std::size_t>(*axis));
  if (scale.dims() == wanted) return {};
  return fail(
      "onnx-shape",
      fmt::format("{}: its scale is {} but for axis {} of {}{} it must have one element or "
                  "be {}; correct the model",
                  label(op), to_text(scale), *axis, to_text(op.input(0)),
                  block_size_of(op) == 0 ? "" : fmt::format(" in blocks of {}", block_size_of(op)),
                  dims_text(wanted)));
}

Ref spread(const OpInstance& op, Expansion& to, Ref parameter) {
  if (!parameter) return parameter;
  const Granularity granularity = granularity_of(op);
  if (granularity == Granularity::kOne) return with_dims(to, parameter, {});
  const auto axis = static_cast<std::size_t>(*axis_of(op));
  const Ints x = op.input(0).dims();
  if (granularity == Granularity::kAxis) {
    Ints dims(x.size(), 1);
    dims[axis] = x[axis];
    return with_dims(to, parameter, dims);
  }
  // each element block_size times along the axis, the last ones cut
  const std::int64_t block = block_size_of(op);
  Ints dims = to.dims(parameter);
  if (block == 1) return parameter;
  if (dims[axis] == 1) return parameter;  // one block: it broadcasts
  const auto after = dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1;
  Ints apart = dims, repeated = dims, joined = dims;
  apart.insert(apart.begin() + (after - dims.begin()), 1);
  repeated.insert(repeated.begin() + (after - dims.begin()), block);
  joined[axis] *= block;
  Ref ref = to.node("Expand", {with_dims(to, parameter, apart), to.ints(repeated)});
  ref = with_dims(to, ref, joined);
  if (joined[axis] == x[axis]) return ref;
  const auto at = static_cast<std::int64_t>(axis);
  return to.node("Slice", {ref, to.ints({0}), to.ints({x[axis]}), to.ints({at})});
}

}  // namespace frit
