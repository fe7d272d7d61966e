// RoiAlign: each region of interest pooled from bilinear samples.
//
// A bin of the output takes grid_y x grid_x samples, a number that a region's size may decide at
// run time (sampling_ratio 0). Samples beyond [-1, extent] are zeros, so only those within are
// visited: from the first of them to the count, which trims the loops at run time. Samples are at
// most one element and, where there are several, at least half an element apart, so that
// 2 (extent + 3) of them reach across the input. Stages: "roi_y" and "roi_x" (begin and size of a
// bin, for each region), "acc".
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/arithmetic.h"
#include "ops/operator.h"
#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::select;

struct RoiSpec {
  std::int64_t height = 1, width = 1, sampling_ratio = 0;
  float spatial_scale = 1.0F;
  bool maximum = false, half_pixel = true;
};

Result<RoiSpec> roi_spec_of(const OpInstance& op) {
  RoiSpec spec;
  spec.height = int_attribute(op.attributes, "output_height", 1);
  spec.width = int_attribute(op.attributes, "output_width", 1);
  spec.sampling_ratio = int_attribute(op.attributes, "sampling_ratio", 0);
  spec.spatial_scale = float_attribute(op.attributes, "spatial_scale", 1.0F);
  constexpr std::int64_t kMostSamples = 1 << 12;
  if (spec.height < 1 || spec.width < 1 || spec.sampling_ratio < 0 ||
      spec.sampling_ratio > kMostSamples) {
    return fail("onnx-attribute",
                fmt::format("{}: output_height, output_width and sampling_ratio are {}, {} and {} "
                            "but must be positive, the last from 0 to {}; correct the attributes",
                            label(op), spec.height, spec.width, spec.sampling_ratio, kMostSamples));
  }
  const std::string mode = string_attribute(op.attributes, "mode", "avg");
  // Opset 10 has no such attribute and maps coordinates as they are.
  const std::string map = string_attribute(op.attributes, "coordinate_transformation_mode",
                                           op.opset < 16 ? "output_half_pixel" : "half_pixel");
  if ((mode != "avg" && mode != "max") || (map != "half_pixel" && map != "output_half_pixel")) {
    return fail("onnx-attribute",
                fmt::format("{}: mode is \"{}\" and coordinate_transformation_mode \"{}\" but they "
                            "must be avg or max, and half_pixel or output_half_pixel; correct the "
                            "attributes",
                            label(op), mode, map));
  }
  spec.maximum = mode == "max";
  spec.half_pixel = map == "half_pixel";
  return spec;
}

/// One axis of a region, all in elements of the input.
struct Span {
  Expr start, bin, count;  ///< begin of the region, size of a bin, samples in a bin
};

/// One sample along an axis.
struct Place {
  Expr low, high, past, inside;
};

class Builder {
 public:
  Builder(const OpInstance& op, const std::vector<Operand>& operands, StageBuilder& stages)
      : spec_(*roi_spec_of(op)),
        dims_(op.input(0).dims()),
        operands_(operands),
        stages_(stages),
        type_(halide_type(op.input(0).dtype)),
        wide_(compute_type(type_)) {}

  void build() {
    const Index out = stages_.index();
    const Span y = span(0, spec_.height), x = span(1, spec_.width);
    Stage& acc = stages_.stage("acc");
    const Expr first_y = first_sample(y, out[2]), first_x = first_sample(x, out[3]);
    Halide::RDom samples = reduction_domain({"sx", "sy"}, {trips(3), trips(2)}, acc.reduction);
    const Expr sy = acc.reduction.at("sy"), sx = acc.reduction.at("sx");
    samples.where(sy < y.count - first_y);
    samples.where(sx < x.count - first_x);
    const Expr iy = first_y + sy, ix = first_x + sx;
    const Place py = place(y, out[2], iy, dims_[2]), px = place(x, out[3], ix, dims_[3]);
    const Expr inside = py.inside && px.inside;
    const Expr batch =
        Halide::clamp(cast<int>(operands_[2].at({out[0]})), 0, static_cast<int>(dims_[0]) - 1);
    const auto pixel = [&](const Expr& row, const Expr& column) {
      return cast(wide_, operands_[0].at({batch, out[1], row, column}));
    };
    const Expr zero = constant_of(wide_, 0.0);
    const Expr before_y = math::complement(py.past), before_x = math::complement(px.past);
    const std::array<Expr, 4> parts = {before_y * before_x * pixel(py.low, px.low),
                                       before_y * px.past * pixel(py.low, px.high),
                                       py.past * before_x * pixel(py.high, px.low),
                                       py.past * px.past * pixel(py.high, px.high)};
    if (spec_.maximum) {
      finish_maximum(acc, parts, inside, y.count * x.count);
      return;
    }
    acc() = zero;
    acc() += select(inside, parts[0] + parts[1] + parts[2] + parts[3], zero);
    const Expr sum = acc();
    Stage& mean = stages_.stage("mean");
    mean() = cast(type_, sum / cast(wide_, Halide::max(y.count * x.count, 1)));
  }

 private:
  /// "max" compares the weighted corners one by one, as ONNX's reference does; where some sample
  /// lies outside, its zeros take part. The reduction counts the samples that lie inside.
  void finish_maximum(Stage& acc, const std::array<Expr, 4>& parts, const Expr& inside,
                      const Expr& all) {
    Expr most = math::maximum(math::maximum(parts[0], parts[1]), math::maximum(parts[2], parts[3]));
    acc() = wide_.min();
    acc() = select(inside, math::maximum(Expr(acc()), most), Expr(acc()));
    Stage& seen = stages_.stage("seen");
    seen.reduction = acc.reduction;
    seen() = 0;
    seen() += cast<int>(inside);
    const Expr found = acc(), zero = constant_of(wide_, 0.0);
    Stage& value = stages_.stage("value");
    value() =
        cast(type_, select(seen() == 0, zero, seen() < all, math::maximum(found, zero), found));
  }

  std::int64_t trips(std::size_t axis) const {
    return spec_.sampling_ratio > 0 ? spec_.sampling_ratio : 2 * (dims_[axis] + 3);
  }

  /// Axis 0 is y, 1 is x; rois list x1, y1, x2, y2.
  Span span(int axis, std::int64_t bins) {
    const Expr n = stages_.axes()[0];
    Stage& stage =
        stages_.stage_own(axis == 0 ? "roi_y" : "roi_x", {stages_.axes()[0], Halide::Var("which")},
                          {1, 0}, {stages_.extents()[0], 2});
    const Expr scale = constant_of(wide_, static_cast<double>(spec_.spatial_scale));
    const Expr offset = constant_of(wide_, spec_.half_pixel ? 0.5 : 0.0);
    const auto corner = [&](int which) {
      return cast(wide_, operands_[1].at({n, which})) * scale - offset;
    };
    const Expr start = corner(1 - axis);
    Expr size = corner(3 - axis) - start;
    if (!spec_.half_pixel) size = Halide::max(size, constant_of(wide_, 1.0));
    const Expr which = stage.axes[1];
    stage() = select(which == 0, start, size / constant_of(wide_, static_cast<double>(bins)));
    Span span;
    span.start = stage({n, 0});
    span.bin = stage({n, 1});
    span.count =
        spec_.sampling_ratio > 0
            ? Expr(static_cast<int>(spec_.sampling_ratio))
            : Halide::clamp(math::convert(Halide::Int(32), Halide::ceil(span.bin)), 0, 1 << 14);
    return span;
  }

  Expr distance(const Span& span) const {
    return span.bin / cast(wide_, Halide::max(span.count, 1));
  }

  /// One before the first that is not left of the input, of as many as a region asks for.
  Expr first_sample(const Span& span, const Expr& bin) const {
    if (spec_.sampling_ratio > 0) return 0;
    const Expr begin = span.start + cast(wide_, bin) * span.bin;
    const Expr skipped =
        (constant_of(wide_, -1.0) - begin) / distance(span) - constant_of(wide_, 1.5);
    return Halide::clamp(math::convert(Halide::Int(32), Halide::floor(skipped)), 0, 1 << 14);
  }

  Place place(const Span& span, const Expr& bin, const Expr& sample, std::int64_t extent) const {
    const auto last = static_cast<int>(extent) - 1;
    const Expr zero = constant_of(wide_, 0.0);
    const Expr at = span.start + cast(wide_, bin) * span.bin +
                    (cast(wide_, sample) + constant_of(wide_, 0.5)) * distance(span);
    Place place;
    place.inside =
        at >= constant_of(wide_, -1.0) && at <= constant_of(wide_, static_cast<double>(extent));
    const Expr held = Halide::max(at, zero);
    place.low = Halide::clamp(math::convert(Halide::Int(32), Halide::floor(held)), 0, last);
    place.high = Halide::min(place.low + 1, last);
    place.past = select(place.low >= last, zero, held - cast(wide_, place.low));
    return place;
  }

  RoiSpec spec_;
  std::vector<std::int64_t> dims_;
  const std::vector<Operand>& operands_;
  StageBuilder& stages_;
  Halide::Type type_, wide_;
};

/// Opsets 10 (no coordinate_transformation_mode), 16 and 22.
class RoiAlign final : public Operator {
 public:
  std::string_view type() const override { return "RoiAlign"; }
  std::string_view formula() const override {
    return "out[r,c,p,q] = mean (avg) or max over the samples of bin (p,q) of roi r of "
           "bilinear(x[batch_indices[r],c], y, x)\n"
           "opset 10, output_half_pixel: corners times spatial_scale; half_pixel (opset 16 on): "
           "less 1/2";
  }
  int first_opset() const override { return 10; }
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"coordinate_transformation_mode", AttributeKind::kString},
                                   {"mode", AttributeKind::kString},
                                   {"output_height", AttributeKind::kInt},
                                   {"output_width", AttributeKind::kInt},
                                   {"sampling_ratio", AttributeKind::kInt},
                                   {"spatial_scale", AttributeKind::kFloat}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    constexpr std::array kIndices = {DType::kI64};
    FRIT_TRY(check_inputs(op, 3, 3));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    FRIT_TRY(check_dtype(op, 2, "its batch_indices", kIndices));
    for (std::size_t i = 0; i < 3; ++i) {
      FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
    }
    auto spec = roi_spec_of(op);
    if (!spec) return fail(std::move(spec).error());
    const auto x = op.input(0).dims(), rois = op.input(1).dims(), batches = op.input(2).dims();
    const bool fits = x.size() == 4 && rois.size() == 2 && rois[1] == 4 && batches.size() == 1 &&
                      batches[0] == rois[0];
    if (!fits || checked_elements({x[0], x[2], x[3]}) == 0) {
      return fail(
          "onnx-shape",
          fmt::format("{}: its inputs are {}, {} and {} but must be [n,c,h,w] of at least "
                      "one element, [rois,4] and [rois]; correct the model",
                      label(op), to_text(op.input(0)), to_text(op.input(1)), to_text(op.input(2))));
    }
    const std::vector<std::int64_t> out = {rois[0], x[1], spec->height, spec->width};
    FRIT_TRY(check_size(op, out));
    return std::vector{TensorType(op.input(0).dtype, out)};
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes["coordinate_transformation_mode"] =
        std::string(roi_spec_of(op)->half_pixel ? "half_pixel" : "output_half_pixel");
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    if (op.outputs.at(0).elements() == 0) {
      stages.stage("")() = Halide::Internal::make_zero(halide_type(op.outputs.at(0).dtype));
      return;
    }
    Builder(op, operands, stages).build();
  }

  Counts counts(const OpInstance& op) const override {
    const std::int64_t ratio = std::max<std::int64_t>(2, roi_spec_of(op)->sampling_ratio);
    return {op.outputs.at(0).elements() * ratio * ratio * 12, 0};
  }
};

}  // namespace

void add_roi_align(std::vector<const Operator*>& all) { all.push_back(new RoiAlign); }

}  // namespace frit
