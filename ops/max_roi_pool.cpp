// MaxRoiPool: the largest element of each bin of each region of interest.
//
//   out[r,c,p,q] = max x[b,c,y,x] over floor(p h/P) <= y - y1 < ceil((p+1) h/P), likewise x
//
// with rois[r] = (b, x1, y1, x2, y2), corners times spatial_scale and rounded half away from zero,
// h = max(y2 - y1 + 1, 1). Elements outside the input are none; a bin without any is 0. The edges
// of bins are computed in integers, so no rounding moves them. Source: Fast R-CNN
// (https://arxiv.org/abs/1504.08083), section 2.1. Stages: "rows", "columns" (first element and
// end of each bin), "acc".
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/arithmetic.h"
#include "ops/families.h"
#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::select;

constexpr std::int64_t kMostBins = 1 << 16;

/// Half away from zero, held to +-2^30; NaN is 0.
Expr rounded(const Expr& x) {
  const Expr whole = Halide::trunc(x), one = constant_of(x.type(), 1.0);
  const Expr away = select(x < constant_of(x.type(), 0.0), whole - one, whole + one);
  const Expr nearest = select(Halide::abs(x - whole) >= constant_of(x.type(), 0.5), away, whole);
  return cast<std::int64_t>(
      Halide::clamp(math::convert(Halide::Int(32), nearest), -(1 << 30), 1 << 30));
}

class MaxRoiPool final : public Operator {
 public:
  std::string_view type() const override { return "MaxRoiPool"; }
  std::string_view formula() const override {
    return "out[r,c,p,q] = max of x[b,c,y,x] over bin (p,q) of rois[r] = (b, x1, y1, x2, y2) * "
           "spatial_scale, rounded\n"
           "bin p: floor(p h/P) <= y - y1 < ceil((p+1) h/P), h = max(y2 - y1 + 1, 1); empty bins 0";
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"pooled_shape", AttributeKind::kInts, kAlways},
                                   {"spatial_scale", AttributeKind::kFloat}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    FRIT_TRY(check_constant_shape(op, 1, "its rois"));
    const auto pooled = ints_attribute(op.attributes, "pooled_shape", {});
    if (pooled.size() != 2 || std::any_of(pooled.begin(), pooled.end(), [](std::int64_t bins) {
          return bins < 1 || bins > kMostBins;
        })) {
      return fail(
          "onnx-attribute",
          fmt::format("{}: pooled_shape is {} but must be two numbers from 1 to {}; correct "
                      "the attribute",
                      label(op), dims_text(pooled), kMostBins));
    }
    const auto x = op.input(0).dims(), rois = op.input(1).dims();
    if (x.size() != 4 || rois.size() != 2 || rois[1] != 5 || x[0] == 0) {
      return fail("onnx-shape",
                  fmt::format("{}: its inputs are {} and {} but must be [n,c,h,w] of at least one "
                              "image and [rois,5]; correct the model",
                              label(op), to_text(op.input(0)), to_text(op.input(1))));
    }
    const std::vector<std::int64_t> out = {rois[0], x[1], pooled[0], pooled[1]};
    FRIT_TRY(check_size(op, out));
    return std::vector{TensorType(op.input(0).dtype, out)};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Halide::Type type = halide_type(op.outputs.at(0).dtype);
    const auto x = op.input(0).dims();
    if (op.outputs.at(0).elements() == 0 || op.input(0).elements() == 0) {
      stages.stage("")() = Halide::Internal::make_zero(type);
      return;
    }
    const Index out = stages.index();
    const Stage& rows = bins(op, operands[1], stages, 2);
    const Stage& columns = bins(op, operands[1], stages, 3);
    const auto edge = [&](const Stage& stage, std::size_t axis, int which) {
      return Expr(stage({out[0], out[axis], which}));
    };
    const Expr y = edge(rows, 2, 0), past_y = edge(rows, 2, 1);
    const Expr left = edge(columns, 3, 0), past_x = edge(columns, 3, 1);

    Stage& acc = stages.stage("acc");
    Halide::RDom bin = reduction_domain({"bx", "by"}, {x[3], x[2]}, acc.reduction);
    const Expr by = acc.reduction.at("by"), bx = acc.reduction.at("bx");
    bin.where(by < past_y - y);
    bin.where(bx < past_x - left);
    const auto within = [&](const Expr& at, std::size_t axis) {
      return Halide::clamp(at, 0, static_cast<int>(x[axis]) - 1);
    };
    const Expr image =
        math::convert(Halide::Int(32), cast(compute_type(type), operands[1].at({out[0], 0})));
    const Expr value =
        operands[0].at({within(image, 0), out[1], within(y + by, 2), within(left + bx, 3)});
    acc() = type.min();
    acc() = math::maximum(Expr(acc()), value);
    const Expr largest = acc();
    stages.stage("value")() =
        select(past_y > y && past_x > left, largest, Halide::Internal::make_zero(type));
  }

  Counts counts(const OpInstance& op) const override {
    return {op.input(1).dims()[0] * op.input(0).elements() / op.input(0).dims()[0], 0};
  }

 private:
  /// First element and end of bin p of region r along the output's axis 2 (rows) or 3, inside the
  /// input.
  static const Stage& bins(const OpInstance& op, const Operand& rois, StageBuilder& stages,
                           std::size_t axis) {
    const Halide::Type wide = compute_type(halide_type(op.input(1).dtype));
    const Halide::Var r = stages.axes()[0], p = stages.axes()[axis], which("which");
    const std::int64_t count = stages.extents()[axis];
    Stage& stage = stages.stage_own(axis == 2 ? "rows" : "columns", {r, p, which}, {2, 1, 0},
                                    {stages.extents()[0], count, 2});
    const Expr scale = constant_of(
        wide, static_cast<double>(float_attribute(op.attributes, "spatial_scale", 1.0F)));
    const auto corner = [&](int column) {
      return rounded(cast(wide, rois.at({r, column})) * scale);
    };
    const Expr start = corner(axis == 2 ? 2 : 1);
    const auto long_of = [](const Expr& value) { return cast<std::int64_t>(value); };
    const Expr size = Halide::max(corner(axis == 2 ? 4 : 3) - start + 1, long_of(1));
    const Expr bins = long_of(static_cast<int>(count));
    // floor(p size / bins), or ceil((p + 1) size / bins)
    const Expr edge =
        select(which == 0, long_of(p) * size, (long_of(p) + 1) * size + bins - 1) / bins;
    const Expr extent = long_of(static_cast<int>(op.input(0).dims()[axis]));
    stage() = cast<int>(Halide::clamp(start + edge, long_of(0), extent));
    return stage;
  }
};

}  // namespace

void add_max_roi_pool(std::vector<const Operator*>& all) { all.push_back(new MaxRoiPool); }

}  // namespace frit
