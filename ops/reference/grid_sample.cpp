// GridSample and AffineGrid.
//
// Error model of GridSample: positions come from float32 arithmetic, so they err by a few eps of
// the extent; the interpolant's slope is at most a small multiple of the largest element near. A
// nearest position that might round the other way cannot be judged.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

struct Grid {
  std::string mode, padding;
  bool align = false;
};

// A coordinate beyond the borders, folded back between them.
double folded(double at, double low, double high) {
  const double span = high - low;
  if (span <= 0.0) return low;
  const bool below = at < low;
  const double past = below ? low - at : at - high;
  const double times = std::floor(past / span), rest = past - times * span;
  const bool even = std::fmod(times, 2.0) == 0.0;
  return below == even ? low + rest : high - rest;
}

struct Tap {
  std::int64_t from = 0;  ///< -1: a zero
  double weight = 1.0;
};

struct Along {
  std::vector<Tap> taps;
  double error = 0.0;     ///< of the position
  bool doubtful = false;  ///< nearest: might round the other way
};

std::int64_t element_of(const Grid& g, std::int64_t at, std::int64_t n) {
  if (g.padding == "zeros") return at >= 0 && at < n ? at : -1;
  if (g.padding == "border") return std::clamp<std::int64_t>(at, 0, n - 1);
  const double low = g.align ? 0.0 : -0.5, high = static_cast<double>(n - 1) - low;
  const auto x = static_cast<double>(at);
  if (x >= low && x <= high) return at;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(folded(x, low, high)), 0, n - 1);
}

std::vector<double> weights_of(const std::string& mode, double f) {
  if (mode == "nearest") return {1.0};
  if (mode == "linear") return {1.0 - f, f};
  const double a = -0.75;
  const auto outer = [&](double d) { return a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a; };
  const auto inner = [&](double d) { return (a + 2) * d * d * d - (a + 3) * d * d + 1; };
  return {outer(f + 1), inner(f), inner(1 - f), outer(2 - f)};
}

Along along_of(const Call& call, const Grid& g, double coordinate, double bound, std::int64_t n) {
  Along along;
  const auto extent = static_cast<double>(n);
  double at = g.align ? (coordinate + 1) / 2 * (extent - 1) : ((coordinate + 1) * extent - 1) / 2;
  if (call.naive()) {
    const auto c = static_cast<float>(coordinate), e = static_cast<float>(extent);
    at = static_cast<double>(g.align ? (c + 1) / 2 * (e - 1) : ((c + 1) * e - 1) / 2);
  }
  along.error = bound * extent + 8.0 * kEps * (std::fabs(at) + extent);
  if (g.mode == "nearest") {
    along.doubtful = std::fabs(at - std::floor(at) - 0.5) <= along.error;
    at = std::nearbyint(at);
  }
  const double low = g.align ? 0.0 : -0.5, high = extent - 1.0 - low;
  if (at < low || at > high) {
    if (g.padding == "border") at = std::clamp(at, 0.0, extent - 1.0);
    if (g.padding == "reflection") at = folded(at, low, high);
  }
  at = std::clamp(at, -1e9, 1e9);
  if (std::isnan(at) && bound > 0.0) along.doubtful = true;
  const double below = std::isnan(at) ? 0.0 : std::floor(at);
  const std::vector<double> weights = weights_of(g.mode, at - below);
  const std::int64_t first = static_cast<std::int64_t>(below) - (weights.size() == 4 ? 1 : 0);
  for (std::size_t t = 0; t < weights.size(); ++t) {
    along.taps.push_back({element_of(g, first + static_cast<std::int64_t>(t), n), weights[t]});
  }
  return along;
}

struct Sample {
  double value = 0.0, size = 0.0, bound = 0.0;
  std::int64_t integer = 0;
};

// The sum over all combinations of taps of one plane.
void add_taps(const RefTensor& x, const Dims& space, const std::vector<Along>& axes,
              std::size_t axis, std::int64_t at, double weight, Sample& sample) {
  if (axis == axes.size()) {
    const auto from = static_cast<std::size_t>(at);
    if (x.real.empty()) {
      sample.integer = x.integer[from];
      return;
    }
    sample.value += weight * x.real[from];
    sample.size += std::fabs(weight * x.real[from]);
    sample.bound += std::fabs(weight) * bound_at(x, from);
    return;
  }
  for (const Tap& tap : axes[axis].taps) {
    if (tap.from < 0) continue;
    add_taps(x, space, axes, axis + 1, at * space[axis] + tap.from, weight * tap.weight, sample);
  }
}

Result<Grid> grid_of(const Call& call) {
  const bool early = call.op.opset < 20;
  Grid g;
  g.mode = string_attribute(call.op.attributes, "mode", early ? "bilinear" : "linear");
  if (g.mode == "bilinear") g.mode = "linear";
  if (g.mode == "bicubic") g.mode = "cubic";
  g.padding = string_attribute(call.op.attributes, "padding_mode", "zeros");
  g.align = call.attr("align_corners", std::int64_t{0}) != 0;
  if (g.mode != "nearest" && g.mode != "linear" && g.mode != "cubic")
    return call.refuse("its mode");
  return g;
}

double largest_of(const RefTensor& x) {
  double largest = 0.0;
  for (const double value : x.real) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

Outputs grid_sample(const Call& call) {
  const Result<Grid> g = grid_of(call);
  if (!g) return tl::unexpected<Diagnostic>(g.error());
  FRIT_TRY(need_float(call, 1));
  const RefTensor& x = call.in(0);
  const RefTensor& grid = call.in(1);
  if (x.dims.size() < 3 || grid.dims.size() != x.dims.size() || grid.dims[0] != x.dims[0] ||
      grid.dims.back() != static_cast<std::int64_t>(x.dims.size()) - 2) {
    return call.refuse("the shapes of its inputs");
  }
  const Dims space(x.dims.begin() + 2, x.dims.end());
  Dims dims = {x.dims[0], x.dims[1]};
  dims.insert(dims.end(), grid.dims.begin() + 1, grid.dims.end() - 1);
  Result<RefTensor> y = make(call, x.dtype, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  const bool real = is_float(x.dtype);
  if (call.bounded() && real) y->bound.assign(y->real.size(), 0.0);
  const double slope = 3.0 * largest_of(x);
  const std::size_t points =
      static_cast<std::size_t>(*count_of(Dims(grid.dims.begin() + 1, grid.dims.end() - 1)));
  const std::size_t rank = space.size();
  for (std::size_t n = 0; n < static_cast<std::size_t>(x.dims[0]); ++n) {
    for (std::size_t p = 0; p < points; ++p) {
      std::vector<Along> axes;
      double error = 0.0;
      bool doubtful = false;
      for (std::size_t a = 0; a < rank; ++a) {
        const std::size_t at = (n * points + p) * rank + (rank - 1 - a);
        axes.push_back(along_of(call, *g, grid.real[at], bound_at(grid, at), space[a]));
        error += axes.back().error;
        doubtful = doubtful || axes.back().doubtful;
      }
      for (std::size_t c = 0; c < static_cast<std::size_t>(x.dims[1]); ++c) {
        const std::size_t plane = n * static_cast<std::size_t>(x.dims[1]) + c;
        Sample sample;
        add_taps(x, space, axes, 0, static_cast<std::int64_t>(plane), 1.0, sample);
        const std::size_t to = plane * points + p;
        if (!real) {
          y->integer[to] = sample.integer;
          continue;
        }
        y->real[to] = sample.value;
        if (!call.bounded()) continue;
        const bool exact = g->mode == "nearest";
        y->bound[to] = sample.bound;
        if (!exact) y->bound[to] += error * slope + (sum_factor(16) + 16 * kEps) * sample.size;
        if (doubtful) y->bound[to] = kDoubtful;
      }
    }
  }
  return one(std::move(*y));
}

// Homogeneous coordinates of element `index` of `n`, from -1 to 1.
double centre_of(std::int64_t index, std::int64_t n, bool align) {
  const auto i = static_cast<double>(index), extent = static_cast<double>(n);
  if (align) return n == 1 ? -1.0 : -1.0 + 2.0 * i / (extent - 1.0);
  return -1.0 + (2.0 * i + 1.0) / extent;
}

Outputs affine_grid(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const Result<Dims> size = ints_input(call, 1);
  if (!size) return tl::unexpected<Diagnostic>(size.error());
  const RefTensor& theta = call.in(0);
  const std::size_t rank = size->size() - 2;
  const Dims wanted = {size->at(0), static_cast<std::int64_t>(rank),
                       static_cast<std::int64_t>(rank) + 1};
  if (theta.dims != wanted) return call.refuse("the shapes of its inputs");
  const bool align = call.attr("align_corners", std::int64_t{0}) != 0;
  const Dims space(size->begin() + 2, size->end());
  Dims dims = {size->at(0)};
  dims.insert(dims.end(), space.begin(), space.end());
  const Dims points = dims;
  dims.push_back(static_cast<std::int64_t>(rank));
  Result<RefTensor> y = make(call, theta.dtype, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  walk(points, std::array<Dims, 1>{dense_strides(points)},
       [&](std::size_t flat, const std::array<std::int64_t, 1>&) {
         // x first: the innermost axis.
         std::vector<double> at;
         std::int64_t rest = static_cast<std::int64_t>(flat);
         for (std::size_t a = rank; a-- > 0;) {
           at.push_back(centre_of(rest % space[a], space[a], align));
           rest /= space[a];
         }
         at.push_back(1.0);
         for (std::size_t k = 0; k < rank; ++k) {
           const std::size_t row = (static_cast<std::size_t>(rest) * rank + k) * (rank + 1);
           double sum = 0.0, sizes = 0.0, bound = 0.0;
           float sum32 = 0.0F;
           for (std::size_t j = 0; j <= rank; ++j) {
             sum += theta.real[row + j] * at[j];
             sum32 += static_cast<float>(theta.real[row + j] * at[j]);
             sizes += std::fabs(theta.real[row + j]);
             bound += bound_at(theta, row + j);
           }
           const std::size_t to = flat * rank + k;
           y->real[to] = call.naive() ? static_cast<double>(sum32) : sum;
           if (call.bounded()) y->bound[to] = bound + (sum_factor(4) + 4.0 * kEps) * sizes;
         }
       });
  return one(std::move(*y));
}

constexpr Entry kEntries[] = {{"AffineGrid", 2, 2, affine_grid}, {"GridSample", 2, 2, grid_sample}};

}  // namespace

std::span<const Entry> grid_sample_entries() { return kEntries; }

}  // namespace frit::ref
