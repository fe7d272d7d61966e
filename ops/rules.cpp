#include "ops/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace frit {
namespace {

// Ordered so that each set below is a run of it.
constexpr std::array<DType, 13> kTypes = {
    DType::kU8,  DType::kU16, DType::kU32,  DType::kU64, DType::kI8,  DType::kI16, DType::kI32,
    DType::kI64, DType::kF16, DType::kBF16, DType::kF32, DType::kF64, DType::kBool};
constexpr std::size_t kFirstSigned = 4, kFirstFloat = 8, kBoolAt = 12;

std::string names_of(std::span<const DType> types) {
  std::vector<std::string_view> names;
  for (const DType type : types) names.push_back(name_of(type));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string shape_text(const TensorType& type) {
  const std::string text = to_text(type);
  return text.substr(text.find('['));
}

}  // namespace

std::string label(const OpInstance& op) {
  return op.name.empty() ? op.type : fmt::format("{} '{}'", op.type, op.name);
}

Status check_inputs(const OpInstance& op, std::size_t least, std::size_t most) {
  const std::size_t count = op.inputs.size();
  if (count < least || count > most) {
    const std::string wanted =
        least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
    return fail("onnx-type",
                fmt::format("{} has {} inputs but takes {}; the model is not valid ONNX", label(op),
                            count, wanted));
  }
  for (std::size_t i = 0; i < least; ++i) {
    if (op.has_input(i)) continue;
    return fail("onnx-type", fmt::format("{} leaves input {} out but it is not optional; the model "
                                         "is not valid ONNX",
                                         label(op), i));
  }
  return {};
}

Status check_dtype(const OpInstance& op, std::size_t i, const std::string& name,
                   std::span<const DType> allowed) {
  const DType dtype = op.input(i).dtype;
  if (std::find(allowed.begin(), allowed.end(), dtype) != allowed.end()) return {};
  return fail("onnx-type", fmt::format("{}: {} is {} but must be one of {}; put a Cast before it",
                                       label(op), name, name_of(dtype), names_of(allowed)));
}

Status check_same_dtype(const OpInstance& op, std::size_t i, std::size_t j) {
  const DType a = op.input(i).dtype, b = op.input(j).dtype;
  if (a == b) return {};
  return fail("onnx-type",
              fmt::format("{}: input {} is {} but input {} is {}; put a Cast before one of them",
                          label(op), i, name_of(a), j, name_of(b)));
}

Result<std::vector<Extent>> broadcast_inputs(const OpInstance& op,
                                             std::span<const std::size_t> inputs) {
  std::vector<Extent> result;
  std::vector<std::size_t> source;  // the input that gave each extent of the result
  for (const std::size_t i : inputs) {
    const std::vector<Extent>& shape = op.input(i).shape;
    if (shape.size() > result.size()) {
      source.insert(source.begin(), shape.size() - result.size(), i);
      result.insert(result.begin(), shape.size() - result.size(), Extent(1));
    }
    const std::size_t skipped = result.size() - shape.size();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const std::size_t at = skipped + axis;
      if (shape[axis] == Extent(1)) continue;
      if (result[at] == Extent(1)) {
        result[at] = shape[axis];
        source[at] = i;
      } else if (shape[axis] != result[at]) {
        const std::size_t j = source[at];
        return fail(
            "onnx-shape",
            fmt::format("{}: input {} is {} and input {} is {}, which do not broadcast at "
                        "axis {} of the result; check the model or pass --shape",
                        label(op), j, shape_text(op.input(j)), i, shape_text(op.input(i)), at));
      }
    }
  }
  return result;
}

Result<std::vector<std::int64_t>> normal_axes(const OpInstance& op,
                                              const std::vector<std::int64_t>& axes, int rank) {
  std::vector<std::int64_t> normal;
  for (const std::int64_t axis : axes) {
    const std::optional<int> at = normal_axis(axis, rank);
    if (!at) {
      return fail("onnx-attribute",
                  fmt::format("{}: axis {} is outside its input of rank {}; axes run from {} to {}",
                              label(op), axis, rank, -rank, rank - 1));
    }
    normal.push_back(*at);
  }
  std::sort(normal.begin(), normal.end());
  const auto twice = std::adjacent_find(normal.begin(), normal.end());
  if (twice != normal.end()) {
    return fail("onnx-attribute",
                fmt::format("{}: axis {} is named twice in axes {}; name each axis once", label(op),
                            *twice, dims_text(axes)));
  }
  return normal;
}

Result<const Tensor*> constant_input(const OpInstance& op, std::size_t i, const std::string& name) {
  if (!op.has_input(i)) return nullptr;
  const Tensor* value = op.constant(i);
  if (value) return value;
  return fail("onnx-not-constant",
              fmt::format("{}: input {} ({}) is computed at run time but must be known when "
                          "building; pin it with --const or make it an initializer",
                          label(op), i, name));
}

Result<const Tensor*> integer_input(const OpInstance& op, std::size_t i, const std::string& name) {
  auto value = constant_input(op, i, name);
  if (!value || *value == nullptr || !is_float((*value)->dtype())) return value;
  return fail("onnx-type",
              fmt::format("{}: input {} ({}) is {} but must hold integers; correct the model",
                          label(op), i, name, to_text((*value)->type())));
}

std::span<const DType> float_types() {
  return std::span(kTypes).subspan(kFirstFloat, kBoolAt - kFirstFloat);
}
std::span<const DType> numeric_types() { return std::span(kTypes).first(kBoolAt); }
std::span<const DType> integer_types() { return std::span(kTypes).first(kFirstFloat); }
std::span<const DType> signed_types() {
  return std::span(kTypes).subspan(kFirstSigned, kBoolAt - kFirstSigned);
}
std::span<const DType> all_types() { return kTypes; }

}  // namespace frit
