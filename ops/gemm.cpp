#include "ops/gemm.h"

#include <fmt/format.h>

#include "ops/arithmetic.h"
#include "ops/broadcast.h"
#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/matmul.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;

struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0, k_of_b = 0;
  bool trans_a = false, trans_b = false;
  float alpha = 1.0F, beta = 1.0F;
};

/// Inputs 0 and 1 must have rank 2.
GemmShape shape_of(const OpInstance& op) {
  GemmShape shape;
  shape.trans_a = int_attribute(op.attributes, "transA", 0) != 0;
  shape.trans_b = int_attribute(op.attributes, "transB", 0) != 0;
  shape.alpha = float_attribute(op.attributes, "alpha", 1.0F);
  shape.beta = float_attribute(op.attributes, "beta", 1.0F);
  const auto a = op.input(0).dims(), b = op.input(1).dims();
  shape.m = a[shape.trans_a ? 1 : 0];
  shape.k = a[shape.trans_a ? 0 : 1];
  shape.k_of_b = b[shape.trans_b ? 1 : 0];
  shape.n = b[shape.trans_b ? 0 : 1];
  return shape;
}

Status check_shapes(const OpInstance& op) {
  for (const std::size_t i : {0, 1}) {
    FRIT_TRY(check_constant_shape(op, i, "an operand"));
    if (op.input(i).rank() == 2) continue;
    return fail("onnx-shape", fmt::format("{}: input {} is {} but must have rank 2; use MatMul, or "
                                          "put a Flatten before it",
                                          label(op), i, to_text(op.input(i))));
  }
  const GemmShape shape = shape_of(op);
  if (shape.k != shape.k_of_b) {
    return fail(
        "onnx-shape",
        fmt::format("{}: {} (transA {}) sums over {} but {} (transB {}) over {}; correct the "
                    "model or pass --shape",
                    label(op), to_text(op.input(0)), int{shape.trans_a}, shape.k,
                    to_text(op.input(1)), int{shape.trans_b}, shape.k_of_b));
  }
  if (op.has_input(2)) {
    const std::vector<std::int64_t> out = {shape.m, shape.n};
    if (broadcast_dims(op.input(2).dims(), out) != out) {
      return fail("onnx-shape",
                  fmt::format("{}: C is {} but must broadcast to {}; correct the model", label(op),
                              to_text(op.input(2)), dims_text(out)));
    }
  }
  return check_size(op, {shape.m, shape.n});
}

/// e * factor. A factor of 0 keeps the NaN that 0 * Inf gives; Halide would fold it to 0.
Expr scaled(const Expr& e, float factor) {
  if (factor == 1.0F) return e;
  const Expr product = e * constant_of(e.type(), static_cast<double>(factor));
  return factor == 0.0F ? math::strict_mul(e, constant_of(e.type(), 0.0)) : product;
}

class Gemm final : public Operator {
 public:
  std::string_view type() const override { return "Gemm"; }
  std::string_view formula() const override {
    return "out[m,n] = alpha * sum_k a'[m,k] * b'[k,n] + beta * c[m,n], a' and b' transposed where "
           "transA, transB say so\n"
           "c broadcasts; optional from opset 11";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {
        {"alpha", kFloat}, {"beta", kFloat}, {"transA", kInt}, {"transB", kInt}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kReduction; }
  std::string anchor(const OpInstance&) const override { return "matmul"; }
  std::vector<std::string> axis_names(const OpInstance&) const override { return {"m", "n"}; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 3));
    FRIT_TRY(check_dtype(op, 0, "A", product_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    if (op.has_input(2)) FRIT_TRY(check_same_dtype(op, 0, 2));
    FRIT_TRY(check_shapes(op));
    const GemmShape shape = shape_of(op);
    const DType dtype = op.input(0).dtype;
    if (!is_float(dtype) && (shape.alpha != 1.0F || shape.beta != 1.0F)) {
      return fail(
          "onnx-attribute",
          fmt::format("{}: alpha is {} and beta {} but its operands are {}, for which only 1 "
                      "is supported; put a Cast to float32 before it",
                      label(op), shape.alpha, shape.beta, name_of(dtype)));
    }
    return std::vector{TensorType(dtype, {shape.m, shape.n})};
  }

  Status canonicalise(OpInstance& op) const override {
    const GemmShape shape = shape_of(op);
    op.attributes["transA"] = std::int64_t{shape.trans_a};
    op.attributes["transB"] = std::int64_t{shape.trans_b};
    op.attributes["alpha"] = shape.alpha;
    op.attributes["beta"] = shape.beta;
    op.attributes.erase("broadcast");  // opset 6 and before; C broadcasts in any case
    return {};
  }

  Facts facts(const OpInstance& op) const override {
    Facts facts = Operator::facts(op);
    facts["k"] = shape_of(op).k;
    facts["batch"] = 1;
    facts["rank"] = 2;
    return facts;
  }

  std::vector<std::string> constant_axes(const OpInstance& op, std::size_t input) const override {
    if (constant_role(op, input) == "b") return {"n"};
    if (input != 1) return Operator::constant_axes(op, input);
    if (shape_of(op).trans_b) return {"n", "k"};
    return {"k", "n"};
  }

  std::string constant_role(const OpInstance& op, std::size_t input) const override {
    if (input == 1) return "w";
    const bool bias = input == 2 && op.has_input(2) &&
                      op.input(2).dims() == std::vector<std::int64_t>{shape_of(op).n};
    return bias ? "b" : "";
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const GemmShape shape = shape_of(op);
    const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
    const Halide::Type sum_type = compute_type(result_type);
    const Index out = stages.index();
    const Expr m = out[0], n = out[1];
    Expr c = Halide::Internal::make_zero(sum_type);
    if (op.has_input(2)) {
      c = scaled(cast(sum_type, read_broadcast(operands[2], out, {shape.m, shape.n})), shape.beta);
    }
    const bool scale_after = shape.alpha != 1.0F;

    Stage& acc = stages.stage("acc");
    acc() = scale_after ? Halide::Internal::make_zero(sum_type) : c;
    reduction_domain({"k"}, {shape.k}, acc.reduction);
    const Expr k = acc.reduction.at("k");
    const Expr a = operands[0].at(shape.trans_a ? Index{k, m} : Index{m, k});
    const Expr b = operands[1].at(shape.trans_b ? Index{n, k} : Index{k, n});
    const Expr left = cast(sum_type, a), right = cast(sum_type, b);
    if (shape.alpha == 0.0F) {
      // Every step strict: LLVM takes the result of a plain one for no NaN, and 0 times it for 0.
      acc() = math::strict_add(acc(), math::strict_mul(left, right));
    } else {
      acc() += left * right;
    }

    const Expr sum = acc();
    if (scale_after) {
      const Expr product = scaled(sum, shape.alpha);
      const Expr sum_with_c = shape.alpha == 0.0F ? math::strict_add(product, c) : product + c;
      stages.stage("scale")() = cast(result_type, op.has_input(2) ? sum_with_c : product);
    } else if (sum_type != result_type) {
      stages.stage("narrow")() = cast(result_type, sum);
    }
  }

  Counts counts(const OpInstance& op) const override {
    const GemmShape shape = shape_of(op);
    const std::int64_t outputs = op.outputs.at(0).elements();
    Counts counts;
    counts.flop =
        outputs * (2 * shape.k + (op.has_input(2) ? 1 : 0) + (shape.alpha != 1.0F ? 1 : 0));
    return counts;
  }
};

}  // namespace

void add_gemm(std::vector<const Operator*>& all) {
  static const Gemm gemm;
  all.push_back(&gemm);
}

}  // namespace frit
