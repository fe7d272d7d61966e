// CausalConvWithState (opset 27): a depthwise convolution along time that sees the past only, and
// what the next call needs of its input.
//
//   padded = [past_state, x];  y[n,c,t] = activation(b[c] + sum_r w[c,0,r] padded[n,c,t+r])
//   present_state = the last k-1 positions of padded
#include <fmt/format.h>

#include "ops/attention.h"
#include "ops/families.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;
enum Input : std::size_t { kX, kWeight, kBias, kPast };

class CausalConvWithState final : public Composite {
 public:
  std::string_view type() const override { return "CausalConvWithState"; }
  std::string_view formula() const override {
    return "out[n,c,t] = act(b[c] + sum_r w[c,0,r] * z[n,c,t+r]), z = [past_state, x] along t\n"
           "present_state = the last K-1 of z; act: none or silu";
  }
  int first_opset() const override { return 27; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"activation", AttributeKind::kString}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    static constexpr DType kFloats[] = {DType::kF32, DType::kF16, DType::kBF16};
    FRIT_TRY(check_inputs(op, 2, 4));
    FRIT_TRY(check_dtype(op, kX, "its input", kFloats));
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      FRIT_TRY(check_same_dtype(op, kX, i));
      FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
    }
    FRIT_TRY(check_dims(op, kX, "its input", {-1, -1, -1}));
    const Ints x = op.input(kX).dims();
    FRIT_TRY(check_dims(op, kWeight, "weight", {x[1], 1, -1}));
    const std::int64_t taps = op.input(kWeight).dims()[2];
    if (taps < 1) {
      return fail("onnx-shape", fmt::format("{}: weight is {} but needs at least one tap; correct "
                                            "the model",
                                            label(op), to_text(op.input(kWeight))));
    }
    if (op.has_input(kBias)) FRIT_TRY(check_dims(op, kBias, "bias", {x[1]}));
    const Ints state = {x[0], x[1], taps - 1};
    if (op.has_input(kPast)) FRIT_TRY(check_dims(op, kPast, "past_state", state));
    const std::string activation = activation_of(op);
    if (activation != "none" && activation != "silu" && activation != "swish") {
      return fail("onnx-attribute", fmt::format("{}: activation is '{}' but must be 'none', 'silu' "
                                                "or 'swish'; correct the attribute",
                                                label(op), activation));
    }
    FRIT_TRY(check_size(op, {x[0], x[1], x[2] + taps - 1}));
    return std::vector{op.input(kX), TensorType(op.input(kX).dtype, state)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ints x = op.input(kX).dims();
    const std::int64_t taps = op.input(kWeight).dims()[2];
    const Ref padded = padded_input(op, to, {x[0], x[1], taps - 1});
    to.output(
        1, to.node("Slice", {padded, to.ints({x[2]}), to.ints({x[2] + taps - 1}), to.ints({2})}));
    if (x[2] == 0) {
      to.output(0, to.input(kX));
      return to.status();
    }
    std::vector<Ref> inputs = {padded, to.input(kWeight)};
    if (to.input(kBias)) inputs.push_back(to.input(kBias));
    const Ref y = to.node("Conv", inputs, {{"group", x[1]}, {"kernel_shape", Ints{taps}}});
    to.output(0, activation_of(op) == "none" ? y : swished(to, y));
    return to.status();
  }

 private:
  static std::string activation_of(const OpInstance& op) {
    return string_attribute(op.attributes, "activation", "none");
  }

  static Ref padded_input(const OpInstance& op, Expansion& to, const Ints& state) {
    Ref before = to.input(kPast);
    if (!before) {
      before = to.node("Expand", {to.scalar(op.input(kX).dtype, 0.0), to.ints(state)});
    }
    return to.node("Concat", {before, to.input(kX)}, {{"axis", std::int64_t{2}}});
  }

  /// y sigmoid(y), in float32.
  static Ref swished(Expansion& to, Ref y) {
    const Ref wide = as_type(to, y, DType::kF32);
    const Ref result = to.node("Mul", {wide, to.node("Sigmoid", {wide})});
    return as_type(to, result, to.type(y).dtype);
  }
};

}  // namespace

void add_causal_conv(std::vector<const Operator*>& all) { all.push_back(new CausalConvWithState); }

}  // namespace frit
