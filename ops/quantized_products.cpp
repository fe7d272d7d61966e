// MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv: products of quantised tensors.
//
// Operands are widened to int32 and centred on their zero points, the product is summed in int32,
// exactly, and the QLinear ones requantise it by the one factor a_scale * b_scale / y_scale. float8
// operands (QLinearMatMul, opset 21) are summed in float32.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/quantize.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;
using enum AttributeKind;

constexpr std::array kBytes = {DType::kU8, DType::kI8};
constexpr std::array kMatrices = {DType::kU8,         DType::kI8,     DType::kF8E4M3FN,
                                  DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ};
constexpr std::array kScales = {DType::kF32, DType::kF16, DType::kBF16};

DType sum_type(DType dtype) { return is_float(dtype) ? DType::kF32 : DType::kI32; }

bool known_zero(const Expansion& to, Ref ref) {
  const Tensor* value = to.known(ref);
  if (value == nullptr) return false;
  const std::vector<double> numbers = value->to_doubles();
  return std::all_of(numbers.begin(), numbers.end(), [](double v) { return v == 0.0; });
}

Ref widened(Expansion& to, Ref x) {
  return to.node("Cast", {x}, {{"to", onnx_number(sum_type(to.type(x).dtype))}});
}

/// x - zero in the type that products are summed in; `zero` broadcasts to x or is omitted.
Ref centred(Expansion& to, Ref x, Ref zero) {
  const Ref wide = widened(to, x);
  if (!zero || known_zero(to, zero)) return wide;
  return to.node("Sub", {wide, widened(to, zero)});
}

/// A parameter of a left operand, one for each row: a list stands upright.
Ref for_rows(Expansion& to, Ref ref) {
  if (!ref) return ref;
  const Ints dims = to.dims(ref);
  if (to.type(ref).elements() == 1) return with_dims(to, ref, {});
  return dims.size() == 1 ? with_dims(to, ref, {dims[0], 1}) : ref;
}
/// Of a right operand, one for each column.
Ref for_columns(Expansion& to, Ref ref) {
  return ref && to.type(ref).elements() == 1 ? with_dims(to, ref, {}) : ref;
}
/// Of a filter, one for each output channel, before `spatial` axes and perhaps one more.
Ref for_channels(Expansion& to, Ref ref, std::size_t axes_after) {
  if (!ref) return ref;
  if (to.type(ref).elements() == 1) return with_dims(to, ref, {});
  Ints dims(axes_after + 1, 1);
  dims[0] = to.type(ref).elements();
  return with_dims(to, ref, dims);
}

/// Refuses input i, a parameter called `name`, unless it has one element or `most` in a list.
Status check_list(const OpInstance& op, std::size_t i, const std::string& name, std::int64_t most) {
  if (!op.has_input(i)) return {};
  const TensorType& type = op.input(i);
  if (type.elements() == 1 && type.rank() <= 1) return {};
  if (most > 1 && type.dims() == Ints{most}) return {};
  return fail("onnx-shape",
              fmt::format("{}: {} is {} but must have one element{}; correct the model", label(op),
                          name, to_text(type), most > 1 ? fmt::format(" or be [{}]", most) : ""));
}

/// Refuses input i unless it has one element, or one for each row (`along` 2) or column (1) of the
/// matrix `of`: a list, or as many axes as it with extent 1 on the other of its last two.
Status check_lines(const OpInstance& op, std::size_t i, const std::string& name, std::size_t of,
                   std::size_t along) {
  if (!op.has_input(i) || op.input(i).elements() == 1) return {};
  const Ints own = op.input(i).dims(), matrix = op.input(of).dims();
  if (matrix.size() >= 2) {
    const std::int64_t lines = matrix[matrix.size() - along];
    Ints full = matrix;
    full[matrix.size() - (3 - along)] = 1;
    if (own == Ints{lines} || own == full) return {};
  }
  return fail("onnx-shape",
              fmt::format("{}: {} is {} but input {} is {}; it must have one element, or one for "
                          "each {} of that; correct the model",
                          label(op), name, to_text(op.input(i)), of, to_text(op.input(of)),
                          along == 2 ? "row" : "column"));
}

/// The type of a product of inputs a and b by the operator that computes it on wide types.
Result<TensorType> product_type(const OpInstance& op, const char* domain, const char* type,
                                std::size_t a, std::size_t b) {
  OpInstance wide = op;
  const DType dtype = sum_type(op.input(a).dtype);
  wide.inputs = {TensorType(op.input(a)), TensorType(op.input(b))};
  wide.inputs[0]->dtype = wide.inputs[1]->dtype = dtype;
  wide.constants.assign(2, std::nullopt);
  auto types = find_operator(domain, type)->infer(wide);
  if (!types) return fail(types.error());
  return types->at(0);
}

const Attributes& window_attributes() {
  static const Attributes all = {{"auto_pad", kString},   {"dilations", kInts}, {"group", kInt},
                                 {"kernel_shape", kInts}, {"pads", kInts},      {"strides", kInts}};
  return all;
}

/// Opset 10. Inputs a, b, [a_zero_point], [b_zero_point].
class MatMulInteger final : public Composite {
 public:
  std::string_view type() const override { return "MatMulInteger"; }
  std::string_view formula() const override {
    return "out[b,m,n] = sum_k (a[b,m,k] - a_zero[m]) * (b[b,k,n] - b_zero[n]), in int32";
  }
  int first_opset() const override { return 10; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 4));
    FRIT_TRY(check_dtype(op, 0, "A", kBytes));
    FRIT_TRY(check_dtype(op, 1, "B", kBytes));
    if (op.has_input(2)) FRIT_TRY(check_same_dtype(op, 0, 2));
    if (op.has_input(3)) FRIT_TRY(check_same_dtype(op, 1, 3));
    FRIT_TRY(check_lines(op, 2, "a_zero_point", 0, 2));
    FRIT_TRY(check_lines(op, 3, "b_zero_point", 1, 1));
    auto out = product_type(op, "", "MatMul", 0, 1);
    if (!out) return fail(out.error());
    return std::vector{*out};
  }

  Status expand(const OpInstance&, Expansion& to) const override {
    const Ref a = centred(to, to.input(0), for_rows(to, to.input(2)));
    const Ref b = centred(to, to.input(1), for_columns(to, to.input(3)));
    to.output(0, to.node("MatMul", {a, b}));
    return to.status();
  }
};

/// Opset 10. Inputs x, w, [x_zero_point], [w_zero_point]. What pads x is its zero point.
class ConvInteger final : public Composite {
 public:
  std::string_view type() const override { return "ConvInteger"; }
  std::string_view formula() const override {
    return "out[n,f,y,x] = sum_{c,ry,rx} (x[n,c,y*sy+ry*dy-py,x*sx+rx*dx-px] - x_zero) * "
           "(w[f,c,ry,rx] - w_zero[f])\n"
           "in int32; outside x: x_zero";
  }
  int first_opset() const override { return 10; }
  const Attributes& attributes() const override { return window_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 4));
    FRIT_TRY(check_dtype(op, 0, "its input", kBytes));
    FRIT_TRY(check_dtype(op, 1, "its weights", kBytes));
    if (op.has_input(2)) FRIT_TRY(check_same_dtype(op, 0, 2));
    if (op.has_input(3)) FRIT_TRY(check_same_dtype(op, 1, 3));
    auto out = product_type(op, "frit", "Conv", 0, 1);
    if (!out) return fail(out.error());
    FRIT_TRY(check_list(op, 2, "x_zero_point", 1));
    FRIT_TRY(check_list(op, 3, "w_zero_point", out->dims()[1]));
    return std::vector{*out};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const auto rank = static_cast<std::size_t>(op.input(0).rank());
    const Ref x = centred(to, to.input(0), for_channels(to, to.input(2), rank));
    const Ref w = centred(to, to.input(1), for_channels(to, to.input(3), rank - 1));
    to.output(0, to.node("Conv", {x, w}, op.attributes, "frit"));
    return to.status();
  }
};

/// Opset 10, 21 (float8 operands, 16-bit scales). Inputs a, b, y, each with scale and zero point
/// after it, but y only those.
class QLinearMatMul final : public Composite {
 public:
  std::string_view type() const override { return "QLinearMatMul"; }
  std::string_view formula() const override {
    return "out[b,m,n] = saturate(round(s * a_scale * b_scale / y_scale) + y_zero)\n"
           "s = sum_k (a[b,m,k] - a_zero) * (b[b,k,n] - b_zero), in int32; scales and zeros per "
           "row of a, column of b";
  }
  int first_opset() const override { return 10; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 8, 8));
    for (const std::size_t i : {0, 3, 7}) {
      FRIT_TRY(check_dtype(op, i, i == 0 ? "a" : i == 3 ? "b" : "y_zero_point", kMatrices));
    }
    for (const std::size_t i : {1, 4, 6}) FRIT_TRY(check_dtype(op, i, "a scale", kScales));
    FRIT_TRY(check_same_dtype(op, 0, 2));
    FRIT_TRY(check_same_dtype(op, 3, 5));
    if (is_float(op.input(0).dtype) != is_float(op.input(3).dtype)) {
      return fail("onnx-type", fmt::format("{}: a is {} but b is {}; both must be integers or both "
                                           "float8",
                                           label(op), to_text(op.input(0)), to_text(op.input(3))));
    }
    FRIT_TRY(check_lines(op, 1, "a_scale", 0, 2));
    FRIT_TRY(check_lines(op, 2, "a_zero_point", 0, 2));
    FRIT_TRY(check_lines(op, 4, "b_scale", 3, 1));
    FRIT_TRY(check_lines(op, 5, "b_zero_point", 3, 1));
    FRIT_TRY(check_list(op, 6, "y_scale", 1));
    FRIT_TRY(check_list(op, 7, "y_zero_point", 1));
    auto out = product_type(op, "", "MatMul", 0, 3);
    if (!out) return fail(out.error());
    out->dtype = op.input(7).dtype;
    return std::vector{*out};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref a = centred(to, to.input(0), for_rows(to, to.input(2)));
    const Ref b = centred(to, to.input(3), for_columns(to, to.input(5)));
    const Ref product = to.node("MatMul", {a, b});
    const Ref scales = to.node("Mul", {for_rows(to, to.input(1)), for_columns(to, to.input(4))});
    const Ref factor = to.node("Div", {scales, for_columns(to, to.input(6))});
    const Ref zero = for_columns(to, to.input(7));
    to.output(0, to.node("Requantize", {product, factor, zero},
                         {{"to", onnx_number(op.input(7).dtype)}}, "frit"));
    return to.status();
  }
};

/// Opset 10. Inputs x, w, y, each with scale and zero point after it, but y only those; [bias],
/// in units of x_scale * w_scale.
class QLinearConv final : public Composite {
 public:
  std::string_view type() const override { return "QLinearConv"; }
  std::string_view formula() const override {
    return "out[n,f,y,x] = saturate(round(s * x_scale * w_scale[f] / y_scale) + y_zero)\n"
           "s = bias[f] + sum_{c,ry,rx} (x[n,c,y*sy+ry*dy-py,x*sx+rx*dx-px] - x_zero) * "
           "(w[f,c,ry,rx] - w_zero[f])";
  }
  int first_opset() const override { return 10; }
  const Attributes& attributes() const override { return window_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 8, 9));
    static constexpr std::array kSingle = {DType::kF32};
    static constexpr std::array kBias = {DType::kI32};
    for (const std::size_t i : {0, 3, 7}) {
      FRIT_TRY(check_dtype(op, i,
                           i == 0   ? "its input"
                           : i == 3 ? "its weights"
                                    : "y_zero_point",
                           kBytes));
    }
    for (const std::size_t i : {1, 4, 6}) FRIT_TRY(check_dtype(op, i, "a scale", kSingle));
    if (op.has_input(8)) FRIT_TRY(check_dtype(op, 8, "its bias", kBias));
    FRIT_TRY(check_same_dtype(op, 0, 2));
    FRIT_TRY(check_same_dtype(op, 3, 5));
    auto out = product_type(op, "frit", "Conv", 0, 3);
    if (!out) return fail(out.error());
    const std::int64_t filters = out->dims()[1];
    FRIT_TRY(check_list(op, 1, "x_scale", 1));
    FRIT_TRY(check_list(op, 2, "x_zero_point", 1));
    FRIT_TRY(check_list(op, 4, "w_scale", filters));
    FRIT_TRY(check_list(op, 5, "w_zero_point", filters));
    FRIT_TRY(check_list(op, 6, "y_scale", 1));
    FRIT_TRY(check_list(op, 7, "y_zero_point", 1));
    if (op.has_input(8) && op.input(8).dims() != Ints{filters}) {
      return fail("onnx-shape",
                  fmt::format("{}: its bias is {} but its weights {} need [{}]; correct the model",
                              label(op), to_text(op.input(8)), to_text(op.input(3)), filters));
    }
    out->dtype = op.input(7).dtype;
    return std::vector{*out};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const auto rank = static_cast<std::size_t>(op.input(0).rank());
    const Ref x = centred(to, to.input(0), for_channels(to, to.input(2), rank));
    const Ref w = centred(to, to.input(3), for_channels(to, to.input(5), rank - 1));
    std::vector<Ref> operands = {x, w};
    if (to.input(8)) operands.push_back(to.input(8));
    const Ref sum = to.node("Conv", operands, op.attributes, "frit");
    const Ref scales =
        to.node("Mul", {for_channels(to, to.input(1), 0), for_channels(to, to.input(4), rank - 2)});
    const Ref factor = to.node("Div", {scales, for_channels(to, to.input(6), 0)});
    to.output(0, to.node("Requantize", {sum, factor, for_channels(to, to.input(7), 0)},
                         {{"to", onnx_number(op.input(7).dtype)}}, "frit"));
    return to.status();
  }
};

}  // namespace

void add_quantized_products(std::vector<const Operator*>& all) {
  all.push_back(new MatMulInteger);
  all.push_back(new ConvInteger);
  all.push_back(new QLinearMatMul);
  all.push_back(new QLinearConv);
}

}  // namespace frit
