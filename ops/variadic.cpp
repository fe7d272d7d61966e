// Max, Min, Sum and Mean of any number of inputs with ONNX broadcasting.
//
//   out[i] = op(op(op(a[i], b[i]), c[i]), …), and for Mean the sum divided by their number
//
// Max and Min of two inputs are operators of their own; everything else is written as a chain of
// two-input operators, from left to right, so that each link may fuse where it belongs. float16 and
// bfloat16 are summed in float32.
#include <fmt/format.h>

#include "ops/broadcasting.h"
#include "ops/families.h"
#include "ops/math.h"
#include "ops/norm_parts.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;

/// Each input becomes a node: more than any exporter writes would only be a file meant to choke us.
constexpr std::size_t kMostInputs = 1024;

struct VariadicRule {
  std::string_view type;
  std::string_view formula;
  std::span<const DType> (*types)();
  std::string_view link;  ///< operator of two inputs that joins the next one
  bool mean;
  Expr (*value)(const Expr& a, const Expr& b);  ///< nullptr: not even of two inputs
};

constexpr VariadicRule kVariadic[] = {
    {"Max", "out[i] = max_j x_j[i], all inputs broadcast; NaN where any is", numeric_types, "Max",
     false, math::maximum},
    {"Mean", "out[i] = 1/J sum_j x_j[i], all inputs broadcast", float_types, "Add", true, nullptr},
    {"Min", "out[i] = min_j x_j[i], all inputs broadcast; NaN where any is", numeric_types, "Min",
     false, math::minimum},
    {"Sum", "out[i] = sum_j x_j[i], all inputs broadcast", float_types, "Add", false, nullptr},
};

class Variadic final : public Broadcasting {
 public:
  explicit Variadic(const VariadicRule& rule) : rule_(rule) {}
  std::string_view type() const override { return rule_.type; }
  std::string_view formula() const override { return rule_.formula; }
  const Attributes& attributes() const override { return no_attributes(); }
  int first_opset() const override { return 6; }  // before 8 without broadcasting: a case of it

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    const std::size_t count = op.inputs.size();
    if (count > kMostInputs) {
      return fail("onnx-too-large", fmt::format("{} has {} inputs but frit takes at most {}; split "
                                                "it in several",
                                                label(op), count, kMostInputs));
    }
    FRIT_TRY(check_inputs(op, std::max<std::size_t>(1, count), kMostInputs));
    FRIT_TRY(check_dtype(op, 0, "its first input", rule_.types()));
    for (std::size_t i = 1; i < count; ++i) FRIT_TRY(check_same_dtype(op, 0, i));
    return broadcast_to(op, op.input(0).dtype);
  }

  bool expands(const OpInstance& op) const override {
    return rule_.value == nullptr || op.inputs.size() != 2;
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const DType dtype = op.input(0).dtype;
    const std::size_t count = op.inputs.size();
    // A sum of 16 bits rounds once, as all sums do.
    const bool wide = rule_.link == "Add" && size_bytes(dtype) < 4 && (count > 2 || rule_.mean);
    const auto read = [&](std::size_t i) {
      return wide ? cast_to(to, to.input(i), DType::kF32) : to.input(i);
    };
    Ref all = read(0);
    for (std::size_t i = 1; i < count; ++i) all = to.node(std::string(rule_.link), {all, read(i)});
    if (rule_.mean && count > 1) {
      all = to.node("Div", {all, to.scalar(to.type(all).dtype, static_cast<double>(count))});
    }
    to.output(0, wide ? cast_to(to, all, dtype) : all);
    return to.status();
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    write(op, stages, rule_.value(read(stages, operands[0]), read(stages, operands[1])), 2);
  }

 private:
  const VariadicRule& rule_;
};

}  // namespace

void add_variadic(std::vector<const Operator*>& all) {
  for (const VariadicRule& rule : kVariadic) all.push_back(new Variadic(rule));
}

}  // namespace frit
