// Reductions over named axes: ReduceSum, ReduceMean, ReduceMax … (the table kReduce).
//
// Stage "acc" runs over the output's axes and reduces over r0, r1, … (reduced axes, outermost
// first); stage "res" finishes, where there is something to finish. Sums run in float32 for
// float16 and bfloat16. Zero extents leave the identity: 0, 1, -inf, and NaN for a mean.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ops/operator.h"
#include "ops/halide_type.h"
#include "ops/math.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;
using Halide::Type;
using TypeSet = std::span<const DType> (*)();

enum class Combine : std::uint8_t { kSum, kProduct, kMax, kMin };

/// result = finish(combine over the axes of element(x), count of reduced elements)
struct ReduceRule {
  std::string_view type;
  std::string_view formula;
  TypeSet types;
  int axes_input_from;  ///< opset from which axes are input 1
  Combine combine;
  Expr (*element)(const Expr& x);                         ///< nullptr: x itself
  Expr (*finish)(const Expr& total, std::int64_t count);  ///< nullptr: total itself
  int flop;                                               ///< per input element
};

Expr square(const Expr& x) { return x * x; }
Expr magnitude(const Expr& x) { return math::absolute(x); }
Expr root(const Expr& total, std::int64_t) {
  // Integers: ONNX gives the result in the input's type.
  const Type type = total.type();
  if (type.is_float()) return Halide::sqrt(total);
  return math::convert(type, Halide::sqrt(Halide::cast(Halide::Float(64), total)));
}
Expr logarithm(const Expr& total, std::int64_t) { return math::log(total); }
Expr average(const Expr& total, std::int64_t count) {
  const Type type = total.type();
  if (!type.is_float()) return math::divide(total, constant_of(type, count));
  if (count == 0) return constant_of(type, std::numeric_limits<double>::quiet_NaN());
  return total * constant_of(type, 1.0 / static_cast<double>(count));
}

constexpr ReduceRule kReduce[] = {
    {"ReduceL1", "out[i] = sum_r |x[i,r]|, r over axes (all where none are named)", numeric_types,
     18, Combine::kSum, magnitude, nullptr, 1},
    {"ReduceL2", "out[i] = sqrt(sum_r x[i,r]^2), r over axes (all where none are named)",
     numeric_types, 18, Combine::kSum, square, root, 2},
    {"ReduceLogSum", "out[i] = log(sum_r x[i,r]), r over axes (all where none are named)",
     float_types, 18, Combine::kSum, nullptr, logarithm, 1},
    {"ReduceMax", "out[i] = max_r x[i,r], r over axes (all where none are named); NaN where any is",
     all_types, 18, Combine::kMax, nullptr, nullptr, 1},
    {"ReduceMean", "out[i] = 1/R sum_r x[i,r], r over axes (all where none are named)",
     numeric_types, 18, Combine::kSum, nullptr, average, 1},
    {"ReduceMin", "out[i] = min_r x[i,r], r over axes (all where none are named); NaN where any is",
     all_types, 18, Combine::kMin, nullptr, nullptr, 1},
    {"ReduceProd", "out[i] = prod_r x[i,r], r over axes (all where none are named)", numeric_types,
     18, Combine::kProduct, nullptr, nullptr, 1},
    {"ReduceSum", "out[i] = sum_r x[i,r], r over axes (all where none are named)", numeric_types,
     13, Combine::kSum, nullptr, nullptr, 1},
    {"ReduceSumSquare", "out[i] = sum_r x[i,r]^2, r over axes (all where none are named)",
     numeric_types, 18, Combine::kSum, square, nullptr, 2},
};

/// Axes as the canonical form lists them; nullopt: the node leaves its input as it is.
Result<std::optional<std::vector<std::int64_t>>> reduced_axes(const OpInstance& op,
                                                              int axes_input_from) {
  const int rank = op.input(0).rank();
  std::vector<std::int64_t> axes;
  if (op.opset >= axes_input_from && !has_attribute(op.attributes, "axes")) {
    auto given = integer_input(op, 1, "axes");
    if (!given) return fail(given.error());
    if (*given) axes = (*given)->to_ints();
  } else {
    axes = ints_attribute(op.attributes, "axes", {});
  }
  if (axes.empty()) {
    if (int_attribute(op.attributes, "noop_with_empty_axes", 0) != 0) return std::nullopt;
    for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
    return axes;
  }
  auto normal = normal_axes(op, axes, rank);
  if (!normal) return fail(normal.error());
  return std::move(*normal);
}

/// The reduced axes of a canonical node, which lists them.
std::vector<std::int64_t> axes_of(const OpInstance& op) {
  return ints_attribute(op.attributes, "axes", {});
}

/// Shape rule, canonical form and facts of everything that reduces over listed axes.
class Reducing : public Operator {
 public:
  Reducing(std::string_view type, TypeSet types, int axes_input_from)
      : type_(type), types_(types), axes_input_from_(axes_input_from) {}

  std::string_view type() const override { return type_; }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {
        {"axes", kInts}, {"keepdims", kInt}, {"noop_with_empty_axes", kInt}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kReduction; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, op.opset >= axes_input_from_ ? 2 : 1));
    // Extremes of bool came with opset 20.
    const bool without_bool = types_ == all_types && op.opset < 20;
    FRIT_TRY(check_dtype(op, 0, "its input", without_bool ? numeric_types() : types_()));
    const auto axes = reduced_axes(op, axes_input_from_);
    if (!axes) return fail(axes.error());
    TensorType out = op.input(0);
    if (!*axes) return std::vector{out};
    const bool keep = int_attribute(op.attributes, "keepdims", 1) != 0;
    for (std::size_t i = (*axes)->size(); i-- > 0;) {
      const auto axis = static_cast<std::ptrdiff_t>((**axes)[i]);
      if (keep) {
        out.shape[static_cast<std::size_t>(axis)] = Extent(1);
      } else {
        out.shape.erase(out.shape.begin() + axis);
      }
    }
    return std::vector{out};
  }

  Status canonicalise(OpInstance& op) const override {
    const auto axes = reduced_axes(op, axes_input_from_);
    if (!axes) return fail(axes.error());
    op.inputs.resize(1);
    op.constants.resize(1);
    if (!*axes && is_itself_of_one()) {
      op.type = "Identity";
      op.attributes.clear();
      return {};
    }
    if (!*axes) {  // ReduceSumSquare over no axes still squares
      op.attributes = {{"axes", std::vector<std::int64_t>()},
                       {"keepdims", std::int64_t{1}},
                       {"noop_with_empty_axes", std::int64_t{1}}};
      return {};
    }
    const std::int64_t keep = int_attribute(op.attributes, "keepdims", 1) != 0;
    op.attributes = {{"axes", **axes}, {"keepdims", keep}};
    return {};
  }

  std::string anchor(const OpInstance&) const override { return "reduce"; }

  Facts facts(const OpInstance& op) const override {
    Facts facts = Operator::facts(op);
    const std::vector<std::int64_t> dims = op.input(0).dims();
    std::int64_t reduced = 1;
    const std::vector<std::int64_t> axes = axes_of(op);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t extent = dims[static_cast<std::size_t>(axes[i])];
      facts["r" + std::to_string(i)] = extent;
      reduced *= extent;
    }
    facts["reduced"] = reduced;
    facts["outputs"] = op.outputs.at(0).elements();
    return facts;
  }

 protected:
  /// A reduction in the making: the variables, and where the input is read.
  struct Reads {
    Index index;  ///< into the input: output axes, and r0, r1, … on the reduced ones
    std::map<std::string, Halide::RVar> variables;
    std::int64_t count = 1;
  };
  static Reads reads_of(const OpInstance& op, const StageBuilder& stages) {
    Reads reads;
    const std::vector<std::int64_t> dims = op.input(0).dims();
    const std::vector<std::int64_t> axes = axes_of(op);
    std::vector<std::string> names;  // innermost loop first
    std::vector<std::int64_t> extents;
    for (std::size_t i = axes.size(); i-- > 0;) {
      names.push_back("r" + std::to_string(i));
      extents.push_back(dims[static_cast<std::size_t>(axes[i])]);
      reads.count *= extents.back();
    }
    if (!names.empty()) reduction_domain(names, extents, reads.variables);
    const bool keep = int_attribute(op.attributes, "keepdims", 1) != 0;
    std::size_t next_axis = 0;
    for (std::size_t axis = 0, next = 0; axis < dims.size(); ++axis) {
      const bool reduced = next < axes.size() && axes[next] == static_cast<std::int64_t>(axis);
      if (reduced) {
        reads.index.emplace_back(reads.variables.at("r" + std::to_string(next++)));
        next_axis += keep;
      } else {
        reads.index.emplace_back(stages.axes()[next_axis++]);
      }
    }
    return reads;
  }

 private:
  /// Whether a reduction of one element gives that element.
  bool is_itself_of_one() const {
    return type_ != "ReduceL1" && type_ != "ReduceL2" && type_ != "ReduceLogSum" &&
           type_ != "ReduceSumSquare";
  }

  std::string_view type_;
  TypeSet types_;
  int axes_input_from_;
};

class Reduce final : public Reducing {
 public:
  explicit Reduce(const ReduceRule& rule)
      : Reducing(rule.type, rule.types, rule.axes_input_from), rule_(rule) {}
  std::string_view formula() const override { return rule_.formula; }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Reads reads = reads_of(op, stages);
    Expr x = operands[0].at(reads.index);
    const Type type = halide_type(op.outputs.at(0).dtype);
    x = Halide::cast(accumulator(type), x);
    if (rule_.element) x = rule_.element(x);
    const bool extreme = rule_.combine == Combine::kMax || rule_.combine == Combine::kMin;
    const bool keyed = extreme && type.is_float();
    const bool greatest = rule_.combine == Combine::kMax;
    if (keyed) x = math::order_key(x, greatest);

    Stage& acc = stages.stage("acc");
    acc.reduction = reads.variables;
    acc() = keyed ? math::order_key_identity(x.type(), greatest) : identity(x.type());
    switch (rule_.combine) {
      case Combine::kSum:
        acc() += x;
        break;
      case Combine::kProduct:
        acc() *= x;
        break;
      case Combine::kMax:
        acc() = Halide::max(acc(), x);
        break;
      case Combine::kMin:
        acc() = Halide::min(acc(), x);
        break;
    }
    Expr result = acc();
    if (keyed) result = math::from_order_key(result);
    if (rule_.finish) result = rule_.finish(result, reads.count);
    if (!keyed && !rule_.finish && result.type() == type) return;
    Stage& res = stages.stage("res");
    if (type.is_bool()) result = as_condition(result);
    res() = rule_.finish || keyed ? math::convert(type, result) : Halide::cast(type, result);
    res.op_cost = 3;
  }

  Counts counts(const OpInstance& op) const override {
    return {op.input(0).elements() * rule_.flop, 0};
  }

 private:
  /// Means of integers sum in 64 bits: their result always fits the input's type.
  Type accumulator(Type type) const {
    if (type.is_bool()) return Halide::UInt(8);  // true is 1 there, and only 0 is false
    if (type.is_float() || rule_.finish != average) return compute_type(type);
    return type.with_bits(64);
  }
  Expr identity(Type type) const {
    switch (rule_.combine) {
      case Combine::kSum:
        return constant_of(type, std::int64_t{0});
      case Combine::kProduct:
        return constant_of(type, std::int64_t{1});
      case Combine::kMax:
        return type.min();
      case Combine::kMin:
        return type.max();
    }
    FRIT_ASSERT(false, "a way to combine without an identity");
  }

  const ReduceRule& rule_;
};

/// log(sum exp(x)), by way of the maximum so that nothing overflows. Stages "max", "acc", "res".
class LogSumExp final : public Reducing {
 public:
  LogSumExp() : Reducing("ReduceLogSumExp", float_types, 18) {}
  std::string_view formula() const override {
    return "out[i] = log(sum_r exp(x[i,r])), r over axes (all where none are named)";
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Reads reads = reads_of(op, stages);
    const Type type = halide_type(op.outputs.at(0).dtype);
    const Expr x = Halide::cast(compute_type(type), operands[0].at(reads.index));
    const double inf = std::numeric_limits<double>::infinity();

    // A NaN may be lost here: the sum below has it too.
    Stage& top = stages.stage("max");
    top.reduction = reads.variables;
    top() = constant_of(x.type(), -inf);
    top() = Halide::max(top(), x);
    // Infinite: nothing to shift by, and inf - inf would make a NaN.
    Stage& shift = stages.stage("shift");
    const Expr finite = math::is_finite(top());
    shift() = Halide::select(finite, top(), constant_of(x.type(), 0.0));

    const Reads again = reads_of(op, stages);
    Index outer = stages.index();
    Stage& acc = stages.stage("acc");
    acc.reduction = again.variables;
    acc() = constant_of(x.type(), 0.0);
    acc() += math::exp(Halide::cast(x.type(), operands[0].at(again.index)) - shift(outer));
    Stage& res = stages.stage("res");
    res() = Halide::cast(type, math::log(acc(outer)) + shift(outer));
    res.op_cost = 20;
  }

  Counts counts(const OpInstance& op) const override {
    const std::int64_t elements = op.input(0).elements();
    return {elements * 3, elements};
  }
};

}  // namespace

void add_reduce(std::vector<const Operator*>& all) {
  for (const ReduceRule& rule : kReduce) all.push_back(new Reduce(rule));
  all.push_back(new LogSumExp);
}

}  // namespace frit
