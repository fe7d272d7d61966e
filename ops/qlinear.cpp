// com.microsoft's operators on quantised tensors that ONNX's quantisers write: dequantise, compute
// in float32, quantise. Each quantised input or output is followed by its scale and zero point.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/quantize.h"
#include "ops/rules.h"

namespace frit {
namespace {

using enum AttributeKind;

constexpr std::array kBytes = {DType::kU8, DType::kI8};
constexpr std::array kSingle = {DType::kF32};
constexpr std::size_t kNone = 99;

/// Places of a quantised input, or of the parameters of the output: scale, then zero point.
struct Places {
  std::size_t value, scale, zero;
};

/// Refuses a quantised tensor whose types or parameters are not of one element.
Status check_quantized(const OpInstance& op, const Places& at) {
  if (at.value != kNone) {
    FRIT_TRY(check_dtype(op, at.value, fmt::format("input {}", at.value), kBytes));
  }
  FRIT_TRY(check_dtype(op, at.scale, fmt::format("input {}, a scale,", at.scale), kSingle));
  const bool has_zero = op.has_input(at.zero);
  if (has_zero && at.value != kNone) FRIT_TRY(check_same_dtype(op, at.value, at.zero));
  if (has_zero) FRIT_TRY(check_dtype(op, at.zero, "a zero point", kBytes));
  for (const std::size_t i : {at.scale, at.zero}) {
    if (!op.has_input(i) || op.input(i).elements() == 1) continue;
    return fail("onnx-shape", fmt::format("{}: input {}, a scale or zero point, is {} but must "
                                          "have one element; correct the model",
                                          label(op), i, to_text(op.input(i))));
  }
  return {};
}

/// Dequantised input.
Ref real(Expansion& to, const Places& at) {
  return dequantized(to, to.input(at.value), with_dims(to, to.input(at.scale), {}),
                     with_dims(to, to.input(at.zero), {}));
}

void quantized_output(Expansion& to, Ref value, const Places& at, DType dtype) {
  to.output(0, quantized(to, value, with_dims(to, to.input(at.scale), {}),
                         with_dims(to, to.input(at.zero), {}), dtype));
}

class Microsoft : public Composite {
 public:
  std::string_view domain() const override { return "com.microsoft"; }
};

/// QLinearAdd, QLinearMul: A, its scale, its zero point, B …, C's scale, C's zero point.
class QLinearBinary final : public Microsoft {
 public:
  QLinearBinary(std::string_view type, std::string_view formula, const char* inner)
      : type_(type), formula_(formula), inner_(inner) {}
  std::string_view type() const override { return type_; }
  std::string_view formula() const override { return formula_; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 7, 8));
    if (!op.has_input(3))
      return fail("onnx-type",
                  label(op) + " leaves input 3 out, the second tensor; correct the model");
    for (const Places& at : {kA, kB, kC}) FRIT_TRY(check_quantized(op, at));
    FRIT_TRY(check_same_dtype(op, 0, 3));
    constexpr std::array<std::size_t, 2> kBoth = {0, 3};
    auto shape = broadcast_inputs(op, kBoth);
    if (!shape) return fail(shape.error());
    TensorType out = op.input(0);
    out.shape = std::move(*shape);
    return std::vector{out};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref value = to.node(inner_, {real(to, kA), real(to, kB)});
    quantized_output(to, value, kC, op.input(0).dtype);
    return to.status();
  }

 private:
  static constexpr Places kA{0, 1, 2}, kB{3, 4, 5}, kC{kNone, 6, 7};
  std::string_view type_, formula_;
  const char* inner_;
};

/// QLinearSigmoid, QLinearLeakyRelu, QLinearGlobalAveragePool, QLinearAveragePool: X, its scale,
/// its zero point, Y's scale, Y's zero point.
class QLinearUnary final : public Microsoft {
 public:
  QLinearUnary(std::string_view type, std::string_view formula, const char* inner,
               Attributes attributes)
      : type_(type), formula_(formula), inner_(inner), attributes_(std::move(attributes)) {}
  std::string_view type() const override { return type_; }
  std::string_view formula() const override { return formula_; }
  const Attributes& attributes() const override { return attributes_; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 4, 5));
    FRIT_TRY(check_quantized(op, kX));
    FRIT_TRY(check_quantized(op, kY));
    if (op.has_input(4)) FRIT_TRY(check_same_dtype(op, 0, 4));
    if (int_attribute(op.attributes, "channels_last", 0) != 0) {
      return fail("onnx-attribute", fmt::format("{}: channels_last is 1 but only 0 is supported; "
                                                "put a Transpose before and after it",
                                                label(op)));
    }
    OpInstance inner = inner_op(op);
    auto types = find_operator("", inner_)->infer(inner);
    if (!types) return fail(types.error());
    TensorType out = types->at(0);
    out.dtype = op.input(0).dtype;
    return std::vector{out};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref value = to.node(inner_, {real(to, kX)}, inner_op(op).attributes);
    quantized_output(to, value, kY, op.input(0).dtype);
    return to.status();
  }

 private:
  static constexpr Places kX{0, 1, 2}, kY{kNone, 3, 4};

  /// The operator on float32 that this one stands for.
  OpInstance inner_op(const OpInstance& op) const {
    OpInstance inner = op;
    inner.opset = kExpansionOpset;
    inner.inputs = {TensorType(DType::kF32, op.input(0).dims())};
    inner.constants.assign(1, std::nullopt);
    inner.attributes.erase("channels_last");
    inner.attributes.erase("opset");
    return inner;
  }

  std::string_view type_, formula_;
  const char* inner_;
  Attributes attributes_;
};

/// X, its scale, its zero point, Y's scale, Y's zero point. Softmax of the opset that an attribute
/// names: before 13 over a matrix, all axes from `axis` on in one row.
class QLinearSoftmax final : public Microsoft {
 public:
  std::string_view type() const override { return "QLinearSoftmax"; }
  std::string_view formula() const override {
    return "out = Q(Softmax(D(x)) of opset `opset`)\n"
           "D(x) = (x - x_zero) * x_scale, Q(y) = saturate(round(y / y_scale) + y_zero)";
  }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", kInt}, {"opset", kInt, kAlways}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 5, 5));
    FRIT_TRY(check_quantized(op, {0, 1, 2}));
    FRIT_TRY(check_quantized(op, {kNone, 3, 4}));
    FRIT_TRY(check_same_dtype(op, 0, 4));
    const std::int64_t axis = int_attribute(op.attributes, "axis", -1);
    if (!normal_axis(axis, op.input(0).rank())) {
      return fail("onnx-attribute", fmt::format("{}: axis is {} but its input is {}; correct the "
                                                "attribute",
                                                label(op), axis, to_text(op.input(0))));
    }
    return std::vector{op.input(0)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const std::vector<std::int64_t> dims = op.input(0).dims();
    const auto axis = *normal_axis(int_attribute(op.attributes, "axis", -1), op.input(0).rank());
    Ref value = real(to, {0, 1, 2});
    if (int_attribute(op.attributes, "opset", 13) < 13) {
      std::vector<std::int64_t> matrix = {1, 1};
      for (std::size_t i = 0; i < dims.size(); ++i)
        matrix[i < static_cast<std::size_t>(axis) ? 0 : 1] *= dims[i];
      value = to.node("Softmax", {with_dims(to, value, matrix)}, {{"axis", std::int64_t{1}}});
      value = with_dims(to, value, dims);
    } else {
      value = to.node("Softmax", {value}, {{"axis", std::int64_t{axis}}});
    }
    quantized_output(to, value, {kNone, 3, 4}, op.input(0).dtype);
    return to.status();
  }
};

/// Y's scale, Y's zero point, then any number of inputs, each with its scale and zero point.
class QLinearConcat final : public Microsoft {
 public:
  std::string_view type() const override { return "QLinearConcat"; }
  std::string_view formula() const override {
    return "out = Q(concatenation of D_j(x_j) along axis)\n"
           "D_j(x) = (x - x_zero_j) * x_scale_j, Q(y) = saturate(round(y / y_scale) + y_zero)";
  }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", kInt, kAlways}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 5, 2 + 3 * 1024));
    if (op.inputs.size() % 3 != 2) {
      return fail("onnx-type",
                  fmt::format("{} has {} inputs but takes 2 and 3 for each tensor; the model is "
                              "not valid",
                              label(op), op.inputs.size()));
    }
    FRIT_TRY(check_quantized(op, {kNone, 0, 1}));
    OpInstance inner = op;
    inner.opset = kExpansionOpset;
    inner.inputs.clear();
    for (std::size_t i = 2; i < op.inputs.size(); i += 3) {
      if (!op.has_input(i) || !op.has_input(i + 1)) {
        return fail(
            "onnx-type",
            fmt::format("{} leaves input {} or its scale out; correct the model", label(op), i));
      }
      FRIT_TRY(check_quantized(op, {i, i + 1, i + 2}));
      FRIT_TRY(check_same_dtype(op, 1, i));
      inner.inputs.push_back(op.input(i));
    }
    inner.constants.assign(inner.inputs.size(), std::nullopt);
    return find_operator("", "Concat")->infer(inner);
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    std::vector<Ref> parts;
    for (std::size_t i = 2; i < op.inputs.size(); i += 3) {
      parts.push_back(real(to, {i, i + 1, i + 2}));
    }
    quantized_output(to, to.node("Concat", parts, op.attributes), {kNone, 0, 1}, op.input(1).dtype);
    return to.status();
  }
};

/// QuantizeLinear and DequantizeLinear from before ONNX's had 16-bit types: the same, under another
/// domain.
class Linear final : public Microsoft {
 public:
  explicit Linear(std::string_view type) : type_(type) {}
  std::string_view type() const override { return type_; }
  std::string_view formula() const override {
    return type_ == "QuantizeLinear" ? "out[i] = saturate(round(x[i] / scale) + zero)"
                                     : "out[i] = (x[i] - zero) * scale";
  }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", kInt}, {"block_size", kInt}, {"saturate", kInt}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    return find_operator("", type_)->infer(op);
  }
  Status expand(const OpInstance& op, Expansion& to) const override {
    std::vector<Ref> inputs;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) inputs.push_back(to.input(i));
    to.output(0, to.node(std::string(type_), inputs, op.attributes));
    return to.status();
  }

 private:
  std::string_view type_;
};

}  // namespace

void add_qlinear(std::vector<const Operator*>& all) {
  all.push_back(new QLinearBinary(
      "QLinearAdd",
      "out[i] = Q(D(a[i]) + D(b[i])), a and b broadcast\n"
      "D(x) = (x - zero) * scale, Q(y) = saturate(round(y / out_scale) + out_zero)",
      "Add"));
  all.push_back(new QLinearBinary(
      "QLinearMul",
      "out[i] = Q(D(a[i]) * D(b[i])), a and b broadcast\n"
      "D(x) = (x - zero) * scale, Q(y) = saturate(round(y / out_scale) + out_zero)",
      "Mul"));
  all.push_back(new QLinearUnary(
      "QLinearSigmoid",
      "out[i] = Q(1 / (1 + exp(-D(x[i]))))\n"
      "D(x) = (x - zero) * scale, Q(y) = saturate(round(y / out_scale) + out_zero)",
      "Sigmoid", {}));
  all.push_back(new QLinearUnary(
      "QLinearLeakyRelu",
      "out[i] = Q(D(x[i]) < 0 ? alpha * D(x[i]) : D(x[i]))\n"
      "D(x) = (x - zero) * scale, Q(y) = saturate(round(y / out_scale) + out_zero)",
      "LeakyRelu", {{"alpha", kFloat}}));
  all.push_back(new QLinearUnary(
      "QLinearGlobalAveragePool",
      "out[n,c] = Q(1/R sum_r D(x[n,c,r])), r over all spatial axes\n"
      "D(x) = (x - zero) * scale, Q(y) = saturate(round(y / out_scale) + out_zero)",
      "GlobalAveragePool", {{"channels_last", kInt}}));
  all.push_back(new QLinearUnary(
      "QLinearAveragePool",
      "out = Q(AveragePool(D(x)))\n"
      "D(x) = (x - zero) * scale, Q(y) = saturate(round(y / out_scale) + out_zero)",
      "AveragePool",
      {{"auto_pad", kString},
       {"ceil_mode", kInt},
       {"channels_last", kInt},
       {"count_include_pad", kInt},
       {"kernel_shape", kInts, kAlways},
       {"pads", kInts},
       {"strides", kInts}}));
  all.push_back(new QLinearConcat);
  all.push_back(new QLinearSoftmax);
  all.push_back(new Linear("QuantizeLinear"));
  all.push_back(new Linear("DequantizeLinear"));
}

}  // namespace frit
