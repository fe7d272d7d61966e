// Operators of two inputs with ONNX broadcasting, and Where: arithmetic, comparisons, logic.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "ops/broadcast.h"
#include "ops/broadcasting.h"
#include "ops/halide_type.h"
#include "ops/math.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;
using TypeSet = std::span<const DType> (*)();

struct BinaryRule {
  std::string_view type;
  std::string_view formula;
  int first_opset;  ///< before 7 the operands broadcast by an attribute, which frit does not read
  TypeSet types;
  bool result_bool;
  Expr (*value)(const Expr& a, const Expr& b);
  int cost;
};

std::span<const DType> bool_type() { return all_types().last(1); }

// Strict: LLVM makes a + a c of a (1 + c), and a (b + c) of a b + a c. Both differ where a is
// infinite and the sum is not of one sign.
Expr add(const Expr& a, const Expr& b) {
  return a.type().is_float() ? math::strict_add(a, b) : a + b;
}
// Strict: Halide rewrites x - x, (x + y) - x and x - select(p, y, x), also where the operand is a
// stage that is inlined later, and so loses the NaN of inf - inf.
Expr sub(const Expr& a, const Expr& b) {
  return a.type().is_float() ? math::strict_sub(a, b) : a - b;
}
// Strict: LLVM makes 1 of a (1 / a), which is NaN where a is 0 or infinite.
Expr mul(const Expr& a, const Expr& b) {
  return a.type().is_float() ? math::strict_mul(a, b) : a * b;
}
Expr div(const Expr& a, const Expr& b) { return math::divide(a, b); }
Expr equal(const Expr& a, const Expr& b) { return math::strict_equal(a, b); }
Expr less(const Expr& a, const Expr& b) { return math::strict_less(a, b); }
Expr less_or_equal(const Expr& a, const Expr& b) { return math::strict_less_equal(a, b); }
Expr greater(const Expr& a, const Expr& b) { return math::strict_less(b, a); }
Expr greater_or_equal(const Expr& a, const Expr& b) { return math::strict_less_equal(b, a); }
Expr both(const Expr& a, const Expr& b) { return a && b; }
Expr either(const Expr& a, const Expr& b) { return a || b; }
Expr exclusive(const Expr& a, const Expr& b) { return a != b; }

constexpr BinaryRule kBinary[] = {
    {"Add", "out[i] = a[i] + b[i], a and b broadcast", 7, numeric_types, false, add, 1},
    {"And", "out[i] = a[i] && b[i], a and b broadcast", 7, bool_type, true, both, 1},
    {"Div", "out[i] = a[i] / b[i], a and b broadcast; integers towards 0, 0 for b[i] = 0", 7,
     numeric_types, false, div, 4},
    {"Equal", "out[i] = a[i] == b[i], a and b broadcast", 7, all_types, true, equal, 1},
    {"Greater", "out[i] = a[i] > b[i], a and b broadcast", 7, numeric_types, true, greater, 1},
    {"GreaterOrEqual", "out[i] = a[i] >= b[i], a and b broadcast", 12, numeric_types, true,
     greater_or_equal, 1},
    {"Less", "out[i] = a[i] < b[i], a and b broadcast", 7, numeric_types, true, less, 1},
    {"LessOrEqual", "out[i] = a[i] <= b[i], a and b broadcast", 12, numeric_types, true,
     less_or_equal, 1},
    {"Mul", "out[i] = a[i] * b[i], a and b broadcast", 7, numeric_types, false, mul, 1},
    {"Or", "out[i] = a[i] || b[i], a and b broadcast", 7, bool_type, true, either, 1},
    {"Sub", "out[i] = a[i] - b[i], a and b broadcast", 7, numeric_types, false, sub, 1},
    {"Xor", "out[i] = a[i] != b[i], a and b broadcast", 7, bool_type, true, exclusive, 1},
};

class Binary final : public Broadcasting {
 public:
  explicit Binary(const BinaryRule& rule) : rule_(rule) {}
  std::string_view type() const override { return rule_.type; }
  std::string_view formula() const override { return rule_.formula; }
  const Attributes& attributes() const override { return no_attributes(); }
  int first_opset() const override { return rule_.first_opset; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "its first input", rule_.types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    return broadcast_to(op, rule_.result_bool ? DType::kBool : op.input(0).dtype);
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    Expr a = read(stages, operands[0]);
    Expr b = read(stages, operands[1]);
    if (op.input(0).dtype == DType::kBool) a = as_condition(a), b = as_condition(b);
    write(op, stages, rule_.value(a, b), rule_.cost);
  }

 private:
  const BinaryRule& rule_;
};

/// The result has the type of the base; the exponent's may differ.
class Pow final : public Broadcasting {
 public:
  std::string_view type() const override { return "Pow"; }
  std::string_view formula() const override {
    return "out[i] = a[i]^b[i] in a's type, a and b broadcast";
  }
  const Attributes& attributes() const override { return no_attributes(); }
  int first_opset() const override { return 7; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "the base", numeric_types()));
    FRIT_TRY(check_dtype(op, 1, "the exponent", numeric_types()));
    return broadcast_to(op, op.input(0).dtype);
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Expr a = read(stages, operands[0]);
    const Tensor* exponent = op.constant(1);
    if (exponent && exponent->elements() == 1) {
      const double power = exponent->to_doubles().at(0);
      if (const Expr simple = math::pow_constant(a, power); simple.defined()) {
        return write(op, stages, simple, 2);
      }
    }
    write(op, stages, math::pow(a, read(stages, operands[1])), 60);
  }

  Counts counts(const OpInstance& op) const override {
    const std::int64_t elements = op.outputs.at(0).elements();
    const Tensor* exponent = op.constant(1);
    if (exponent && exponent->elements() == 1) return {elements, 0};
    return {0, elements};
  }
};

class Where final : public Broadcasting {
 public:
  std::string_view type() const override { return "Where"; }
  std::string_view formula() const override {
    return "out[i] = condition[i] ? a[i] : b[i], all three broadcast";
  }
  const Attributes& attributes() const override { return no_attributes(); }
  int first_opset() const override { return 9; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 3, 3));
    FRIT_TRY(check_dtype(op, 0, "the condition", bool_type()));
    FRIT_TRY(check_same_dtype(op, 1, 2));
    return broadcast_to(op, op.input(1).dtype);
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Index index = stages.index();
    const auto at = [&](std::size_t i) {
      return read_broadcast(operands[i], index, stages.extents());
    };
    write(op, stages, Halide::select(as_condition(at(0)), at(1), at(2)), 1);
  }
};

}  // namespace

void add_binary(std::vector<const Operator*>& all) {
  for (const BinaryRule& rule : kBinary) all.push_back(new Binary(rule));
  all.push_back(new Pow);
  all.push_back(new Where);
}

}  // namespace frit
