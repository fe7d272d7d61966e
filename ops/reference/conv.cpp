// Conv over one, two or three spatial axes.
//
// y[n,k,o] = b[k] + sum_{c,r} w[k,c,r] * x[n, g*C/G + c, o*stride + r*dilation - pad]
//
// The loops keep the innermost spatial axis contiguous. The error bound is linear in the same
// sums, so it is the same convolution of |w| with 4*eps*sqrt(n)*|x| + bound(x).
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ops/reference/call.h"
#include "ops/reference/weighted_sums.h"

namespace frit::ref {
namespace {

// Extents and steps, always with three spatial axes (leading ones of extent 1).
struct Geometry {
  std::int64_t batch = 0, channels = 0, filters = 0, group = 1;
  std::array<std::int64_t, 3> in{1, 1, 1}, kernel{1, 1, 1}, out{1, 1, 1};
  std::array<std::int64_t, 3> stride{1, 1, 1}, dilation{1, 1, 1}, pad{0, 0, 0};
  std::int64_t in_size() const { return in[0] * in[1] * in[2]; }
  std::int64_t out_size() const { return out[0] * out[1] * out[2]; }
  std::int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
};

// Output positions o with 0 <= o*stride + shift < extent, as [first, last).
std::pair<std::int64_t, std::int64_t> inside(std::int64_t shift, std::int64_t stride,
                                             std::int64_t extent, std::int64_t out) {
  const std::int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  const std::int64_t last = shift >= extent ? 0 : (extent - 1 - shift) / stride + 1;
  return {std::min(first, out), std::clamp<std::int64_t>(last, std::min(first, out), out)};
}

// out[o] += w * x[o*stride + shift] for one filter tap over one plane.
template <class T>
void add_tap(const Geometry& g, const std::array<std::int64_t, 3>& tap, T w, const T* x, T* y) {
  std::array<std::int64_t, 3> shift{};
  std::array<std::pair<std::int64_t, std::int64_t>, 3> span;
  for (std::size_t a = 0; a < 3; ++a) {
    shift[a] = tap[a] * g.dilation[a] - g.pad[a];
    span[a] = inside(shift[a], g.stride[a], g.in[a], g.out[a]);
  }
  const std::int64_t step = g.stride[2];
  for (std::int64_t oz = span[0].first; oz < span[0].second; ++oz) {
    for (std::int64_t oy = span[1].first; oy < span[1].second; ++oy) {
      const std::int64_t iz = oz * g.stride[0] + shift[0];
      const std::int64_t iy = oy * g.stride[1] + shift[1];
      const T* row = x + (iz * g.in[1] + iy) * g.in[2];
      T* out = y + (oz * g.out[1] + oy) * g.out[2];
      if (step == 1) {
        for (std::int64_t ox = span[2].first; ox < span[2].second; ++ox) {
          out[ox] += w * row[ox + shift[2]];
        }
      } else {
        for (std::int64_t ox = span[2].first; ox < span[2].second; ++ox) {
          out[ox] += w * row[ox * step + shift[2]];
        }
      }
    }
  }
}

// y += conv(x, w); y starts as the bias.
template <class T>
void convolve(const Geometry& g, const std::vector<T>& x, const std::vector<T>& w,
              std::vector<T>& y) {
  const std::int64_t group_in = g.channels / g.group;
  const std::int64_t group_out = g.filters / g.group;
  for (std::int64_t n = 0; n < g.batch; ++n) {
    for (std::int64_t k = 0; k < g.filters; ++k) {
      T* out = y.data() + (n * g.filters + k) * g.out_size();
      for (std::int64_t c = 0; c < group_in; ++c) {
        const std::int64_t channel = k / group_out * group_in + c;
        const T* plane = x.data() + (n * g.channels + channel) * g.in_size();
        const T* taps = w.data() + (k * group_in + c) * g.kernel_size();
        for (std::int64_t rz = 0; rz < g.kernel[0]; ++rz) {
          for (std::int64_t ry = 0; ry < g.kernel[1]; ++ry) {
            for (std::int64_t rx = 0; rx < g.kernel[2]; ++rx) {
              add_tap(g, {rz, ry, rx}, taps[(rz * g.kernel[1] + ry) * g.kernel[2] + rx], plane,
                      out);
            }
          }
        }
      }
    }
  }
}

// Pads before and output extent of one axis under auto_pad or explicit pads.
struct Place {
  std::int64_t before = 0;
  std::int64_t out = 0;
};

Result<Place> place_of(const Call& call, const std::string& mode, std::int64_t extent,
                       std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                       std::int64_t before, std::int64_t after) {
  const std::int64_t reach = (kernel - 1) * dilation + 1;
  Place place{before, 0};
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    place.out = (extent + stride - 1) / stride;
    const std::int64_t total = std::max<std::int64_t>((place.out - 1) * stride + reach - extent, 0);
    place.before = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    return place;
  }
  if (mode == "VALID") {
    place.before = 0;
    before = after = 0;
  } else if (mode != "NOTSET") {
    return call.refuse("auto_pad is \"" + mode + "\"");
  }
  const std::int64_t room = extent + before + after - reach;
  if (room == -1 && extent == 0) return place;  // one short of an output, of nothing: none
  if (room < 0)
    return call.refuse(fmt::format("a kernel reaching {} does not fit {}", reach, extent));
  place.out = room / stride + 1;
  return place;
}

Status fill_axes(const Call& call, Geometry& g) {
  const RefTensor& x = call.in(0);
  const RefTensor& w = call.in(1);
  const std::size_t spatial = x.dims.size() - 2;
  const AttributeMap& attributes = call.op.attributes;
  const Dims kernel(w.dims.begin() + 2, w.dims.end());
  const Dims ones(spatial, 1);
  const Dims strides = ints_attribute(attributes, "strides", ones);
  const Dims dilations = ints_attribute(attributes, "dilations", ones);
  const Dims pads = ints_attribute(attributes, "pads", Dims(2 * spatial, 0));
  if (ints_attribute(attributes, "kernel_shape", kernel) != kernel) {
    return call.refuse("kernel_shape differs from the weight's " + dims_text(w.dims));
  }
  FRIT_TRY(check_list(call, "kernel_shape", kernel, spatial, 1));
  FRIT_TRY(check_list(call, "strides", strides, spatial, 1));
  FRIT_TRY(check_list(call, "dilations", dilations, spatial, 1));
  FRIT_TRY(check_list(call, "pads", pads, 2 * spatial, 0));
  const std::string mode = string_attribute(attributes, "auto_pad", "NOTSET");
  for (std::size_t axis = 0; axis < spatial; ++axis) {
    const Result<Place> place = place_of(call, mode, x.dims[axis + 2], kernel[axis], strides[axis],
                                         dilations[axis], pads[axis], pads[spatial + axis]);
    if (!place) return tl::unexpected<Diagnostic>(place.error());
    const std::size_t to = axis + 3 - spatial;
    g.in[to] = x.dims[axis + 2];
    g.kernel[to] = kernel[axis];
    g.stride[to] = strides[axis];
    g.dilation[to] = dilations[axis];
    g.pad[to] = place->before;
    g.out[to] = place->out;
  }
  return {};
}

Result<Geometry> geometry_of(const Call& call) {
  const RefTensor& x = call.in(0);
  const RefTensor& w = call.in(1);
  if (x.dims.size() < 3 || x.dims.size() > 5 || w.dims.size() != x.dims.size()) {
    return call.refuse(fmt::format("input {} and weight {}: one to three spatial axes are known",
                                   dims_text(x.dims), dims_text(w.dims)));
  }
  Geometry g;
  g.batch = x.dims[0];
  g.channels = x.dims[1];
  g.filters = w.dims[0];
  g.group = call.attr("group", std::int64_t{1});
  if (g.group < 1 || g.channels % g.group != 0 || g.filters % g.group != 0 ||
      w.dims[1] != g.channels / g.group) {
    return call.refuse(fmt::format("weight {} does not fit input {} in {} groups",
                                   dims_text(w.dims), dims_text(x.dims), g.group));
  }
  if (call.has(2) && call.in(2).dims != Dims{g.filters}) {
    return call.refuse(fmt::format("bias {} is not [{}]", dims_text(call.in(2).dims), g.filters));
  }
  FRIT_TRY(fill_axes(call, g));
  return g;
}

// Of int32 (domain "frit"): exact, wrapping as int32 does.
Outputs conv_of_integers(const Call& call) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!call.has(i)) continue;
    FRIT_TRY(need_integer(call, i));
    FRIT_TRY(same_dtype(call, 0, i));
  }
  const Result<Geometry> geometry = geometry_of(call);
  if (!geometry) return tl::unexpected<Diagnostic>(geometry.error());
  const Geometry& g = *geometry;
  Dims dims = {g.batch, g.filters};
  for (std::size_t a = 5 - call.in(0).dims.size(); a < 3; ++a) dims.push_back(g.out[a]);
  Result<RefTensor> y = make(call, call.in(0).dtype, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  const auto bits = [](const Dims& values) {
    return std::vector<std::uint64_t>(values.begin(), values.end());
  };
  std::vector<std::uint64_t> sums(y->integer.size(), 0);
  for (std::size_t i = 0; call.has(2) && i < sums.size(); ++i) {
    const std::size_t k =
        i / static_cast<std::size_t>(g.out_size()) % static_cast<std::size_t>(g.filters);
    sums[i] = static_cast<std::uint64_t>(call.in(2).integer[k]);
  }
  convolve(g, bits(call.in(0).integer), bits(call.in(1).integer), sums);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    y->integer[i] = wrapped(y->dtype, static_cast<std::int64_t>(sums[i]));
  }
  return one(std::move(*y));
}

Outputs conv(const Call& call) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!call.has(i)) continue;
    FRIT_TRY(need_float(call, i));
    FRIT_TRY(same_dtype(call, 0, i));
  }
  const Result<Geometry> geometry = geometry_of(call);
  if (!geometry) return tl::unexpected<Diagnostic>(geometry.error());
  const Geometry& g = *geometry;
  SumShape shape{{g.batch, g.filters},
                 g.batch,
                 g.filters,
                 g.out_size(),
                 g.channels / g.group * g.kernel_size()};
  for (std::size_t a = 5 - call.in(0).dims.size(); a < 3; ++a) shape.dims.push_back(g.out[a]);
  return weighted_sums(call, shape,
                       [&](const auto& x, const auto& w, auto& y) { convolve(g, x, w, y); });
}

}  // namespace

std::span<const Entry> conv_entries() {
  static constexpr Entry kEntries[] = {{"Conv", 2, 3, conv}, {"frit.Conv", 2, 3, conv_of_integers}};
  return kEntries;
}

}  // namespace frit::ref
