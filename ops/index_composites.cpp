// Operators of indices that others define: ArrayFeatureExtractor, Binarizer, CenterCropPad,
// Compress, EyeLike, OneHot.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ops/indices.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr const char* kMl = "ai.onnx.ml";

/// Selects along the last axis. Of a rank 1 input, the result is [1,n].
class ArrayFeatureExtractor final : public Composite {
 public:
  std::string_view type() const override { return "ArrayFeatureExtractor"; }
  std::string_view formula() const override { return "out[a,j] = x[a, indices[j]]"; }
  std::string_view domain() const override { return kMl; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "its input", numeric_types()));
    FRIT_TRY(check_dtype(op, 1, "its indices", index_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    FRIT_TRY(check_constant_shape(op, 1, "its indices"));
    Ints dims = op.input(0).dims();
    if (dims.empty() || (dims.back() == 0 && op.input(1).elements() > 0)) {
      return fail("onnx-shape", fmt::format("{}: its input is {} and has no last axis to pick {} "
                                            "from; correct the model",
                                            label(op), to_text(op.input(0)), to_text(op.input(1))));
    }
    FRIT_TRY(check_known_indices(op, 1, dims.size() - 1));
    dims.back() = op.input(1).elements();
    if (dims.size() == 1) dims.insert(dims.begin(), 1);
    FRIT_TRY(check_size(op, dims));
    return std::vector{TensorType(op.input(0).dtype, dims)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref flat = to.node("Reshape", {to.input(1), to.ints({op.input(1).elements()})});
    const Ref picked = to.node("Gather", {to.input(0), flat}, {{"axis", std::int64_t{-1}}});
    const bool vector = op.input(0).rank() == 1;
    to.output(0, vector ? to.node("Unsqueeze", {picked, to.ints({0})}) : picked);
    return to.status();
  }
};

/// 1 where x > threshold, else 0. Compared in double: exact for all but the largest int64.
class Binarizer final : public Composite {
 public:
  std::string_view type() const override { return "Binarizer"; }
  std::string_view formula() const override { return "out[i] = x[i] > threshold ? 1 : 0"; }
  std::string_view domain() const override { return kMl; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"threshold", AttributeKind::kFloat}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", numeric_types()));
    return std::vector{op.input(0)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const auto threshold = static_cast<double>(float_attribute(op.attributes, "threshold", 0.0F));
    const DType dtype = op.input(0).dtype;
    const auto as = [&](Ref ref, DType type) {
      return to.node("Cast", {ref}, {{"to", std::int64_t{onnx_number(type)}}});
    };
    const bool plain = dtype == DType::kF32 || dtype == DType::kF64;
    const Ref x = plain ? to.input(0) : as(to.input(0), DType::kF64);
    to.output(0, as(to.node("Greater", {x, to.scalar(to.type(x).dtype, threshold)}), dtype));
    return to.status();
  }
};

/// Crops or pads each named axis about its middle: one Pad with pads of either sign.
class CenterCropPad final : public Composite {
 public:
  std::string_view type() const override { return "CenterCropPad"; }
  std::string_view formula() const override {
    return "out[i] = x[i - trunc((shape - extent) / 2)] on each axis of axes, 0 outside x";
  }
  int first_opset() const override { return 18; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axes", AttributeKind::kInts}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    auto dims = target(op);
    if (!dims) return fail(std::move(dims).error());
    return std::vector{TensorType(op.input(0).dtype, *dims)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ints from = op.input(0).dims(), dims = *target(op);
    Ints pads(2 * dims.size(), 0);
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      const std::int64_t more = dims[axis] - from[axis];
      const std::int64_t half = std::abs(more) / 2;
      pads[axis] = more < 0 ? -half : half;
      pads[dims.size() + axis] = more - pads[axis];
    }
    to.output(0, to.node("Pad", {to.input(0), to.ints(pads)}));
    return to.status();
  }

 private:
  static Result<Ints> target(const OpInstance& op) {
    const auto shape = integer_input(op, 1, "shape");
    if (!shape) return fail(shape.error());
    Ints dims = op.input(0).dims(), all(dims.size());
    std::iota(all.begin(), all.end(), 0);
    const Ints axes = ints_attribute(op.attributes, "axes", all), wanted = (*shape)->to_ints();
    FRIT_TRY(normal_axes(op, axes, op.input(0).rank()).map([](const auto&) {}));
    if (wanted.size() != axes.size()) {
      return fail("onnx-shape", fmt::format("{}: shape is {} but axes are {}; give one extent for "
                                            "each axis",
                                            label(op), dims_text(wanted), dims_text(axes)));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      dims[static_cast<std::size_t>(*normal_axis(axes[i], op.input(0).rank()))] = wanted[i];
    }
    FRIT_TRY(check_size(op, dims));
    return dims;
  }
};

/// The slices where a condition known at build is true: a Gather. Without axis: of the flat input.
class Compress final : public Composite {
 public:
  std::string_view type() const override { return "Compress"; }
  std::string_view formula() const override {
    return "out[a,j,b] = x[a, p[j], b], p[j] the j-th true of condition, along axis (flat x "
           "without axis)";
  }
  int first_opset() const override { return 9; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    auto picked = picks(op);
    if (!picked) return fail(std::move(picked).error());
    const auto count = static_cast<std::int64_t>(picked->size());
    Ints dims = {count};
    if (has_axis(op)) {
      dims = op.input(0).dims();
      dims[*axis_attribute(op, 0)] = count;
    }
    return std::vector{TensorType(op.input(0).dtype, dims)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const bool whole = !has_axis(op);
    const Ref x =
        whole ? to.node("Reshape", {to.input(0), to.ints({op.input(0).elements()})}) : to.input(0);
    const std::int64_t axis = whole ? 0 : int_attribute(op.attributes, "axis", 0);
    to.output(0, to.node("Gather", {x, to.ints(*picks(op))}, {{"axis", axis}}));
    return to.status();
  }

 private:
  static bool has_axis(const OpInstance& op) { return has_attribute(op.attributes, "axis"); }
  /// Positions of the true elements of the condition, which may be shorter than the axis.
  static Result<Ints> picks(const OpInstance& op) {
    std::int64_t extent = op.input(0).elements();
    if (has_axis(op)) {
      const auto axis = axis_attribute(op, 0);
      if (!axis) return fail(axis.error());
      extent = op.input(0).dims()[*axis];
    }
    const auto condition = integer_input(op, 1, "condition");
    if (!condition) return fail(condition.error());
    const Ints values = (*condition)->to_ints();
    Ints picked;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != 0) picked.push_back(static_cast<std::int64_t>(i));
    }
    if (picked.empty() || picked.back() < extent) return picked;
    return fail("onnx-shape",
                fmt::format("{}: its condition picks element {} of an axis of {} elements of its "
                            "input {}; correct the condition",
                            label(op), picked.back(), extent, to_text(op.input(0))));
  }
};

/// Ones on diagonal k of a matrix of the input's extents: what is left of ones by two Trilu.
class EyeLike final : public Composite {
 public:
  std::string_view type() const override { return "EyeLike"; }
  std::string_view formula() const override { return "out[i,j] = j - i == k ? 1 : 0"; }
  int first_opset() const override { return 9; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"dtype", AttributeKind::kInt}, {"k", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    const auto dtype = result_type(op);
    if (op.input(0).rank() != 2 || !dtype) {
      return fail(
          "onnx-type",
          fmt::format("{}: its input is {} and dtype {}; it makes matrices of float, integer "
                      "or bool types from inputs of two axes",
                      label(op), to_text(op.input(0)), int_attribute(op.attributes, "dtype", 0)));
    }
    return std::vector{TensorType(*dtype, op.input(0).dims())};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Tensor one = *to.known(to.scalar(*result_type(op), 1.0));
    const Ref k = to.constant(Tensor::i64({}, {int_attribute(op.attributes, "k", 0)}));
    Ref ones = to.node("ConstantOfShape", {to.ints(op.input(0).dims())}, {{"value", one}});
    for (const std::int64_t upper : {1, 0}) ones = to.node("Trilu", {ones, k}, {{"upper", upper}});
    to.output(0, ones);
    return to.status();
  }

 private:
  static std::optional<DType> result_type(const OpInstance& op) {
    if (!has_attribute(op.attributes, "dtype")) return op.input(0).dtype;
    return dtype_of_onnx(int_attribute(op.attributes, "dtype", 0));
  }
};

/// on where the index is the position along a new axis, else off. Indices out of range: all off.
class OneHot final : public Composite {
 public:
  std::string_view type() const override { return "OneHot"; }
  std::string_view formula() const override {
    return "out[a,i,b] = i == indices[a,b] ? on : off, i a new axis of extent depth\n"
           "negative indices count from its end";
  }
  int first_opset() const override { return 9; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 3, 3));
    FRIT_TRY(check_dtype(op, 0, "its indices", numeric_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its indices"));
    const auto depth = constant_input(op, 1, "depth");
    if (!depth) return fail(depth.error());
    const std::int64_t stated = int_attribute(op.attributes, "axis", -1);
    const std::optional<int> axis = normal_axis(stated, op.input(0).rank() + 1);
    if (!axis || (*depth)->elements() != 1 || op.input(2).dims() != Ints{2}) {
      return fail("onnx-shape",
                  fmt::format("{}: axis is {}, its indices {}, depth {} and values {}; it takes an "
                              "axis of the result, one depth, and values [off, on]",
                              label(op), stated, to_text(op.input(0)), to_text(op.input(1)),
                              to_text(op.input(2))));
    }
    Ints dims = op.input(0).dims();
    dims.insert(dims.begin() + *axis, (*depth)->to_ints()[0]);
    FRIT_TRY(check_size(op, dims));
    return std::vector{TensorType(op.input(2).dtype, dims)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ints dims = op.outputs.at(0).dims();
    const int axis = *normal_axis(int_attribute(op.attributes, "axis", -1), op.outputs[0].rank());
    const std::int64_t depth = dims[static_cast<std::size_t>(axis)];
    Ref index = to.input(0);
    if (to.type(index).dtype != DType::kI64) {
      index = to.node("Cast", {index}, {{"to", std::int64_t{onnx_number(DType::kI64)}}});
    }
    index = to.node("Unsqueeze", {index, to.ints({axis})});
    const auto is_at = [&](std::int64_t first) {
      Ints extents(dims.size() - static_cast<std::size_t>(axis), 1),
          positions(static_cast<std::size_t>(depth));
      extents[0] = depth;
      std::iota(positions.begin(), positions.end(), first);
      return to.node("Equal", {index, to.constant(Tensor::i64(extents, positions))});
    };
    Ref hot = is_at(0);
    if (op.opset >= 11) hot = to.node("Or", {hot, is_at(-depth)});
    const auto value = [&](std::int64_t i) {
      return to.node("Gather", {to.input(2), to.constant(Tensor::i64({}, {i}))});
    };
    to.output(0, to.node("Where", {hot, value(1), value(0)}));
    return to.status();
  }
};

}  // namespace

void add_index_composites(std::vector<const Operator*>& all) {
  all.push_back(new ArrayFeatureExtractor);
  all.push_back(new Binarizer);
  all.push_back(new CenterCropPad);
  all.push_back(new Compress);
  all.push_back(new EyeLike);
  all.push_back(new OneHot);
}

}  // namespace frit
