// Resize and Upsample of every opset, and the canonical Resize: one pass over the tensor for each
// axis that changes.
//
// An axis is a list of taps (position, weight) for each output position, kept inside the input.
// Error model: a sum of n products errs by 4*eps*sqrt(n)*S, its weights by eps*S more.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

struct Tap {
  std::int64_t from;
  double weight;
};

// One axis: taps of each output position; nothing where the position is outside the input.
using Column = std::vector<std::optional<std::vector<Tap>>>;

struct Axis {
  std::int64_t in = 0, out = 0;
  float scale = 1.0f, roi_start = 0.0f, roi_end = 1.0f;
};

struct Settings {
  std::string mode, coordinates, rounding;
  double cubic_a = -0.75;
  bool exclude_outside = false, antialias = false;
  std::vector<Axis> axes;
};

// The x_original of ONNX's text for output position `at`.
template <class T>
T original(const Settings& s, const Axis& axis, T at) {
  const T in = static_cast<T>(axis.in), scale = axis.scale, out = static_cast<T>(axis.out);
  T resized = scale * in;  // length_resized, which need not be whole
  if (std::fabs(resized - out) <= T(1e-5) * std::max(out, T(1))) resized = out;
  const std::string& c = s.coordinates;
  if (c == "asymmetric") return at / scale;
  if (c == "tf_half_pixel_for_nn") return (at + T(0.5)) / scale;
  if (c == "align_corners") return resized == T(1) ? T(0) : at * (in - T(1)) / (resized - T(1));
  if (c == "tf_crop_and_resize") {
    const T begin = T(axis.roi_start) * (in - T(1));
    const T length = (T(axis.roi_end) - T(axis.roi_start)) * (in - T(1));
    if (resized == T(1)) return begin + length / T(2);
    return begin + at * (T(axis.roi_end) - T(axis.roi_start)) * (in - T(1)) / (resized - T(1));
  }
  if (c == "pytorch_half_pixel" && axis.out <= 1) return T(0);
  const T centre = (at + T(0.5)) / scale;
  if (c != "half_pixel_symmetric") return centre - T(0.5);
  return in / T(2) * (T(1) - out / resized) + centre - T(0.5);
}

double rounded_position(const std::string& mode, float scale, float position) {
  if (mode == "floor") return std::floor(position);
  if (mode == "ceil") return std::ceil(position);
  if (mode == "simple") return scale < 1.0f ? std::ceil(position) : std::floor(position);
  const float below = std::floor(position), past = position - below;
  if (past == 0.5f) return mode == "round_prefer_ceil" ? below + 1.0f : below;
  return past < 0.5f ? below : below + 1.0f;
}

// Keys' kernel at distance x.
double keys(double a, double x) {
  x = std::fabs(x);
  if (x <= 1.0) return (a + 2.0) * x * x * x - (a + 3.0) * x * x + 1.0;
  if (x < 2.0) return a * x * x * x - 5.0 * a * x * x + 8.0 * a * x - 4.0 * a;
  return 0.0;
}

std::vector<Tap> taps_at(const Settings& s, const Axis& axis, std::int64_t out) {
  std::vector<Tap> taps;
  if (s.mode == "nearest") {
    const float position = original(s, axis, static_cast<float>(out));
    taps = {{static_cast<std::int64_t>(rounded_position(s.rounding, axis.scale, position)), 1.0}};
  } else {
    const double position = original(s, axis, static_cast<double>(out));
    const auto below = static_cast<std::int64_t>(std::floor(position));
    const bool cubic = s.mode == "cubic";
    // antialias: the kernel reaches as far as it has to, to see every element that is left out
    const double shrink = s.antialias ? std::min(1.0, static_cast<double>(axis.scale)) : 1.0;
    const auto reach = static_cast<std::int64_t>(std::ceil((cubic ? 2.0 : 1.0) / shrink));
    for (std::int64_t from = below - reach + 1; from <= below + reach; ++from) {
      const double distance = shrink * (position - static_cast<double>(from));
      taps.push_back(
          {from, cubic ? keys(s.cubic_a, distance) : std::max(0.0, 1.0 - std::fabs(distance))});
    }
  }
  if ((s.exclude_outside || s.antialias) && s.mode != "nearest") {
    double sum = 0.0;
    for (Tap& tap : taps) {
      const bool outside = tap.from < 0 || tap.from >= axis.in;
      if (s.exclude_outside && outside) tap.weight = 0.0;
      sum += tap.weight;
    }
    for (Tap& tap : taps) tap.weight /= sum;
  }
  for (Tap& tap : taps) tap.from = std::clamp<std::int64_t>(tap.from, 0, axis.in - 1);
  return taps;
}

Column column_of(const Settings& s, const Axis& axis) {
  Column column;
  for (std::int64_t out = 0; out < axis.out; ++out) {
    const double position = original(s, axis, static_cast<double>(out));
    const bool outside = s.coordinates == "tf_crop_and_resize" &&
                         (position < 0.0 || position > static_cast<double>(axis.in - 1));
    if (outside) {
      column.emplace_back(std::nullopt);
    } else {
      column.emplace_back(taps_at(s, axis, out));
    }
  }
  return column;
}

// A float or integer tensor on the way, with its error.
struct Grid {
  Dims dims;
  std::vector<double> value, error;
  std::vector<std::int64_t> integer;
};

// Replaces axis `a` of the grid by the column's outputs; `fill` where it has none.
void resample(const Call& call, const Column& column, std::size_t a, double fill, Grid& grid) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < a; ++i) outer *= grid.dims[i];
  for (std::size_t i = a + 1; i < grid.dims.size(); ++i) inner *= grid.dims[i];
  const std::int64_t in = grid.dims[a];
  Grid next;
  next.dims = grid.dims;
  next.dims[a] = static_cast<std::int64_t>(column.size());
  const auto copy = [&](const auto& from, auto& to, auto otherwise) {
    if (from.empty()) return;
    for (std::int64_t o = 0; o < outer; ++o) {
      for (const auto& taps : column) {
        for (std::int64_t i = 0; i < inner; ++i) {
          to.push_back(taps ? from[static_cast<std::size_t>((o * in + (*taps)[0].from) * inner + i)]
                            : otherwise);
        }
      }
    }
  };
  if (column.empty() || !std::any_of(column.begin(), column.end(),
                                     [](const auto& taps) { return taps && taps->size() > 1; })) {
    copy(grid.value, next.value, fill);
    copy(grid.error, next.error, 0.0);
    copy(grid.integer, next.integer, static_cast<std::int64_t>(fill));
    grid = std::move(next);
    return;
  }
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const auto& taps : column) {
      for (std::int64_t i = 0; i < inner; ++i) {
        double sum = taps ? 0.0 : fill, size = 0.0, error = 0.0;
        float narrow = static_cast<float>(sum);
        for (std::size_t t = 0; taps && t < taps->size(); ++t) {
          const Tap& tap = (*taps)[t];
          const auto at = static_cast<std::size_t>((o * in + tap.from) * inner + i);
          sum += tap.weight * grid.value[at];
          size += std::fabs(tap.weight * grid.value[at]);
          narrow += static_cast<float>(tap.weight) * static_cast<float>(grid.value[at]);
          if (!grid.error.empty()) error += std::fabs(tap.weight) * grid.error[at];
        }
        next.value.push_back(call.naive() ? static_cast<double>(narrow) : sum);
        const std::int64_t terms = taps ? static_cast<std::int64_t>(taps->size()) : 1;
        if (call.bounded()) next.error.push_back(error + (sum_factor(terms) + kEps) * size);
      }
    }
  }
  grid = std::move(next);
}

std::optional<std::vector<float>> floats_attribute(const Call& call, const char* name) {
  const auto found = call.op.attributes.find(name);
  if (found == call.op.attributes.end()) return std::nullopt;
  const auto* floats = std::get_if<std::vector<float>>(&found->second);
  return floats ? std::optional(*floats) : std::nullopt;
}

// The list of input i as doubles; empty where it is absent.
std::vector<double> list_of(const Call& call, std::size_t i) {
  std::vector<double> list;
  if (!call.has(i)) return list;
  const RefTensor& tensor = call.in(i);
  for (std::size_t k = 0; k < static_cast<std::size_t>(tensor.elements()); ++k) {
    list.push_back(number_at(tensor, k));
  }
  return list;
}

struct Lists {
  std::vector<double> roi, scales, sizes;
};

Lists lists_of(const Call& call, bool early, bool canonical) {
  Lists lists;
  const auto widened = [](const std::optional<std::vector<float>>& floats) {
    return floats ? std::vector<double>(floats->begin(), floats->end()) : std::vector<double>();
  };
  if (canonical) {
    lists.roi = widened(floats_attribute(call, "roi"));
    return lists;
  }
  if (early) {
    lists.scales = call.has(1) ? list_of(call, 1) : widened(floats_attribute(call, "scales"));
    return lists;
  }
  lists.roi = list_of(call, 1);
  lists.scales = list_of(call, 2);
  lists.sizes = list_of(call, 3);
  return lists;
}

void fit_aspect(const Call& call, const std::vector<std::size_t>& axes, Settings& s) {
  const std::string policy =
      string_attribute(call.op.attributes, "keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || axes.empty()) return;
  std::vector<double> ratios;
  for (const std::size_t a : axes) {
    ratios.push_back(static_cast<double>(s.axes[a].out) / static_cast<double>(s.axes[a].in));
  }
  const double ratio = policy == "not_larger" ? *std::min_element(ratios.begin(), ratios.end())
                                              : *std::max_element(ratios.begin(), ratios.end());
  for (const std::size_t a : axes) {
    s.axes[a].scale = static_cast<float>(ratio);
    s.axes[a].out =
        static_cast<std::int64_t>(std::floor(ratio * static_cast<double>(s.axes[a].in) + 0.5));
  }
}

Status fill_axes(const Call& call, bool early, bool canonical, Settings& s) {
  const Dims& dims = call.in(0).dims;
  s.axes.resize(dims.size());
  for (std::size_t a = 0; a < dims.size(); ++a) s.axes[a].in = s.axes[a].out = dims[a];
  Dims all(dims.size());
  for (std::size_t a = 0; a < dims.size(); ++a) all[a] = static_cast<std::int64_t>(a);
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : ints_attribute(call.op.attributes, "axes", all)) {
    const Result<std::size_t> a = axis_of(call, axis, dims.size());
    if (!a) return tl::unexpected<Diagnostic>(a.error());
    axes.push_back(*a);
  }
  const Lists lists = lists_of(call, early, canonical);
  const Dims canonical_sizes = ints_attribute(call.op.attributes, "sizes", {});
  const auto canonical_scales = floats_attribute(call, "scales");
  const std::size_t given =
      canonical ? canonical_sizes.size() : std::max(lists.scales.size(), lists.sizes.size());
  if (given != axes.size() ||
      (canonical && (!canonical_scales || canonical_scales->size() != given)) ||
      (!lists.roi.empty() && s.coordinates == "tf_crop_and_resize" &&
       lists.roi.size() != 2 * axes.size())) {
    return call.refuse("scales, sizes or roi do not fit its axes");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Axis& axis = s.axes[axes[i]];
    if (canonical) {
      axis.scale = (*canonical_scales)[i];
      axis.out = canonical_sizes[i];
    } else if (!lists.sizes.empty()) {
      axis.out = static_cast<std::int64_t>(lists.sizes[i]);
      if (axis.in > 0) axis.scale = static_cast<float>(axis.out) / static_cast<float>(axis.in);
    } else {
      axis.scale = static_cast<float>(lists.scales[i]);
      const float out = std::floor(axis.scale * static_cast<float>(axis.in));
      if (!(out >= 0.0f && out <= static_cast<float>(kMostElements))) {
        return call.refuse(fmt::format("scale {} of axis {}", axis.scale, axes[i]));
      }
      axis.out = static_cast<std::int64_t>(out);
    }
    if (s.coordinates != "tf_crop_and_resize" || lists.roi.empty()) continue;
    axis.roi_start = static_cast<float>(lists.roi[i]);
    axis.roi_end = static_cast<float>(lists.roi[axes.size() + i]);
  }
  if (!canonical && !lists.sizes.empty()) fit_aspect(call, axes, s);
  return {};
}

Result<Settings> settings_of(const Call& call) {
  const AttributeMap& attributes = call.op.attributes;
  const bool canonical = has_attribute(attributes, "sizes");
  const bool early = !canonical && (call.op.type == "Upsample" || call.op.opset < 11);
  Settings s;
  s.mode = string_attribute(attributes, "mode", "nearest");
  s.coordinates = string_attribute(attributes, "coordinate_transformation_mode",
                                   early ? "asymmetric" : "half_pixel");
  s.rounding =
      string_attribute(attributes, "nearest_mode", early ? "simple" : "round_prefer_floor");
  s.cubic_a = call.attr("cubic_coeff_a", -0.75f);
  s.exclude_outside = call.attr("exclude_outside", std::int64_t{0}) != 0;
  s.antialias = call.attr("antialias", std::int64_t{0}) != 0;
  if (s.mode != "nearest" && s.mode != "linear" && s.mode != "cubic") {
    return call.refuse("mode is \"" + s.mode + "\"");
  }
  FRIT_TRY(fill_axes(call, early, canonical, s));
  for (const Axis& axis : s.axes) {
    if (axis.in == 0 && axis.out > 0) return call.refuse("an empty axis cannot be resized");
    if (axis.out < 0 || axis.out > kMostElements) return call.refuse("a size is out of range");
  }
  return s;
}

bool is_changed(const Settings& s, const Axis& axis) {
  return axis.in != axis.out || axis.scale != 1.0f || s.coordinates == "tf_crop_and_resize" ||
         s.coordinates == "tf_half_pixel_for_nn";
}

Outputs resize(const Call& call) {
  const Result<Settings> settings = settings_of(call);
  if (!settings) return tl::unexpected<Diagnostic>(settings.error());
  const Settings& s = *settings;
  const RefTensor& x = call.in(0);
  if (s.mode != "nearest") FRIT_TRY(need_float(call, 0));
  Dims dims;
  for (const Axis& axis : s.axes) dims.push_back(axis.out);
  if (!count_of(dims)) return call.refuse("its result " + dims_text(dims) + " is too large");
  Grid grid{x.dims, x.real, x.bound, x.integer};
  if (call.bounded() && grid.error.empty()) grid.error.assign(x.real.size(), 0.0);
  const double fill = call.attr("extrapolation_value", 0.0f);
  for (std::size_t a = 0; a < s.axes.size(); ++a) {
    if (is_changed(s, s.axes[a])) resample(call, column_of(s, s.axes[a]), a, fill, grid);
  }
  RefTensor y;
  y.dtype = x.dtype;
  y.dims = std::move(dims);
  y.real = std::move(grid.value);
  y.bound = std::move(grid.error);
  y.integer = std::move(grid.integer);
  return one(std::move(y));
}

}  // namespace

std::span<const Entry> resize_entries() {
  // The canonical form has tables after x, which say what the attributes say.
  static constexpr Entry kEntries[] = {{"Resize", 1, 1 << 8, resize}, {"Upsample", 1, 2, resize}};
  return kEntries;
}

}  // namespace frit::ref
