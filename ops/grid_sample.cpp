// GridSample: the input at positions that a second input names.
//
// Each spatial axis has 1 (nearest), 2 (linear) or 4 (cubic) taps around its position; the result
// sums the products of weights over all combinations. Stage "pos_<a>" holds the position along
// spatial axis a, once for all channels. Halide may not let a tap leave the input, so that indices
// are clamped, and zero padding is a factor of 0 or 1 by way of select.
#include <fmt/format.h>

#include <algorithm>

#include "ops/arithmetic.h"
#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::select;

enum class Sampling : std::uint8_t { kNearest, kLinear, kCubic };
enum class Padding : std::uint8_t { kZeros, kBorder, kReflection };

struct GridSpec {
  Sampling sampling = Sampling::kLinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
};

Result<GridSpec> grid_spec_of(const OpInstance& op) {
  GridSpec spec;
  const bool early = op.opset < 20;  // names of two axes
  const std::string mode = string_attribute(op.attributes, "mode", early ? "bilinear" : "linear");
  if (mode == "nearest") {
    spec.sampling = Sampling::kNearest;
  } else if (mode == (early ? "bicubic" : "cubic")) {
    spec.sampling = Sampling::kCubic;
  } else if (mode != (early ? "bilinear" : "linear")) {
    return fail("onnx-attribute",
                fmt::format("{}: mode is \"{}\" but must be one of nearest, {}; correct the "
                            "attribute",
                            label(op), mode, early ? "bilinear, bicubic" : "linear, cubic"));
  }
  const std::string padding = string_attribute(op.attributes, "padding_mode", "zeros");
  if (padding == "border") {
    spec.padding = Padding::kBorder;
  } else if (padding == "reflection") {
    spec.padding = Padding::kReflection;
  } else if (padding != "zeros") {
    return fail("onnx-attribute",
                fmt::format("{}: padding_mode is \"{}\" but must be one of zeros, border, "
                            "reflection; correct the attribute",
                            label(op), padding));
  }
  spec.align_corners = int_attribute(op.attributes, "align_corners", 0) != 0;
  return spec;
}

/// One spatial axis: how positions and taps along it are made.
class SampledAxis {
 public:
  SampledAxis(const GridSpec& spec, std::int64_t extent)
      : spec_(spec), extent_(static_cast<int>(extent)) {}

  int taps() const {
    return spec_.sampling == Sampling::kNearest ? 1 : spec_.sampling == Sampling::kLinear ? 2 : 4;
  }

  /// Position in elements of a coordinate in [-1, 1].
  Expr position(const Expr& coordinate) const {
    const Halide::Type type = coordinate.type();
    const Expr one = constant_of(type, 1.0), two = constant_of(type, 2.0);
    const Expr extent = constant_of(type, static_cast<double>(extent_));
    Expr at = spec_.align_corners ? (coordinate + one) / two * (extent - one)
                                  : ((coordinate + one) * extent - one) / two;
    if (spec_.sampling == Sampling::kNearest) at = Halide::round(at);  // half to even
    const double low = spec_.align_corners ? 0.0 : -0.5, high = extent_ - 1 - low;
    const Expr least = constant_of(type, low), most = constant_of(type, high);
    // Strict: a position that is NaN stays it; LLVM makes a minimum, which drops it.
    const Expr before = math::strict_less(at, least), past = math::strict_less(most, at);
    switch (spec_.padding) {
      case Padding::kZeros:
        return at;
      case Padding::kBorder:
        return select(before, constant_of(type, 0.0), select(past, extent - one, at));
      case Padding::kReflection:
        return select(before, reflected(least - at, least, most, low < high),
                      select(past, reflected(at - most, most, least, low < high), at));
    }
    return at;
  }

  /// Element `tap` around `position`, before it is kept inside.
  Expr element(const Expr& position, int tap) const {
    // Far positions, and NaN, are held where integers do not overflow.
    const Expr first =
        Halide::clamp(math::convert(Halide::Int(32), Halide::floor(position)), -kFar, kFar);
    return first + (spec_.sampling == Sampling::kCubic ? tap - 1 : tap);
  }

  Expr weight(const Expr& position, int tap) const {
    const Halide::Type type = position.type();
    const Expr past = position - Halide::floor(position);
    if (spec_.sampling == Sampling::kLinear) {
      return tap == 0 ? math::complement(past) : past;
    }
    const auto c = [&](double value) { return constant_of(type, value); };
    const double a = -0.75;
    const auto near = [&](const Expr& x) {
      return math::complement((c(a + 3) - c(a + 2) * x) * x * x);
    };
    const auto far = [&](const Expr& x) {
      return ((c(a) * x - c(5 * a)) * x + c(8 * a)) * x - c(4 * a);
    };
    switch (tap) {
      case 0:
        return far(past + c(1.0));
      case 1:
        return near(past);
      case 2:
        return near(c(1.0) - past);
      default:
        return far(c(2.0) - past);
    }
  }

  /// `element` inside the input.
  Expr kept(const Expr& element) const {
    if (spec_.padding != Padding::kReflection) return Halide::clamp(element, 0, extent_ - 1);
    const int period = spec_.align_corners ? 2 * (extent_ - 1) : 2 * extent_;
    if (period == 0) return 0;
    const Expr phase = element % period;  // Halide's is never negative
    const Expr mirror = (spec_.align_corners ? period : period - 1) - phase;
    return Halide::clamp(select(phase < extent_, phase, mirror), 0, extent_ - 1);
  }

  /// Undefined: always.
  Expr inside(const Expr& element) const {
    if (spec_.padding != Padding::kZeros) return {};
    return element >= 0 && element < extent_;
  }

 private:
  static constexpr int kFar = 1 << 30;

  /// The point `past` beyond border `from`, mirrored to and fro between it and `to`.
  static Expr reflected(const Expr& past, const Expr& from, const Expr& to, bool any) {
    if (!any) return from;
    const Halide::Type type = past.type();
    const Expr span = Halide::abs(to - from), times = Halide::floor(past / span);
    const Expr rest = past - times * span;
    const Expr half = times * constant_of(type, 0.5);
    const Expr even = half == Halide::floor(half);
    const Expr inward = select(to > from, rest, -rest);
    return select(even, from + inward, to - inward);
  }

  GridSpec spec_;
  int extent_;
};

/// Opsets 16 (two axes) and 20 (any number).
class GridSample final : public Operator {
 public:
  std::string_view type() const override { return "GridSample"; }
  std::string_view formula() const override {
    return "out[n,c,y,x] = interpolation by mode of x[n,c] at pixel coordinates of grid[n,y,x,:]\n"
           "grid in [-1, 1]: corner pixels' centres (align_corners) or outer edges; outside by "
           "padding_mode\n"
           "opset 16: bilinear, bicubic, nearest of 2 axes; from opset 20 linear, cubic, nearest "
           "of any number";
  }
  int first_opset() const override { return 16; }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"align_corners", AttributeKind::kInt},
                                   {"mode", AttributeKind::kString},
                                   {"padding_mode", AttributeKind::kString}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 1, "its grid", float_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    FRIT_TRY(check_constant_shape(op, 1, "its grid"));
    auto spec = grid_spec_of(op);
    if (!spec) return fail(std::move(spec).error());
    FRIT_TRY(check_dtype(op, 0, "its input",
                         spec->sampling == Sampling::kNearest ? all_types() : float_types()));
    const std::vector<std::int64_t> x = op.input(0).dims(), grid = op.input(1).dims();
    const std::size_t most = op.opset < 20 ? 4 : 5;
    const bool fits = x.size() >= (op.opset < 20 ? 4U : 3U) && x.size() <= most &&
                      grid.size() == x.size() && grid[0] == x[0] &&
                      grid.back() == static_cast<std::int64_t>(x.size()) - 2;
    if (!fits) {
      return fail("onnx-shape",
                  fmt::format("{}: its input is {} and its grid {} but they must be [n,c,spatial…] "
                              "of rank {} and [n,spatial…,number of spatial axes]; correct the "
                              "model",
                              label(op), to_text(op.input(0)), to_text(op.input(1)),
                              op.opset < 20 ? "4" : "3 to 5"));
    }
    std::vector<std::int64_t> out = {x[0], x[1]};
    out.insert(out.end(), grid.begin() + 1, grid.end() - 1);
    FRIT_TRY(check_size(op, out));
    if (std::count(x.begin() + 2, x.end(), 0) > 0 && checked_elements(out) > 0) {
      return fail("onnx-shape", fmt::format("{}: its input {} is empty but {} are sampled from it; "
                                            "pass a larger --shape",
                                            label(op), to_text(op.input(0)), dims_text(out)));
    }
    return std::vector{TensorType(op.input(0).dtype, out)};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Halide::Type type = halide_type(op.outputs.at(0).dtype);
    if (op.outputs.at(0).elements() == 0) {
      stages.stage("")() = Halide::Internal::make_zero(type);
      return;
    }
    const GridSpec spec = *grid_spec_of(op);
    const std::vector<std::int64_t> dims = op.input(0).dims();
    std::vector<SampledAxis> axes;
    std::vector<Expr> positions;
    const Halide::Type at_type = compute_type(halide_type(op.input(1).dtype));
    for (std::size_t axis = 2; axis < dims.size(); ++axis) {
      axes.emplace_back(spec, dims[axis]);
      positions.push_back(position_stage(axes.back(), axis, at_type, operands[1], stages));
    }
    const Expr value = sum_of_taps(axes, positions, operands[0], stages);
    stages.stage("")() = value.type() == type ? value : cast(type, value);
  }

  Counts counts(const OpInstance& op) const override {
    std::int64_t taps = 1;
    const GridSpec spec = *grid_spec_of(op);
    for (int axis = 2; axis < op.input(0).rank(); ++axis) taps *= SampledAxis(spec, 1).taps();
    return {op.outputs.at(0).elements() * 2 * taps, 0};
  }

 private:
  static Expr position_stage(const SampledAxis& along, std::size_t axis, Halide::Type type,
                             const Operand& grid, StageBuilder& stages) {
    const Index out = stages.index();
    std::vector<int> over = {0};
    Index at = {out[0]}, read = {out[0]};
    for (std::size_t a = 2; a < out.size(); ++a) {
      over.push_back(static_cast<int>(a));
      at.push_back(out[a]);
    }
    read = at;
    // Coordinates are listed innermost axis first: x, y, z.
    read.push_back(static_cast<int>(out.size() - 1 - axis));
    Stage& stage = stages.stage_over(fmt::format("pos_{}", axis - 2), over);
    stage() = along.position(cast(type, grid.at(read)));
    stage.op_cost = 10;
    return stage(at);
  }

  static Expr sum_of_taps(const std::vector<SampledAxis>& axes, const std::vector<Expr>& positions,
                          const Operand& x, StageBuilder& stages) {
    std::vector<int> tap(axes.size(), 0);
    Expr sum;
    while (true) {
      Index at = stages.index();
      Expr weight, inside;
      for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const Expr element = axes[axis].element(positions[axis], tap[axis]);
        at[axis + 2] = axes[axis].kept(element);
        const Expr within = axes[axis].inside(element);
        if (within.defined()) inside = inside.defined() ? inside && within : within;
        if (axes[axis].taps() == 1) continue;
        const Expr factor = axes[axis].weight(positions[axis], tap[axis]);
        weight = weight.defined() ? weight * factor : factor;
      }
      Expr value = x.at(at);
      if (weight.defined()) value = cast(Halide::Float(std::max(32, value.type().bits())), value);
      if (weight.defined()) value = value * cast(value.type(), weight);
      if (inside.defined()) {  // not the value: of an infinite position even the weight is a NaN
        value = select(inside, value, Halide::Internal::make_zero(value.type()));
      }
      sum = sum.defined() ? sum + value : value;
      std::size_t axis = axes.size();
      while (axis > 0 && ++tap[axis - 1] == axes[axis - 1].taps()) tap[--axis] = 0;
      if (axis == 0) return sum;
    }
  }
};

}  // namespace

void add_grid_sample(std::vector<const Operator*>& all) { all.push_back(new GridSample); }

}  // namespace frit
