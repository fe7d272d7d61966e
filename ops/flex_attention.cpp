// FlexAttention of ai.onnx.preview, and the halves of one whose modifiers the importer has written
// between them (generators/onnx/flex_attention.h).
//
//   scores = scale Q K^T, in the type of the softmax;  Y = probabilities V, in the type of V
#include <fmt/format.h>

#include <cmath>

#include "ops/attention.h"
#include "ops/families.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

const Attributes& scale_and_precision() {
  using enum AttributeKind;
  static const std::vector<KnownAttribute> all = {{"scale", kFloat}, {"softmax_precision", kInt}};
  return all;
}

/// The type of the softmax: float32 unless the model says another or computes in float64.
Result<DType> precision_of(const OpInstance& op) {
  const DType own = op.input(0).dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  const std::int64_t stated = int_attribute(op.attributes, "softmax_precision", onnx_number(own));
  const auto dtype = dtype_of_onnx(stated);
  if (dtype && is_float(*dtype)) return *dtype;
  return fail("onnx-attribute",
              fmt::format("{}: softmax_precision is {} but must be 1 (float32), 10 (float16), 11 "
                          "(float64) or 16 (bfloat16); correct the attribute",
                          label(op), stated));
}

/// Checks that input 0 has a multiple of the heads of input `keys`.
Status check_heads(const OpInstance& op, std::size_t keys) {
  const std::int64_t heads = op.input(0).dims()[1], groups = op.input(keys).dims()[1];
  if (groups == 0 ? heads == 0 : heads % groups == 0) return {};
  return fail("onnx-shape", fmt::format("{}: {} query heads are no multiple of {} key heads; "
                                        "correct the model",
                                        label(op), heads, groups));
}

Status check_plain(const OpInstance& op, std::size_t count) {
  FRIT_TRY(check_inputs(op, count, count));
  for (std::size_t i = 0; i < count; ++i) {
    FRIT_TRY(check_dtype(op, i, fmt::format("input {}", i), float_types()));
    FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
    FRIT_TRY(check_dims(op, i, fmt::format("input {}", i), {-1, -1, -1, -1}));
  }
  return {};
}

class FlexAttentionScores final : public Composite {
 public:
  std::string_view type() const override { return "FlexAttentionScores"; }
  std::string_view formula() const override {
    return "out[n,h,s,t] = scale * sum_d q[n,h,s,d] * k[n,g,t,d], g the head of k that h shares";
  }
  std::string_view domain() const override { return "frit"; }
  int first_opset() const override { return 0; }
  const Attributes& attributes() const override { return scale_and_precision(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_plain(op, 2));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    const Ints q = op.input(0).dims();
    FRIT_TRY(check_dims(op, 1, "K", {q[0], -1, -1, q[3]}));
    FRIT_TRY(check_heads(op, 1));
    if (float_attribute(op.attributes, "scale", 1.0F) < 0.0F) {
      return fail("onnx-attribute",
                  fmt::format("{}: scale is negative; correct the attribute", label(op)));
    }
    const auto dtype = precision_of(op);
    if (!dtype) return fail(dtype.error());
    const Ints scores = {q[0], q[1], q[2], op.input(1).dims()[2]};
    FRIT_TRY(check_size(op, scores));
    return std::vector{TensorType(*dtype, scores)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const double size = static_cast<double>(op.input(0).dims()[3]);
    const double scale = has_attribute(op.attributes, "scale")
                             ? static_cast<double>(float_attribute(op.attributes, "scale", 1.0F))
                             : 1.0 / std::sqrt(size);
    const Ref scores = attention_scores(to, to.input(0), to.input(1), scale);
    to.output(0, as_type(to, scores, *precision_of(op)));
    return to.status();
  }
};

class FlexAttentionValues final : public Composite {
 public:
  std::string_view type() const override { return "FlexAttentionValues"; }
  std::string_view formula() const override {
    return "out[n,h,s,e] = sum_t p[n,h,s,t] * v[n,g,t,e], g the head of v that h shares";
  }
  std::string_view domain() const override { return "frit"; }
  int first_opset() const override { return 0; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_plain(op, 2));
    const Ints p = op.input(0).dims();
    FRIT_TRY(check_dims(op, 1, "V", {p[0], -1, p[3], -1}));
    FRIT_TRY(check_heads(op, 1));
    const Ints y = {p[0], p[1], p[2], op.input(1).dims()[3]};
    FRIT_TRY(check_size(op, y));
    return std::vector{TensorType(op.input(1).dtype, y)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref weights = as_type(to, to.input(0), op.input(1).dtype);
    to.output(0, attention_values(to, weights, to.input(1)));
    return to.status();
  }
};

class FlexAttention final : public Composite {
 public:
  std::string_view type() const override { return "FlexAttention"; }
  std::string_view formula() const override {
    return "out[n,h,s,:] = sum_t softmax_t(scale * q[n,h,s,:] . k[n,g,t,:]) * v[n,g,t,:], g the "
           "head that h shares\n"
           "scale: 1 / sqrt(size of a head) where not stated; score_mod and prob_mod none";
  }
  std::string_view domain() const override { return "ai.onnx.preview"; }
  const Attributes& attributes() const override { return scale_and_precision(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_plain(op, 3));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    FRIT_TRY(check_same_dtype(op, 0, 2));
    const Ints q = op.input(0).dims(), k = op.input(1).dims();
    FRIT_TRY(check_dims(op, 1, "K", {q[0], -1, -1, q[3]}));
    FRIT_TRY(check_dims(op, 2, "V", {q[0], k[1], k[2], -1}));
    FRIT_TRY(check_heads(op, 1));
    if (const auto dtype = precision_of(op); !dtype) return fail(dtype.error());
    const Ints y = {q[0], q[1], q[2], op.input(2).dims()[3]};
    FRIT_TRY(check_size(op, y));
    return std::vector{TensorType(op.input(0).dtype, y)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref scores =
        to.node("FlexAttentionScores", {to.input(0), to.input(1)}, op.attributes, "frit");
    const Ref weights = to.node("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
    to.output(0, to.node("FlexAttentionValues", {weights, to.input(2)}, {}, "frit"));
    return to.status();
  }
};

}  // namespace

void add_flex_attention(std::vector<const Operator*>& all) {
  all.push_back(new FlexAttention);
  all.push_back(new FlexAttentionScores);
  all.push_back(new FlexAttentionValues);
}

}  // namespace frit
