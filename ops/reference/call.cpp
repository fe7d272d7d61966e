#include "ops/reference/call.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/base/small_float.h"

namespace frit::ref {

tl::unexpected<Diagnostic> Call::refuse(const std::string& why) const {
  return fail("ref-unsupported", fmt::format("node `{}` ({}): {}", op.name, op.type, why));
}

std::int64_t Call::attr(const char* name, std::int64_t otherwise) const {
  return int_attribute(op.attributes, name, otherwise);
}
float Call::attr(const char* name, float otherwise) const {
  return float_attribute(op.attributes, name, otherwise);
}

Outputs one(RefTensor tensor) {
  std::vector<RefTensor> outputs;
  outputs.push_back(std::move(tensor));
  return outputs;
}

std::optional<std::int64_t> count_of(const Dims& dims) {
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : dims) {
    if (extent < 0 || extent > kMostElements) return std::nullopt;
    if (extent == 0) empty = true;
    if (!empty && __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
    if (!empty && count > kMostElements) return std::nullopt;
  }
  return empty ? 0 : count;
}

Result<RefTensor> make(const Call& call, DType dtype, const Dims& dims) {
  const std::optional<std::int64_t> count = count_of(dims);
  if (!count) {
    return call.refuse(fmt::format("its result {} is negative or larger than {} elements",
                                   dims_text(dims), kMostElements));
  }
  RefTensor tensor;
  tensor.dtype = dtype;
  tensor.dims = dims;
  const auto size = static_cast<std::size_t>(*count);
  if (is_float(dtype)) {
    tensor.real.assign(size, 0.0);
  } else {
    tensor.integer.assign(size, 0);
  }
  return tensor;
}

Status same_dtype(const Call& call, std::size_t a, std::size_t b) {
  const DType first = call.in(a).dtype;
  const DType second = call.in(b).dtype;
  if (first == second) return {};
  return call.refuse(
      fmt::format("input {} is {} but input {} is {}", a, name_of(first), b, name_of(second)));
}

Status need_float(const Call& call, std::size_t i) {
  if (is_float(call.in(i).dtype)) return {};
  return call.refuse(fmt::format("input {} is {}, not a float type", i, name_of(call.in(i).dtype)));
}

Status need_integer(const Call& call, std::size_t i) {
  if (!is_float(call.in(i).dtype)) return {};
  return call.refuse(
      fmt::format("input {} is {}, not an integer type", i, name_of(call.in(i).dtype)));
}

Result<Dims> ints_input(const Call& call, std::size_t i) {
  FRIT_TRY(need_integer(call, i));
  if (!call.in(i).bound.empty()) {
    return call.refuse(fmt::format("input {} depends on rounded values", i));
  }
  return call.in(i).integer;
}

Result<std::optional<Dims>> ints_parameter(const Call& call, const char* name, std::size_t i) {
  if (has_attribute(call.op.attributes, name)) {
    return std::optional<Dims>(ints_attribute(call.op.attributes, name, {}));
  }
  if (!call.has(i)) return std::optional<Dims>();
  Result<Dims> values = ints_input(call, i);
  if (!values) return tl::unexpected<Diagnostic>(std::move(values).error());
  return std::optional<Dims>(std::move(*values));
}

Status check_list(const Call& call, const char* name, const Dims& list, std::size_t length,
                  std::int64_t low) {
  if (list.size() != length) {
    return call.refuse(fmt::format("{} has {} numbers, not {}", name, list.size(), length));
  }
  for (const std::int64_t number : list) {
    if (number < low || number > kMostElements) {
      return call.refuse(fmt::format("{} {} is out of range", name, dims_text(list)));
    }
  }
  return {};
}

Result<std::size_t> axis_of(const Call& call, std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    return call.refuse(fmt::format("axis {} is outside rank {}", axis, rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

Result<std::vector<std::size_t>> axes_of(const Call& call, const Dims& axes, std::size_t rank) {
  std::vector<std::size_t> result;
  for (const std::int64_t axis : axes) {
    const Result<std::size_t> normal = axis_of(call, axis, rank);
    if (!normal) return tl::unexpected<Diagnostic>(normal.error());
    result.push_back(*normal);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Dims dense_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t axis = dims.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * std::max<std::int64_t>(dims[axis], 1);
  }
  return strides;
}

std::optional<Dims> stretched_strides(const Dims& from, const Dims& to) {
  if (from.size() > to.size()) return std::nullopt;
  const Dims own = dense_strides(from);
  Dims strides(to.size(), 0);
  const std::size_t lead = to.size() - from.size();
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] == to[lead + axis]) {
      strides[lead + axis] = own[axis];
    } else if (from[axis] != 1) {
      return std::nullopt;
    }
  }
  return strides;
}

Result<Dims> common_dims(const Call& call, const std::vector<const RefTensor*>& tensors) {
  Dims common;
  for (const RefTensor* tensor : tensors) {
    if (tensor->dims.size() > common.size()) {
      common.insert(common.begin(), tensor->dims.size() - common.size(), 1);
    }
    const std::size_t lead = common.size() - tensor->dims.size();
    for (std::size_t axis = 0; axis < tensor->dims.size(); ++axis) {
      std::int64_t& extent = common[lead + axis];
      const std::int64_t own = tensor->dims[axis];
      if (own == extent || own == 1) continue;
      if (extent != 1) {
        return call.refuse(fmt::format("{} does not broadcast with {}", dims_text(tensor->dims),
                                       dims_text(common)));
      }
      extent = own;
    }
  }
  return common;
}

std::int64_t wrapped(DType dtype, std::int64_t value) {
  switch (dtype) {
    case DType::kI8:
      return static_cast<std::int8_t>(value);
    case DType::kI16:
      return static_cast<std::int16_t>(value);
    case DType::kI32:
      return static_cast<std::int32_t>(value);
    case DType::kU8:
      return static_cast<std::uint8_t>(value);
    case DType::kU16:
      return static_cast<std::uint16_t>(value);
    case DType::kU32:
      return static_cast<std::uint32_t>(value);
    case DType::kBool:
      return value != 0 ? 1 : 0;
    case DType::kU4:
      return value & 15;
    case DType::kU2:
      return value & 3;
    case DType::kI4:
      return ((value & 15) ^ 8) - 8;
    case DType::kI2:
      return ((value & 3) ^ 2) - 2;
    default:
      return value;
  }
}

namespace {

// Round to nearest even with `digits` of precision and exponents from `lowest` (of the last place).
double rounded_to(double value, int digits, int lowest, double largest) {
  if (!std::isfinite(value) || value == 0.0) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last = std::max(exponent - digits, lowest);
  const double result = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  return std::fabs(result) > largest ? std::copysign(kUnknown, value) : result;
}

}  // namespace

double rounded(DType dtype, double value) {
  switch (dtype) {
    case DType::kF32:
      return static_cast<double>(static_cast<float>(value));
    case DType::kF16:
      return rounded_to(value, 11, -24, 65504.0);
    case DType::kBF16:
      return rounded_to(value, 8, -133, 0x1.FEp127);
    case DType::kF64:
      return value;
    default:
      return is_storage_only(dtype) ? small_float_value(dtype, small_float_code(dtype, value))
                                    : value;
  }
}

}  // namespace frit::ref
