// RoiAlign by its samples, one after another.
//
// Error model: positions err by a few eps of the region's coordinates; a sample's slope is at most
// twice the largest element. Where a rounding may change the number of samples, or put one on the
// other side of the border, at which samples turn to zero, nothing can be judged.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

struct Axis {
  double start = 0.0, bin = 0.0, error = 0.0;
  std::int64_t count = 0, extent = 0;
  bool doubtful = false;
};

struct Sample {
  bool inside = false, doubtful = false;
  std::int64_t low = 0, high = 0;
  double past = 0.0;
};

Sample sample_of(const Axis& axis, std::int64_t bin, std::int64_t i) {
  const auto extent = static_cast<double>(axis.extent);
  double at = axis.start + static_cast<double>(bin) * axis.bin +
              (static_cast<double>(i) + 0.5) * axis.bin / static_cast<double>(axis.count);
  Sample sample;
  sample.inside = at >= -1.0 && at <= extent;
  sample.doubtful = std::fabs(at + 1.0) <= axis.error || std::fabs(at - extent) <= axis.error;
  at = std::clamp(at, 0.0, extent - 1.0);
  sample.low = static_cast<std::int64_t>(at);
  sample.high = std::min(sample.low + 1, axis.extent - 1);
  sample.past = at - static_cast<double>(sample.low);
  return sample;
}

struct Region {
  Axis y, x;
  std::int64_t batch = 0;
};

class Aligner {
 public:
  explicit Aligner(const Call& call) : call_(call), x_(call.in(0)) {
    const AttributeMap& attributes = call.op.attributes;
    height_ = call.attr("output_height", std::int64_t{1});
    width_ = call.attr("output_width", std::int64_t{1});
    ratio_ = call.attr("sampling_ratio", std::int64_t{0});
    scale_ = static_cast<double>(call.attr("spatial_scale", 1.0F));
    maximum_ = string_attribute(attributes, "mode", "avg") == "max";
    shifted_ =
        string_attribute(attributes, "coordinate_transformation_mode",
                         call.op.opset < 16 ? "output_half_pixel" : "half_pixel") == "half_pixel";
    for (const double value : x_.real) {
      if (std::isfinite(value)) largest_ = std::max(largest_, std::fabs(value));
    }
  }

  Outputs run() {
    const RefTensor& rois = call_.in(1);
    if (x_.dims.size() != 4 || rois.dims.size() != 2 || rois.dims[1] != 4 || height_ < 1 ||
        width_ < 1) {
      return call_.refuse("the shapes of its inputs");
    }
    Result<RefTensor> y = make(call_, x_.dtype, {rois.dims[0], x_.dims[1], height_, width_});
    if (!y) return tl::unexpected<Diagnostic>(y.error());
    if (call_.bounded()) y->bound.assign(y->real.size(), 0.0);
    std::size_t to = 0;
    for (std::int64_t n = 0; n < rois.dims[0]; ++n) {
      const Region region = region_of(n);
      for (std::int64_t c = 0; c < x_.dims[1]; ++c) {
        for (std::int64_t row = 0; row < height_; ++row) {
          for (std::int64_t column = 0; column < width_; ++column, ++to) {
            pool(region, c, row, column, y->real[to], call_.bounded() ? &y->bound[to] : nullptr);
          }
        }
      }
    }
    return one(std::move(*y));
  }

 private:
  Axis axis_of(std::size_t low, std::size_t high, std::int64_t bins, std::int64_t extent) const {
    const RefTensor& rois = call_.in(1);
    const double shift = shifted_ ? 0.5 : 0.0;
    Axis axis;
    axis.extent = extent;
    axis.start = rois.real[low] * scale_ - shift;
    double size = rois.real[high] * scale_ - shift - axis.start;
    if (!shifted_) size = std::max(size, 1.0);
    axis.bin = size / static_cast<double>(bins);
    axis.error = (bound_at(rois, low) + bound_at(rois, high)) * scale_ +
                 16.0 * kEps * (std::fabs(axis.start) + std::fabs(size) + 1.0);
    axis.count = ratio_ > 0 ? ratio_ : static_cast<std::int64_t>(std::ceil(axis.bin));
    axis.doubtful = ratio_ <= 0 && std::fabs(axis.bin - std::round(axis.bin)) <= axis.error &&
                    axis.bin != std::round(axis.bin);
    return axis;
  }

  Region region_of(std::int64_t n) const {
    const auto at = static_cast<std::size_t>(n * 4);
    return {axis_of(at + 1, at + 3, height_, x_.dims[2]), axis_of(at, at + 2, width_, x_.dims[3]),
            call_.in(2).integer[static_cast<std::size_t>(n)]};
  }

  void pool(const Region& region, std::int64_t c, std::int64_t row, std::int64_t column,
            double& result, double* bound) const {
    double sum = 0.0, size = 0.0, most = -kUnknown, error = 0.0;
    bool doubtful = region.y.doubtful || region.x.doubtful;
    std::int64_t count = 0;
    for (std::int64_t iy = 0; iy < region.y.count; ++iy) {
      const Sample y = sample_of(region.y, row, iy);
      for (std::int64_t ix = 0; ix < region.x.count; ++ix, ++count) {
        const Sample x = sample_of(region.x, column, ix);
        doubtful = doubtful || y.doubtful || x.doubtful;
        if (!y.inside || !x.inside) {
          most = std::max(most, 0.0);
          continue;
        }
        for (const auto& [r, wy] : {std::pair(y.low, 1.0 - y.past), std::pair(y.high, y.past)}) {
          for (const auto& [k, wx] : {std::pair(x.low, 1.0 - x.past), std::pair(x.high, x.past)}) {
            const auto from = static_cast<std::size_t>(
                ((region.batch * x_.dims[1] + c) * x_.dims[2] + r) * x_.dims[3] + k);
            const double term = wy * wx * x_.real[from];
            sum += term;
            size += std::fabs(term);
            most = std::isnan(term) ? term : std::isnan(most) ? most : std::max(most, term);
            error = std::max(error, bound_at(x_, from));
          }
        }
      }
    }
    const auto divisor = static_cast<double>(std::max<std::int64_t>(count, 1));
    result = count == 0 ? 0.0 : maximum_ ? most : sum / divisor;
    if (call_.naive()) result = static_cast<double>(static_cast<float>(result));
    if (bound == nullptr) return;
    const double slope = 2.0 * largest_ * (region.y.error + region.x.error);
    const double rounding = maximum_ ? 4.0 * kEps * std::fabs(result)
                                     : (sum_factor(4 * count) + 8.0 * kEps) * size / divisor;
    *bound = doubtful ? kDoubtful : error + slope + rounding;
  }

  const Call& call_;
  const RefTensor& x_;
  std::int64_t height_ = 1, width_ = 1, ratio_ = 0;
  double scale_ = 1.0, largest_ = 0.0;
  bool maximum_ = false, shifted_ = true;
};

Outputs roi_align(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  FRIT_TRY(need_float(call, 1));
  FRIT_TRY(need_integer(call, 2));
  return Aligner(call).run();
}

constexpr Entry kEntries[] = {{"RoiAlign", 3, 3, roi_align}};

}  // namespace

std::span<const Entry> roi_align_entries() { return kEntries; }

}  // namespace frit::ref
