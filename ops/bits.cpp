// Operators on the bits of integers, and remainders.
#include <fmt/format.h>

#include "ops/broadcasting.h"
#include "ops/halide_type.h"
#include "ops/math.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;
using Halide::select;

Expr zero_of(const Expr& x) { return Halide::Internal::make_zero(x.type()); }

Expr bit_and(const Expr& a, const Expr& b) { return a & b; }
Expr bit_or(const Expr& a, const Expr& b) { return a | b; }
Expr bit_xor(const Expr& a, const Expr& b) { return a ^ b; }

/// Opset 18.
class Bitwise final : public Broadcasting {
 public:
  Bitwise(std::string_view type, std::string_view formula, Expr (*value)(const Expr&, const Expr&))
      : type_(type), formula_(formula), value_(value) {}
  std::string_view type() const override { return type_; }
  std::string_view formula() const override { return formula_; }
  int first_opset() const override { return 18; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "its first input", integer_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    return broadcast_to(op, op.input(0).dtype);
  }
  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    write(op, stages, value_(read(stages, operands[0]), read(stages, operands[1])), 1);
  }

 private:
  std::string_view type_, formula_;
  Expr (*value_)(const Expr&, const Expr&);
};

class BitwiseNot final : public Operator {
 public:
  std::string_view type() const override { return "BitwiseNot"; }
  std::string_view formula() const override { return "out[i] = ~x[i]"; }
  int first_opset() const override { return 18; }
  OpKind kind(const OpInstance&) const override { return OpKind::kPointwise; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", integer_types()));
    return std::vector{op.input(0)};
  }
  void build(const OpInstance&, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    stages.stage("")() = ~operands[0].at(stages.index());
  }
};

/// x << y or x >> y. Opset 11: unsigned integers; opset 28: signed ones too, whose right shift
/// extends the sign. A y outside [0, bits) shifts everything out, in any opset.
class BitShift final : public Broadcasting {
 public:
  std::string_view type() const override { return "BitShift"; }
  std::string_view formula() const override {
    return "direction \"LEFT\": out[i] = x[i] << y[i]; \"RIGHT\": out[i] = x[i] >> y[i]; "
           "broadcast\n"
           "a y outside [0, bits) shifts all out; signed integers from opset 28, their sign "
           "extended";
  }
  int first_opset() const override { return 11; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"direction", AttributeKind::kString, kAlways}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "its first input", integer_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    const std::string direction = string_attribute(op.attributes, "direction", "");
    if (direction != "LEFT" && direction != "RIGHT") {
      return fail("onnx-attribute",
                  fmt::format("{}: direction is \"{}\" but must be \"LEFT\" or \"RIGHT\"; correct "
                              "the attribute",
                              label(op), direction));
    }
    return broadcast_to(op, op.input(0).dtype);
  }
  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Expr x = read(stages, operands[0]), y = read(stages, operands[1]);
    const Halide::Type amounts = Halide::UInt(x.type().bits());
    const Expr amount = Halide::cast(amounts, y);  // a negative one becomes large
    const Expr width = constant_of(amounts, std::int64_t{x.type().bits()});
    const Expr held = select(amount < width, amount, Halide::Internal::make_zero(amounts));
    const bool left = string_attribute(op.attributes, "direction", "") == "LEFT";
    const Expr shifted = left ? x << held : x >> held;
    Expr out = zero_of(x);
    if (!left && x.type().is_int()) out = select(x < out, ~out, out);
    write(op, stages, select(amount < width, shifted, out), 3);
  }
};

/// a - trunc(a / b) * b, exact. Integers: 0 for b = 0.
Expr truncated_remainder(const Expr& a, const Expr& b) {
  if (a.type().is_float()) {
    const char* const name = a.type().bits() == 64 ? "fmod" : "fmodf";
    return Halide::Internal::Call::make(a.type(), name, {a, b}, Halide::Internal::Call::PureExtern);
  }
  return select(b == zero_of(b), zero_of(a), a - math::divide(a, b) * b);
}

/// a - floor(a / b) * b. Of floats, a remainder of 0 has the sign of b.
Expr floor_remainder(const Expr& a, const Expr& b) {
  const Expr rest = truncated_remainder(a, b);
  if (a.type().is_uint()) return rest;
  if (!a.type().is_float()) {
    return select(rest != zero_of(a) && (rest ^ b) < zero_of(a), rest + b, rest);
  }
  const Halide::Type integer = Halide::Int(a.type().bits());
  const Expr zero = Halide::Internal::make_zero(integer);
  const Expr rest_bits = Halide::reinterpret(integer, rest);
  const Expr b_bits = Halide::reinterpret(integer, b);
  const Expr signed_zero = Halide::reinterpret(a.type(), b_bits & integer.min());
  const Expr apart = (rest_bits ^ b_bits) < zero;
  return select((rest_bits & integer.max()) == zero, signed_zero, apart, math::strict_add(rest, b),
                rest);
}

/// Opsets 10, 13, 28. Floats are taken with either value of fmod in every opset.
class Mod final : public Broadcasting {
 public:
  std::string_view type() const override { return "Mod"; }
  std::string_view formula() const override {
    return "out[i] = a[i] - floor(a[i] / b[i]) * b[i], a and b broadcast; fmod 1: trunc for floor";
  }
  int first_opset() const override { return 10; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"fmod", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "its first input", numeric_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    return broadcast_to(op, op.input(0).dtype);
  }
  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Expr a = read(stages, operands[0]), b = read(stages, operands[1]);
    const bool truncates = int_attribute(op.attributes, "fmod", 0) != 0;
    write(op, stages, truncates ? truncated_remainder(a, b) : floor_remainder(a, b), 20);
  }
};

}  // namespace

void add_bits(std::vector<const Operator*>& all) {
  all.push_back(new Bitwise("BitwiseAnd", "out[i] = a[i] & b[i], a and b broadcast", bit_and));
  all.push_back(new Bitwise("BitwiseOr", "out[i] = a[i] | b[i], a and b broadcast", bit_or));
  all.push_back(new Bitwise("BitwiseXor", "out[i] = a[i] ^ b[i], a and b broadcast", bit_xor));
  all.push_back(new BitwiseNot);
  all.push_back(new BitShift);
  all.push_back(new Mod);
}

}  // namespace frit
