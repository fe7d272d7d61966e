#include "ops/resize.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/resize_axis.h"
#include "ops/resize_spec.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Var;

ResizeSpec checked_spec(const OpInstance& op) {
  auto spec = resize_spec_of(op);
  FRIT_ASSERT(spec.has_value(), "a resize that infer accepted");
  return *std::move(spec);
}

/// More taps than these are summed by a loop.
constexpr std::int64_t kMostUnrolled = 8;

std::int64_t widest(const ResizeSpec& spec) {
  std::int64_t taps = 1;
  for (std::size_t axis = 0; axis < spec.in.size(); ++axis) {
    if (!keeps_axis(spec, axis)) taps = std::max(taps, resize_taps(spec, axis));
  }
  return taps;
}

bool extrapolates(const ResizeSpec& spec) { return spec.coordinates == "tf_crop_and_resize"; }

/// An axis that changes: index arithmetic, or tables that are inputs of the canonical form.
struct Sampled {
  std::size_t axis = 0;
  std::optional<ResizeLine> line;
  std::size_t index_input = 0, weight_input = 0;  ///< where there is no line
};

/// Outermost axis first; the place of their tables among the inputs follows from their order.
std::vector<Sampled> sampled_axes(const ResizeSpec& spec) {
  std::vector<Sampled> all;
  std::size_t next = 1;
  for (std::size_t axis = 0; axis < spec.in.size(); ++axis) {
    if (keeps_axis(spec, axis)) continue;
    Sampled sampled{axis, resize_line(spec, axis)};
    if (!sampled.line) {
      sampled.index_input = next++;
      if (spec.mode != ResizeMode::kNearest) sampled.weight_input = next++;
    }
    all.push_back(std::move(sampled));
  }
  return all;
}

void add_input(OpInstance& op, Tensor table) {
  op.inputs.emplace_back(table.type());
  op.constants.resize(op.inputs.size());
  op.constants.back() = std::move(table);
}

/// Appends the tables of one axis: a position outside has a negative first index.
void add_tables(const ResizeSpec& spec, const Sampled& sampled, OpInstance& op) {
  const ResizeTable table = resize_table(spec, sampled.axis);
  const std::vector<std::int64_t> dims = {spec.out[sampled.axis], table.taps};
  std::vector<std::int32_t> index = table.index;
  for (std::size_t o = 0; o < table.outside.size(); ++o) {
    if (table.outside[o]) index[o * static_cast<std::size_t>(table.taps)] = -1;
  }
  add_input(op, Tensor::of(DType::kI32, dims, index));
  if (spec.mode == ResizeMode::kNearest) return;
  if (op.input(0).dtype == DType::kF64) {
    add_input(op, Tensor::of(DType::kF64, dims, table.weight));
  } else {
    add_input(op, Tensor::f32(dims, {table.weight.begin(), table.weight.end()}));
  }
}

class Resize : public Operator {
 public:
  std::string_view type() const override { return "Resize"; }
  std::string_view formula() const override {
    return "out[o] = sum_t prod_a weight_a[o_a,t_a] * x[index_a[o_a,t_a]]: nearest 1 tap, linear "
           "2, cubic 4 (more: antialias)\n"
           "position in x: as coordinate_transformation_mode; opset 10: o / scale, nearest rounded "
           "down";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"antialias", kInt},
                                   {"axes", kInts},
                                   {"coordinate_transformation_mode", kString},
                                   {"cubic_coeff_a", kFloat},
                                   {"exclude_outside", kInt},
                                   {"extrapolation_value", kFloat},
                                   {"keep_aspect_ratio_policy", kString},
                                   {"mode", kString},
                                   {"nearest_mode", kString}};
    return all;
  }
  int first_opset() const override { return 10; }
  /// Wide kernels sum in a loop: no index arithmetic that others could take in.
  OpKind kind(const OpInstance& op) const override {
    const auto spec = resize_spec_of(op);
    return spec && widest(*spec) > kMostUnrolled ? OpKind::kOpaque : OpKind::kInjective;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 4 + 2 * op.inputs.size()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    auto spec = resize_spec_of(op);
    if (!spec) return fail(std::move(spec).error());
    if (spec->mode != ResizeMode::kNearest) {
      FRIT_TRY(check_dtype(op, 0, "its input, which it interpolates,", float_types()));
    }
    return std::vector{TensorType(op.input(0).dtype, spec->out)};
  }

  Status canonicalise(OpInstance& op) const override {
    if (has_attribute(op.attributes, "sizes")) return {};  // it is
    const ResizeSpec spec = checked_spec(op);
    op.type = "Resize";
    op.attributes = resize_attributes(spec);
    op.inputs.resize(1);
    op.constants.resize(1);
    for (const Sampled& sampled : sampled_axes(spec)) {
      if (!sampled.line) add_tables(spec, sampled, op);
    }
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const ResizeSpec spec = checked_spec(op);
    const Halide::Type type = halide_type(op.outputs.at(0).dtype);
    if (op.outputs.at(0).elements() == 0) {
      stages.stage("")() = Halide::Internal::make_zero(type);
    } else if (spec.mode == ResizeMode::kNearest) {
      build_nearest(spec, operands, stages);
    } else {
      build_weighted(spec, operands, stages);
    }
  }

  Counts counts(const OpInstance& op) const override {
    const ResizeSpec spec = checked_spec(op);
    Counts counts;
    if (spec.mode == ResizeMode::kNearest) return counts;
    std::vector<std::int64_t> dims = spec.in;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      if (keeps_axis(spec, axis)) continue;
      dims[axis] = spec.out[axis];
      std::int64_t elements = 1;
      for (const std::int64_t extent : dims) elements *= extent;
      counts.flop += elements * 2 * resize_taps(spec, axis);
    }
    return counts;
  }

 private:
  static Expr line_index(const ResizeLine& line, const Expr& out, std::int64_t extent) {
    Expr at = out;
    if (line.shift != 0) at = at + static_cast<int>(line.shift);
    if (line.period != 1) at = at / static_cast<int>(line.period);
    if (line.step != 1) at = at * static_cast<int>(line.step);
    if (line.start != 0) at = at + static_cast<int>(line.start);
    if (line.below) at = Halide::max(at, 0);
    if (line.above) at = Halide::min(at, static_cast<int>(extent) - 1);
    return at;
  }

  /// `value` where `inside` (undefined: everywhere), else the extrapolation value.
  static Expr chosen(const ResizeSpec& spec, const Expr& inside, const Expr& value) {
    if (!inside.defined()) return value;
    return Halide::select(inside, value, constant_of(value.type(), spec.extrapolation));
  }

  static void also(Expr& all, const Expr& one) { all = all.defined() ? all && one : one; }

  static void build_nearest(const ResizeSpec& spec, const std::vector<Operand>& operands,
                            StageBuilder& stages) {
    Index at = stages.index();
    Expr inside;
    for (const Sampled& sampled : sampled_axes(spec)) {
      Expr& along = at[sampled.axis];
      const std::int64_t extent = spec.in[sampled.axis];
      if (sampled.line) {
        along = line_index(*sampled.line, along, extent);
        continue;
      }
      const Expr found = operands[sampled.index_input].at({along, Expr(0)});
      if (extrapolates(spec)) also(inside, found >= 0);
      along = Halide::clamp(found, 0, static_cast<int>(extent) - 1);
    }
    Expr value = operands[0].at(at);
    if (inside.defined() && value.type().is_bool()) {
      value = Halide::select(inside, value, constant_of(value.type(), std::int64_t{0}));
    } else if (inside.defined() && !value.type().is_float()) {
      const auto outside = static_cast<std::int64_t>(spec.extrapolation);
      value = Halide::select(inside, value, constant_of(value.type(), outside));
    } else {
      value = chosen(spec, inside, value);
    }
    stages.stage("")() = value;
  }

  static void build_weighted(const ResizeSpec& spec, const std::vector<Operand>& operands,
                             StageBuilder& stages) {
    const Halide::Type result_type = halide_type(operands[0].type.dtype);
    const Halide::Type sum_type = compute_type(result_type);
    const std::vector<Sampled> axes = sampled_axes(spec);
    const Index out = stages.index();
    std::vector<std::int64_t> extents = spec.in;
    std::function<Expr(const Index&)> before = [&](const Index& at) {
      return cast(sum_type, operands[0].at(at));
    };
    Expr inside;
    for (const Sampled& sampled : axes) {
      const std::int64_t taps = resize_taps(spec, sampled.axis);
      const Expr along = out[sampled.axis];
      if (extrapolates(spec)) also(inside, operands[sampled.index_input].at({along, Expr(0)}) >= 0);
      const auto term = [&](const Expr& t) {
        Index at = out;
        const Expr found = operands[sampled.index_input].at({along, t});
        at[sampled.axis] = Halide::clamp(found, 0, static_cast<int>(spec.in[sampled.axis]) - 1);
        return operands[sampled.weight_input].at({along, t}) * before(at);
      };
      const bool loops = taps > kMostUnrolled;
      Expr sum;
      for (int t = 0; !loops && t < taps; ++t) sum = sum.defined() ? sum + term(t) : term(t);
      if (&sampled == &axes.back() && !loops) {
        before = [sum](const Index&) { return sum; };
        break;
      }
      extents[sampled.axis] = spec.out[sampled.axis];
      Stage& stage = stages.stage_own("along_" + stages.axes()[sampled.axis].name(), stages.axes(),
                                      stages.order(), extents);
      // Positions come from a table, so that stored at its reader's innermost loop, where the
      // default would put it, a whole axis would be made for each element (cubic: 53 to 1 ms).
      stage.op_cost = 1;
      if (loops) {
        reduction_domain({"tap"}, {taps}, stage.reduction);
        stage() = Halide::Internal::make_zero(sum_type);
        stage() += term(stage.reduction.at("tap"));
      } else {
        stage() = sum;
      }
      before = [&stage](const Index& at) -> Expr { return stage(at); };
    }
    stages.stage("")() = cast(result_type, chosen(spec, inside, before(out)));
  }
};

/// Opsets 7 and 9; later ones say Resize.
class Upsample final : public Resize {
 public:
  std::string_view type() const override { return "Upsample"; }
  std::string_view formula() const override {
    return "out[o] = x at o / scale: floor (nearest), or between the two nearest (linear); from "
           "opset 10: Resize";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"mode", kString}, {"scales", kFloats, 9}};
    return all;
  }
  int first_opset() const override { return 7; }
};

}  // namespace

void add_resize(std::vector<const Operator*>& all) {
  static const Resize resize;
  static const Upsample upsample;
  all.insert(all.end(), {&resize, &upsample});
}

}  // namespace frit
