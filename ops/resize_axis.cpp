#include "ops/resize_axis.h"

#include <algorithm>
#include <cmath>

#include "ops/base/assert.h"

namespace frit {
namespace {

/// What the formulas of ONNX read, in the type they are computed in.
template <class T>
struct Lengths {
  T in, out, whole_out, scale, roi_start, roi_end;
};

template <class T>
Lengths<T> lengths_of(const ResizeSpec& spec, std::size_t axis) {
  const auto in = static_cast<T>(spec.in[axis]), out = static_cast<T>(spec.out[axis]);
  const T scale = spec.scales[axis];
  T exact = scale * in;
  // A scale rounded to float32 is not meant to end between two elements.
  if (std::abs(exact - out) <= T(1e-5) * std::max(T(1), out)) exact = out;
  return {in, exact, out, scale, spec.roi_start[axis], spec.roi_end[axis]};
}

template <class T>
T position_of(const std::string& mode, const Lengths<T>& l, T o) {
  const T half = T(0.5), one = T(1);
  if (mode == "half_pixel") return (o + half) / l.scale - half;
  if (mode == "half_pixel_symmetric") {
    const T offset = l.in / 2 * (one - l.whole_out / l.out);
    return offset + (o + half) / l.scale - half;
  }
  if (mode == "pytorch_half_pixel") return l.whole_out > one ? (o + half) / l.scale - half : T(0);
  if (mode == "align_corners") return l.out == one ? T(0) : o * (l.in - one) / (l.out - one);
  if (mode == "asymmetric") return o / l.scale;
  if (mode == "tf_half_pixel_for_nn") return (o + half) / l.scale;
  FRIT_ASSERT(mode == "tf_crop_and_resize", "a mode that the specification accepted");
  const T span = l.roi_end - l.roi_start, last = l.in - one;
  const T along = l.out == one ? span * last / 2 : o * span * last / (l.out - one);
  return l.roi_start * last + along;
}

std::int64_t whole(double value) {
  constexpr double kFar = 1e9;  // keeps the conversion defined; clamped to the input afterwards
  return static_cast<std::int64_t>(std::clamp(value, -kFar, kFar));
}

std::int64_t nearest_of(const std::string& rounding, bool shrinks, float position) {
  if (rounding == "round_prefer_floor") return whole(std::ceil(position - 0.5f));
  if (rounding == "round_prefer_ceil") return whole(std::floor(position + 0.5f));
  const bool up = rounding == "ceil" || (rounding == "simple" && shrinks);
  return whole(up ? std::ceil(position) : std::floor(position));
}

/// Positions read by nearest before they are kept inside the input.
std::vector<std::int64_t> nearest_positions(const ResizeSpec& spec, std::size_t axis) {
  const auto lengths = lengths_of<float>(spec, axis);
  std::vector<std::int64_t> positions;
  for (std::int64_t o = 0; o < spec.out[axis]; ++o) {
    const float at = position_of(spec.coordinates, lengths, static_cast<float>(o));
    positions.push_back(nearest_of(spec.rounding, lengths.scale < 1.0f, at));
  }
  return positions;
}

bool extrapolates(const ResizeSpec& spec) { return spec.coordinates == "tf_crop_and_resize"; }

/// How much an axis that shrinks stretches the kernel; else 1.
double kernel_scale(const ResizeSpec& spec, std::size_t axis) {
  const auto scale = static_cast<double>(spec.scales[axis]);
  return spec.antialias ? std::min(scale, 1.0) : 1.0;
}

/// Elements from the first tap to the floor of the position, included.
std::int64_t taps_below(const ResizeSpec& spec, std::size_t axis) {
  const double reach = spec.mode == ResizeMode::kCubic ? 2.0 : 1.0;
  return -whole(std::floor(-reach / kernel_scale(spec, axis)));
}

/// Weight of an element at distance x: a triangle, or Keys' cubic.
double weight_at(const ResizeSpec& spec, double x) {
  x = std::abs(x);
  if (spec.mode == ResizeMode::kLinear) return std::max(0.0, 1 - x);
  const double a = spec.cubic_a;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0;
}

void add_taps(const ResizeSpec& spec, std::size_t axis, double position, ResizeTable& table) {
  const std::int64_t last = spec.in[axis] - 1;
  const double scale = kernel_scale(spec, axis);
  const std::int64_t first = whole(std::floor(position)) - taps_below(spec, axis) + 1;
  std::vector<double> weights;
  double sum = 0.0;
  for (std::int64_t t = 0; t < table.taps; ++t) {
    const std::int64_t at = first + t;
    const bool outside = spec.exclude_outside && (at < 0 || at > last);
    weights.push_back(outside ? 0.0
                              : weight_at(spec, (position - static_cast<double>(at)) * scale));
    sum += weights.back();
    table.index.push_back(static_cast<std::int32_t>(
        std::clamp<std::int64_t>(at, 0, std::max<std::int64_t>(0, last))));
  }
  const bool norm = spec.exclude_outside || scale != 1.0;
  for (const double weight : weights) table.weight.push_back(norm ? weight / sum : weight);
}

}  // namespace

std::int64_t resize_taps(const ResizeSpec& spec, std::size_t axis) {
  return spec.mode == ResizeMode::kNearest ? 1 : 2 * taps_below(spec, axis);
}

ResizeTable resize_table(const ResizeSpec& spec, std::size_t axis) {
  ResizeTable table;
  const auto lengths = lengths_of<double>(spec, axis);
  const std::int64_t last = std::max<std::int64_t>(0, spec.in[axis] - 1);
  const auto note_outside = [&](double at) {
    if (extrapolates(spec)) table.outside.push_back(at < 0 || at > lengths.in - 1);
  };
  if (spec.mode == ResizeMode::kNearest) {
    for (const std::int64_t at : nearest_positions(spec, axis)) {
      table.index.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(at, 0, last)));
      table.weight.push_back(1.0);
    }
    for (std::int64_t o = 0; o < spec.out[axis]; ++o) {
      note_outside(position_of(spec.coordinates, lengths, static_cast<double>(o)));
    }
    return table;
  }
  table.taps = resize_taps(spec, axis);
  for (std::int64_t o = 0; o < spec.out[axis]; ++o) {
    const double at = position_of(spec.coordinates, lengths, static_cast<double>(o));
    add_taps(spec, axis, at, table);
    note_outside(at);
  }
  return table;
}

std::optional<ResizeLine> resize_line(const ResizeSpec& spec, std::size_t axis) {
  if (spec.mode != ResizeMode::kNearest || extrapolates(spec)) return std::nullopt;
  const std::vector<std::int64_t> at = nearest_positions(spec, axis);
  const auto count = static_cast<std::int64_t>(at.size());
  if (count == 0) return std::nullopt;
  ResizeLine line;
  line.start = at.front();
  const auto changes = [&](std::int64_t from) {
    std::int64_t i = from + 1;
    while (i < count && at[static_cast<std::size_t>(i)] == at[static_cast<std::size_t>(from)]) ++i;
    return i;
  };
  const std::int64_t first = changes(0);
  if (first < count) {
    const std::int64_t second = changes(first);
    line.step = at[static_cast<std::size_t>(first)] - at[0];
    // Where the second run is cut off by the end, it may be as long as the first.
    line.period = second < count ? second - first : std::max(first, second - first);
    line.shift = line.period - first;
  } else {
    line.period = count;
  }
  if (line.shift < 0 || line.step < 0 || (line.step > 1 && line.period > 1)) return std::nullopt;
  for (std::int64_t o = 0; o < count; ++o) {
    const std::int64_t got = (o + line.shift) / line.period * line.step + line.start;
    if (got != at[static_cast<std::size_t>(o)]) return std::nullopt;
  }
  line.below = at.front() < 0;
  line.above = at.back() > spec.in[axis] - 1;
  return line;
}

bool keeps_axis(const ResizeSpec& spec, std::size_t axis) {
  if (spec.in[axis] != spec.out[axis]) return false;
  if (spec.scales[axis] == 1.0f && !extrapolates(spec) &&
      spec.coordinates != "tf_half_pixel_for_nn") {
    return true;
  }
  const ResizeTable table = resize_table(spec, axis);
  for (std::int64_t o = 0; o < spec.out[axis]; ++o) {
    if (!table.outside.empty() && table.outside[static_cast<std::size_t>(o)]) return false;
    for (std::int64_t t = 0; t < table.taps; ++t) {
      const auto i = static_cast<std::size_t>(o * table.taps + t);
      if (table.weight[i] != (table.index[i] == o ? 1.0 : 0.0)) return false;
    }
  }
  return true;
}

}  // namespace frit
