#include "ops/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

class ShapeOperator : public Operator {
 public:
  OpKind kind(const OpInstance&) const override { return OpKind::kShape; }
  void build(const OpInstance& op, const std::vector<Operand>&, StageBuilder&) const override {
    FRIT_ASSERT(false, label(op) + " was not folded before building");
  }
  Counts counts(const OpInstance&) const override { return {}; }
};

class Shape final : public ShapeOperator {
 public:
  std::string_view type() const override { return "Shape"; }
  std::string_view formula() const override {
    return "out[a] = extent of axis start + a of x, up to end; start and end from opset 15";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"end", kInt}, {"start", kInt}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    const std::int64_t rank = op.input(0).rank();
    const auto bounded = [&](std::int64_t axis) {
      return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
    };
    const std::int64_t start = bounded(int_attribute(op.attributes, "start", 0));
    const std::int64_t end = bounded(int_attribute(op.attributes, "end", rank));
    return std::vector{TensorType(DType::kI64, {std::max<std::int64_t>(0, end - start)})};
  }
};

class Size final : public ShapeOperator {
 public:
  std::string_view type() const override { return "Size"; }
  std::string_view formula() const override { return "out = number of elements of x"; }
  const Attributes& attributes() const override { return no_attributes(); }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    return std::vector{TensorType(DType::kI64, Ints{})};
  }
};

class Constant final : public ShapeOperator {
 public:
  std::string_view type() const override { return "Constant"; }
  std::string_view formula() const override {
    return "out = the one of value, value_float, value_floats, value_int, value_ints that is given";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"value", kTensor},
                                   {"value_float", kFloat},
                                   {"value_floats", kFloats},
                                   {"value_int", kInt},
                                   {"value_ints", kInts}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 0, 0));
    for (const auto& [name, attribute] : op.attributes) {
      if (const auto* tensor = std::get_if<Tensor>(&attribute); tensor && name == "value") {
        return std::vector{tensor->type()};
      }
      if (const auto* ints = std::get_if<Ints>(&attribute); ints && name == "value_ints") {
        return std::vector{TensorType(DType::kI64, {static_cast<std::int64_t>(ints->size())})};
      }
      if (const auto* floats = std::get_if<std::vector<float>>(&attribute);
          floats && name == "value_floats") {
        return std::vector{TensorType(DType::kF32, {static_cast<std::int64_t>(floats->size())})};
      }
      if (std::holds_alternative<std::int64_t>(attribute) && name == "value_int") {
        return std::vector{TensorType(DType::kI64, Ints{})};
      }
      if (std::holds_alternative<float>(attribute) && name == "value_float") {
        return std::vector{TensorType(DType::kF32, Ints{})};
      }
    }
    return fail("onnx-attribute", fmt::format("{}: it needs one of value, value_int, value_ints, "
                                              "value_float, value_floats but has none; strings and "
                                              "sparse tensors are not supported",
                                              label(op)));
  }
};

class ConstantOfShape final : public ShapeOperator {
 public:
  std::string_view type() const override { return "ConstantOfShape"; }
  std::string_view formula() const override {
    return "out[i] = value, 0 of float32 where it is not given; extents from the input";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"value", kTensor}};
    return all;
  }
  int first_opset() const override { return 9; }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its shape", integer_types()));
    auto shape = constant_input(op, 0, "shape");
    if (!shape) return fail(std::move(shape).error());
    const Ints dims = (*shape)->to_ints();
    FRIT_TRY(check_size(op, dims));
    DType dtype = DType::kF32;
    if (const auto value = op.attributes.find("value"); value != op.attributes.end()) {
      const auto* tensor = std::get_if<Tensor>(&value->second);
      if (!tensor || tensor->elements() != 1) {
        return fail("onnx-attribute",
                    fmt::format("{}: value is {} but must be a tensor of one element; "
                                "correct the attribute",
                                label(op), to_text(value->second)));
      }
      dtype = tensor->dtype();
    }
    return std::vector{TensorType(dtype, dims)};
  }
};

class Range final : public ShapeOperator {
 public:
  std::string_view type() const override { return "Range"; }
  std::string_view formula() const override {
    return "out[i] = start + i * delta, max(ceil((limit - start) / delta), 0) of them";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"stash_type", kInt}};
    return all;
  }
  int first_opset() const override { return 11; }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 3, 3));
    FRIT_TRY(check_dtype(op, 0, "start", numeric_types()));
    std::array<double, 3> values{};
    const char* names[] = {"start", "limit", "delta"};
    for (std::size_t i = 0; i < 3; ++i) {
      FRIT_TRY(check_same_dtype(op, 0, i));
      auto value = constant_input(op, i, names[i]);
      if (!value) return fail(std::move(value).error());
      if ((*value)->elements() != 1) {
        return fail("onnx-shape",
                    fmt::format("{}: {} is {} but must be one number; correct the model", label(op),
                                names[i], to_text((*value)->type())));
      }
      values[i] = (*value)->to_doubles()[0];
    }
    const double count = std::ceil((values[1] - values[0]) / values[2]);
    if (!(count < static_cast<double>(kMaxExtent))) {  // also where delta is 0
      return fail("onnx-shape",
                  fmt::format("{}: from {} to {} by {} has no end, or more than {} elements; "
                              "correct the model",
                              label(op), values[0], values[1], values[2], kMaxExtent));
    }
    const auto elements = static_cast<std::int64_t>(std::max(0.0, count));
    return std::vector{TensorType(op.input(0).dtype, {elements})};
  }
};

}  // namespace

void add_shape(std::vector<const Operator*>& all) {
  static const Constant constant;
  static const ConstantOfShape constant_of_shape;
  static const Range range;
  static const Shape shape;
  static const Size size;
  all.insert(all.end(), {&constant, &constant_of_shape, &range, &shape, &size});
}

}  // namespace frit
