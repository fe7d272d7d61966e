// MaxRoiPool bin by bin. A maximum does not round; where a corner's rounding may go either way,
// nothing can be judged.
#include <algorithm>
#include <cmath>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

struct Side {
  std::int64_t start = 0, size = 1;
  bool doubtful = false;

  /// Elements of bin p of `bins`, inside [0, extent).
  std::pair<std::int64_t, std::int64_t> bin(std::int64_t p, std::int64_t bins,
                                            std::int64_t extent) const {
    const std::int64_t first = start + p * size / bins;
    const std::int64_t past = start + ((p + 1) * size + bins - 1) / bins;
    return {std::clamp<std::int64_t>(first, 0, extent), std::clamp<std::int64_t>(past, 0, extent)};
  }
};

class RoiPool {
 public:
  explicit RoiPool(const Call& call) : call_(call), x_(call.in(0)), rois_(call.in(1)) {}

  Outputs run() {
    const Dims pooled = ints_attribute(call_.op.attributes, "pooled_shape", {});
    if (x_.dims.size() != 4 || rois_.dims.size() != 2 || rois_.dims[1] != 5 || pooled.size() != 2)
      return call_.refuse("the shapes of its inputs");
    Result<RefTensor> y = make(call_, x_.dtype, {rois_.dims[0], x_.dims[1], pooled[0], pooled[1]});
    if (!y) return tl::unexpected<Diagnostic>(y.error());
    if (call_.bounded()) y->bound.assign(y->real.size(), 0.0);
    std::size_t to = 0;
    for (std::int64_t r = 0; r < rois_.dims[0]; ++r) {
      const Side rows = side(r, 2), columns = side(r, 1);
      for (std::int64_t c = 0; c < x_.dims[1]; ++c) {
        for (std::int64_t p = 0; p < pooled[0]; ++p) {
          for (std::int64_t q = 0; q < pooled[1]; ++q, ++to) {
            const double error = pool(plane(r, c), rows.bin(p, pooled[0], x_.dims[2]),
                                      columns.bin(q, pooled[1], x_.dims[3]), y->real[to]);
            if (!y->bound.empty())
              y->bound[to] = rows.doubtful || columns.doubtful ? kDoubtful : error;
          }
        }
      }
    }
    return one(std::move(*y));
  }

 private:
  Side side(std::int64_t r, std::int64_t low) const {
    const auto scale = static_cast<double>(call_.attr("spatial_scale", 1.0F));
    Side side;
    const auto corner = [&](std::int64_t column) {
      const auto at = static_cast<std::size_t>(r * 5 + column);
      const double exact = rois_.real[at] * scale;
      const double error = bound_at(rois_, at) * std::fabs(scale) + 2.0 * kEps * std::fabs(exact);
      const double past = std::fabs(exact - std::trunc(exact));
      side.doubtful =
          side.doubtful || (error > 0.0 && past != 0.5 && std::fabs(past - 0.5) <= error);
      if (std::isnan(exact)) return std::int64_t{0};
      return static_cast<std::int64_t>(std::clamp(std::round(exact), -0x1p30, 0x1p30));
    };
    side.start = corner(low);
    side.size = std::max<std::int64_t>(corner(low + 2) - side.start + 1, 1);
    return side;
  }

  std::size_t plane(std::int64_t r, std::int64_t c) const {
    const double image = rois_.real[static_cast<std::size_t>(r * 5)];
    const auto last = static_cast<double>(x_.dims[0] - 1);
    const auto n =
        static_cast<std::int64_t>(std::isnan(image) ? 0.0 : std::clamp(image, 0.0, last));
    return static_cast<std::size_t>((n * x_.dims[1] + c) * x_.dims[2] * x_.dims[3]);
  }

  /// The largest element's bound.
  double pool(std::size_t plane, std::pair<std::int64_t, std::int64_t> rows,
              std::pair<std::int64_t, std::int64_t> columns, double& result) const {
    if (rows.first >= rows.second || columns.first >= columns.second) return 0.0;
    double error = 0.0;
    result = -kUnknown;
    for (std::int64_t y = rows.first; y < rows.second; ++y) {
      for (std::int64_t x = columns.first; x < columns.second; ++x) {
        const std::size_t at = plane + static_cast<std::size_t>(y * x_.dims[3] + x);
        const double value = x_.real[at];
        result = std::isnan(value) || std::isnan(result) ? std::nan("") : std::max(result, value);
        error = std::max(error, bound_at(x_, at));
      }
    }
    return error;
  }

  const Call& call_;
  const RefTensor& x_;
  const RefTensor& rois_;
};

Outputs max_roi_pool(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  FRIT_TRY(need_float(call, 1));
  return RoiPool(call).run();
}

constexpr Entry kEntries[] = {{"MaxRoiPool", 2, 2, max_roi_pool}};

}  // namespace

std::span<const Entry> max_roi_pool_entries() { return kEntries; }

}  // namespace frit::ref
