// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear, and the pointwise operators that they
// and the other quantised operators become (quantize.h).
#include "ops/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/broadcast.h"
#include "ops/broadcasting.h"
#include "ops/halide_type.h"
#include "ops/math.h"
#include "ops/quantize_rules.h"
#include "ops/rules.h"
#include "ops/small_types.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using enum AttributeKind;

/// The element as a float32, or as a float64 where `wide`.
Expr real(DType from, const Expr& x, bool wide = false) {
  return cast_element(from, wide ? DType::kF64 : DType::kF32, x);
}

/// `value` of float32 or float64, rounded to nearest even and held to the range of `to`.
Expr saturated(DType to, const Expr& value) {
  const auto [low, high] = integer_range(to);
  const auto bound = [&](std::int64_t v) {
    return constant_of(value.type(), static_cast<double>(v));
  };
  return math::convert(halide_type(to),
                       math::clamp_high(math::clamp_low(value, bound(low)), bound(high)));
}

/// round(q) + zero as `to`.
Expr stored(DType to, const Expr& q, const Expr& zero, SmallFloatCast how) {
  const bool small = is_small_float(to);
  Expr value = small ? q : Halide::round(q);
  if (zero.defined()) value = math::strict_add(value, zero);
  return small ? small_float_encoded(to, value, how) : saturated(to, value);
}

std::vector<Ref> present(Ref x, Ref scale, Ref zero) {
  std::vector<Ref> inputs = {x, scale};
  if (zero) inputs.push_back(zero);
  return inputs;
}

/// What Quantize, Dequantize and Requantize share.
class Internal : public Broadcasting {
 public:
  std::string_view domain() const override { return "frit"; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"precision", kInt}, {"saturate", kInt}, {"to", kInt}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 3));
    TensorType out = op.input(0);
    out.dtype = *dtype_of_onnx(int_attribute(op.attributes, "to", 0));
    auto common = broadcast_to(op, out.dtype);
    if (!common) return common;
    if (common->at(0).dims() == out.dims()) return std::vector{out};
    return fail("onnx-shape", fmt::format("{}: its scale and zero point do not broadcast to its "
                                          "input, {}; correct the model",
                                          label(op), to_text(op.input(0))));
  }

 protected:
  static Expr at(const OpInstance& op, const std::vector<Operand>& operands,
                 const StageBuilder& stages, std::size_t i) {
    if (!op.has_input(i)) return Expr();
    return read_broadcast(operands[i], stages.index(), stages.extents());
  }
};

class Quantize final : public Internal {
 public:
  std::string_view type() const override { return "Quantize"; }
  std::string_view formula() const override {
    return "out[i] = saturate(round(x[i] / scale[i]) + zero[i]); to small floats: encode(x[i] / "
           "scale[i] + zero[i])";
  }
  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const DType to = op.outputs.at(0).dtype;
    const DType precision = *dtype_of_onnx(int_attribute(op.attributes, "precision", 1));
    const bool wide = precision == DType::kF64;
    const auto narrowed = [&](const Expr& e) {  // to a 16-bit precision and back
      return cast(e.type(), cast(wide ? e.type() : halide_type(precision), e));
    };
    const Expr x = narrowed(real(op.input(0).dtype, at(op, operands, stages, 0), wide));
    const Expr scale = narrowed(real(op.input(1).dtype, at(op, operands, stages, 1), wide));
    const Expr q = narrowed(math::strict_div(x, scale));
    Expr zero = at(op, operands, stages, 2);
    if (zero.defined()) zero = real(op.input(2).dtype, zero, wide);
    SmallFloatCast how;
    how.saturate = int_attribute(op.attributes, "saturate", 1) != 0;
    Stage& out = stages.stage("");
    out() = stored(to, q, zero, how);
    out.op_cost = 10;
  }
};

class Dequantize final : public Internal {
 public:
  std::string_view type() const override { return "Dequantize"; }
  std::string_view formula() const override { return "out[i] = (x[i] - zero[i]) * scale[i]"; }
  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const DType from = op.input(0).dtype;
    Expr x = at(op, operands, stages, 0), zero = at(op, operands, stages, 2);
    Expr difference;
    if (!zero.defined()) {
      difference = real(from, x);
    } else if (is_float(from)) {
      difference = real(from, x) - real(from, zero);
    } else {
      const Halide::Type wide = Halide::Int(from == DType::kI32 ? 64 : 32);
      difference = cast<float>(cast(wide, x) - cast(wide, zero));
    }
    const Expr scale = real(op.input(1).dtype, at(op, operands, stages, 1));
    write(op, stages, difference * scale, 3);
  }
};

class Requantize final : public Internal {
 public:
  std::string_view type() const override { return "Requantize"; }
  std::string_view formula() const override {
    return "out[i] = saturate(round(x[i] * factor[i]) + zero[i])";
  }
  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Expr sum = real(op.input(0).dtype, at(op, operands, stages, 0), true);
    const Expr factor = real(op.input(1).dtype, at(op, operands, stages, 1), true);
    Expr zero = at(op, operands, stages, 2);
    if (zero.defined()) zero = real(op.input(2).dtype, zero, true);
    Stage& out = stages.stage("");
    out() = stored(op.outputs.at(0).dtype, math::strict_mul(sum, factor), zero, {});
    out.op_cost = 10;
  }
};

/// Opsets 10 (one scale), 13 (one for each index of an axis), 19 (float8), 21 (blocks, 4 bits,
/// output_dtype), 23 (precision), 24, 25, 28 (more types).
class QuantizeLinear final : public Composite {
 public:
  std::string_view type() const override { return "QuantizeLinear"; }
  std::string_view formula() const override {
    return "out[i] = saturate(round(x[i] / scale) + zero), ties to even\n"
           "scale, zero: one; from opset 13 one for each index of axis; from opset 21 for each "
           "block_size of axis\n"
           "to float8 (opset 19 on), float4: x[i] / scale rounded to that type";
  }
  int first_opset() const override { return 10; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", kInt},
                                   {"block_size", kInt},
                                   {"output_dtype", kInt},
                                   {"precision", kInt},
                                   {"saturate", kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    static constexpr std::array kFrom = {DType::kF32, DType::kF16, DType::kBF16, DType::kI32};
    static constexpr std::array kScales = {DType::kF32, DType::kF16, DType::kBF16, DType::kI32,
                                           DType::kF8E8M0};
    FRIT_TRY(check_inputs(op, 2, 3));
    FRIT_TRY(check_dtype(op, 0, "its input", kFrom));
    FRIT_TRY(check_dtype(op, 1, "its scale", kScales));
    const Result<DType> to = quantized_type(op);
    if (!to) return fail(to.error());
    FRIT_TRY(check_granularity(op));
    if (const Result<DType> done = precision_of(op); !done) return fail(done.error());
    TensorType out = op.input(0);
    out.dtype = *to;
    return std::vector{out};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const AttributeMap attributes = {{"to", onnx_number(*quantized_type(op))},
                                     {"precision", onnx_number(*precision_of(op))},
                                     {"saturate", int_attribute(op.attributes, "saturate", 1)}};
    const Ref scale = spread(op, to, to.input(1)), zero = spread(op, to, to.input(2));
    to.output(0, to.node("Quantize", present(to.input(0), scale, zero), attributes, "frit"));
    return to.status();
  }
};

/// Opsets as QuantizeLinear; 23: output_dtype.
class DequantizeLinear final : public Composite {
 public:
  std::string_view type() const override { return "DequantizeLinear"; }
  std::string_view formula() const override {
    return "out[i] = (x[i] - zero) * scale\n"
           "scale, zero: one; from opset 13 one for each index of axis; from opset 21 for each "
           "block_size of axis";
  }
  int first_opset() const override { return 10; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", kInt}, {"block_size", kInt}, {"output_dtype", kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    static constexpr std::array kScales = {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E8M0};
    static const std::vector<DType> from = [] {
      std::vector<DType> types(quantized_types().begin(), quantized_types().end());
      types.push_back(DType::kI32);
      return types;
    }();
    FRIT_TRY(check_inputs(op, 2, 3));
    FRIT_TRY(check_dtype(op, 0, "its input", from));
    FRIT_TRY(check_dtype(op, 1, "its scale", kScales));
    if (op.has_input(2)) FRIT_TRY(check_same_dtype(op, 0, 2));
    FRIT_TRY(check_granularity(op));
    const Result<DType> to = dequantized_type(op);
    if (!to) return fail(to.error());
    TensorType out = op.input(0);
    out.dtype = *to;
    return std::vector{out};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref scale = spread(op, to, to.input(1)), zero = spread(op, to, to.input(2));
    to.output(0, dequantized(to, to.input(0), scale, zero, *dequantized_type(op)));
    return to.status();
  }
};

/// Scale and zero point from the range of x with 0 in it, and x quantised by them. Where x is all 0
/// its scale may be anything: it is 1. Opset 11.
class DynamicQuantizeLinear final : public Composite {
 public:
  std::string_view type() const override { return "DynamicQuantizeLinear"; }
  std::string_view formula() const override {
    return "scale = (max(0, max_i x[i]) - min(0, min_i x[i])) / 255\n"
           "zero = saturate(round(-min(0, min_i x[i]) / scale)), out[i] = saturate(round(x[i] / "
           "scale) + zero)";
  }
  int first_opset() const override { return 11; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    static constexpr std::array kFrom = {DType::kF32};
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", kFrom));
    TensorType out = op.input(0);
    out.dtype = DType::kU8;
    return std::vector{out, TensorType(DType::kF32, {}), TensorType(DType::kU8, {})};
  }

  Status expand(const OpInstance&, Expansion& to) const override {
    const Ref x = to.input(0), zero = to.scalar(DType::kF32, 0.0);
    const AttributeMap whole = {{"keepdims", std::int64_t{0}}};
    const Ref least = to.node("Min", {to.node("ReduceMin", {x}, whole), zero});
    const Ref most = to.node("Max", {to.node("ReduceMax", {x}, whole), zero});
    const Ref range = to.node("Sub", {most, least});
    const Ref step = to.node("Div", {range, to.scalar(DType::kF32, 255.0)});
    const Ref flat = to.node("Equal", {most, least});
    const Ref scale = to.node("Where", {flat, to.scalar(DType::kF32, 1.0), step});
    const Ref offset = to.node("Div", {to.node("Sub", {zero, least}), scale});
    const AttributeMap as_byte = {{"to", onnx_number(DType::kU8)}};
    const Ref held = to.node("Clip", {offset, zero, to.scalar(DType::kF32, 255.0)});
    const Ref point = to.node("Cast", {to.node("Round", {held})}, as_byte);
    to.output(0, quantized(to, x, scale, point));
    to.output(1, scale);
    to.output(2, point);
    return to.status();
  }
};

}  // namespace

Ref dequantized(Expansion& to, Ref x, Ref scale, Ref zero, DType dtype) {
  return to.node("Dequantize", present(x, scale, zero), {{"to", onnx_number(dtype)}}, "frit");
}

Ref quantized(Expansion& to, Ref x, Ref scale, Ref zero, DType dtype) {
  if (zero) dtype = to.type(zero).dtype;
  return to.node("Quantize", present(x, scale, zero), {{"to", onnx_number(dtype)}}, "frit");
}

Ref with_dims(Expansion& to, Ref ref, const std::vector<std::int64_t>& dims) {
  if (!ref || to.dims(ref) == dims) return ref;
  return to.node("Reshape", {ref, to.ints(dims)}, {{"allowzero", std::int64_t{1}}});
}

void add_quantize(std::vector<const Operator*>& all) {
  all.push_back(new Quantize);
  all.push_back(new Dequantize);
  all.push_back(new Requantize);
  all.push_back(new QuantizeLinear);
  all.push_back(new DequantizeLinear);
  all.push_back(new DynamicQuantizeLinear);
}

}  // namespace frit
