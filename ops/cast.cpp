// Cast, CastLike, BitCast: elements of one type as another, by value and by bits.
#include <fmt/format.h>

#include "ops/halide_type.h"
#include "ops/operator.h"
#include "ops/rules.h"
#include "ops/small_types.h"

namespace frit {
namespace {

using Halide::Expr;

/// The type numbered by attribute `to`.
Result<DType> target_of(const OpInstance& op) {
  const std::int64_t to = int_attribute(op.attributes, "to", 0);
  const std::optional<DType> dtype = dtype_of_onnx(to);
  if (dtype) return *dtype;
  return fail("onnx-attribute", fmt::format("{}: to is {}, an element type that frit does not "
                                            "have; cast to a float, integer or bool type",
                                            label(op), to));
}

/// Attributes saturate and round_mode, which only casts to small floats read.
Result<SmallFloatCast> rounding_of(const OpInstance& op) {
  SmallFloatCast how;
  how.saturate = int_attribute(op.attributes, "saturate", 1) != 0;
  const std::string mode = string_attribute(op.attributes, "round_mode", "up");
  if (mode == "up") return how;
  how.round = mode == "down" ? SmallFloatCast::Round::kDown : SmallFloatCast::Round::kNearest;
  if (mode == "down" || mode == "nearest") return how;
  return fail("onnx-attribute",
              fmt::format("{}: round_mode is \"{}\" but must be \"up\", \"down\" or \"nearest\"; "
                          "correct the attribute",
                          label(op), mode));
}

/// Opsets 6, 9, 13: plain types. 19: float8 and saturate; 21, 23, 25, 28: more types; 24: f8e8m0
/// and round_mode. What a type cannot hold is as ops/small_types.h says.
class Cast final : public Operator {
 public:
  std::string_view type() const override { return "Cast"; }
  std::string_view formula() const override {
    return "out[i] = x[i] as type to: nearest value, ties to even; floats to integers truncated\n"
           "float8 from opset 19 (saturate: largest finite for what is beyond), 4 bits from 21 and "
           "23, float8e8m0 24";
  }
  int first_opset() const override { return 6; }
  OpKind kind(const OpInstance&) const override { return OpKind::kPointwise; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"round_mode", AttributeKind::kString},
                                   {"saturate", AttributeKind::kInt},
                                   {"to", AttributeKind::kInt, kAlways}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    const Result<DType> to = target_of(op);
    if (!to) return fail(to.error());
    FRIT_TRY(rounding_of(op).map([](const auto&) {}));
    TensorType out = op.input(0);
    out.dtype = *to;
    return std::vector{out};
  }

  /// saturate and round_mode stay only where they are not their defaults and are read.
  Status canonicalise(OpInstance& op) const override {
    const DType to = op.outputs.at(0).dtype;
    const bool saturates = int_attribute(op.attributes, "saturate", 1) != 0;
    if (saturates || !is_small_float(to)) op.attributes.erase("saturate");
    const bool up = string_attribute(op.attributes, "round_mode", "up") == "up";
    if (up || to != DType::kF8E8M0) op.attributes.erase("round_mode");
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    Stage& out = stages.stage("");
    const DType from = op.input(0).dtype, to = op.outputs.at(0).dtype;
    const Expr x = operands[0].at(stages.index());
    const Result<SmallFloatCast> how = rounding_of(op);
    FRIT_ASSERT(how.has_value(), "a Cast that infer accepted");
    out() = cast_element(from, to, x, *how);
    out.op_cost = is_storage_only(from) || is_storage_only(to) ? 12 : 1;
  }
};

/// Cast to the type of its second input, whose elements are not read. Opset 15.
class CastLike final : public Composite {
 public:
  std::string_view type() const override { return "CastLike"; }
  std::string_view formula() const override {
    return "out[i] = x[i] as the type of target_type, as Cast";
  }
  int first_opset() const override { return 15; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"round_mode", AttributeKind::kString},
                                   {"saturate", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(rounding_of(op).map([](const auto&) {}));
    TensorType out = op.input(0);
    out.dtype = op.input(1).dtype;
    return std::vector{out};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    AttributeMap attributes = op.attributes;
    attributes["to"] = onnx_number(op.input(1).dtype);
    to.output(0, to.node("Cast", {to.input(0)}, std::move(attributes)));
    return to.status();
  }
};

/// The bits of x as those of another type of the same width. Opset 26.
class BitCast final : public Operator {
 public:
  std::string_view type() const override { return "BitCast"; }
  std::string_view formula() const override {
    return "out[i] = the bits of x[i] read as type to, of the same width";
  }
  int first_opset() const override { return 26; }
  OpKind kind(const OpInstance&) const override { return OpKind::kPointwise; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"to", AttributeKind::kInt, kAlways}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    const Result<DType> to = target_of(op);
    if (!to) return fail(to.error());
    const DType from = op.input(0).dtype;
    if (packed_bits(from) != packed_bits(*to)) {
      return fail("onnx-type", fmt::format("{}: its input is {}, of {} bits, but to is {}, of {}; "
                                           "name a type of the same width",
                                           label(op), name_of(from), packed_bits(from),
                                           name_of(*to), packed_bits(*to)));
    }
    TensorType out = op.input(0);
    out.dtype = *to;
    return std::vector{out};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    Stage& out = stages.stage("");
    const DType to = op.outputs.at(0).dtype;
    const Expr x = operands[0].at(stages.index());
    const Halide::Type stored = halide_type(to);
    const int bits = packed_bits(to);
    if (x.type() == stored) {
      out() = x;  // bytes of the same kind, sign extended or not
    } else if (bits < 8) {
      const Expr low = Halide::cast<std::uint8_t>(x) &
                       constant_of(Halide::UInt(8), std::int64_t{(1 << bits) - 1});
      const Expr extended = (Halide::cast<std::int8_t>(low) << (8 - bits)) >> (8 - bits);
      out() = stored.is_int() ? extended : low;
    } else if (stored.is_bool()) {
      out() = as_condition(
          x.type().is_int() || x.type().is_uint() ? x : Halide::reinterpret(Halide::UInt(8), x));
    } else {
      out() = Halide::reinterpret(stored, x.type().is_bool() ? Halide::cast<std::uint8_t>(x) : x);
    }
  }
};

}  // namespace

void add_cast(std::vector<const Operator*>& all) {
  all.push_back(new Cast);
  all.push_back(new CastLike);
  all.push_back(new BitCast);
}

}  // namespace frit
