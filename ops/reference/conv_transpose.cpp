// ConvTranspose over one, two or three spatial axes, scattered as ONNX's text has it.
//
// y[n,k,i*stride + r*dilation - pad] += w[c, k mod K/group, r] * x[n,c,i], over the bias of k.
// The error bound is linear in the same sums: the same scatter of |w| with
// 4*eps*sqrt(n)*|x| + bound(x), n the most terms that can meet in one output.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "ops/reference/call.h"
#include "ops/reference/weighted_sums.h"

namespace frit::ref {
namespace {

// One spatial axis.
struct Axis {
  std::int64_t in = 1, kernel = 1, out = 1, stride = 1, dilation = 1, pad = 0;
};

// Always with three spatial axes (leading ones of extent 1).
struct Geometry {
  std::int64_t batch = 0, channels = 0, group = 1, group_filters = 0;
  std::array<Axis, 3> axis;

  std::int64_t filters() const { return group * group_filters; }
  std::int64_t in_size() const { return axis[0].in * axis[1].in * axis[2].in; }
  std::int64_t out_size() const { return axis[0].out * axis[1].out * axis[2].out; }
  std::int64_t kernel_size() const { return axis[0].kernel * axis[1].kernel * axis[2].kernel; }
  std::int64_t terms() const {
    std::int64_t n = channels / group;
    for (const Axis& a : axis) {
      const std::int64_t apart = a.stride / std::gcd(a.stride, a.dilation);
      n *= (a.kernel + apart - 1) / apart;
    }
    return n;
  }
};

// One filter of one channel: every input of the plane x through every tap.
template <class T>
void scatter_plane(const Geometry& g, const T* x, const T* w, T* y) {
  const auto& [az, ay, ax] = g.axis;
  for (std::int64_t rz = 0; rz < az.kernel; ++rz) {
    for (std::int64_t ry = 0; ry < ay.kernel; ++ry) {
      for (std::int64_t rx = 0; rx < ax.kernel; ++rx) {
        const T weight = w[(rz * ay.kernel + ry) * ax.kernel + rx];
        for (std::int64_t iz = 0; iz < az.in; ++iz) {
          const std::int64_t oz = iz * az.stride + rz * az.dilation - az.pad;
          if (oz < 0 || oz >= az.out) continue;
          for (std::int64_t iy = 0; iy < ay.in; ++iy) {
            const std::int64_t oy = iy * ay.stride + ry * ay.dilation - ay.pad;
            if (oy < 0 || oy >= ay.out) continue;
            const T* row = x + (iz * ay.in + iy) * ax.in;
            T* to = y + (oz * ay.out + oy) * ax.out;
            for (std::int64_t ix = 0; ix < ax.in; ++ix) {
              const std::int64_t ox = ix * ax.stride + rx * ax.dilation - ax.pad;
              if (ox >= 0 && ox < ax.out) to[ox] += weight * row[ix];
            }
          }
        }
      }
    }
  }
}

template <class T>
void scatter(const Geometry& g, const std::vector<T>& x, const std::vector<T>& w,
             std::vector<T>& y) {
  const std::int64_t group_channels = g.channels / g.group;
  for (std::int64_t n = 0; n < g.batch; ++n) {
    for (std::int64_t c = 0; c < g.channels; ++c) {
      const std::int64_t first = c / group_channels * g.group_filters;
      const T* plane = x.data() + (n * g.channels + c) * g.in_size();
      for (std::int64_t k = 0; k < g.group_filters; ++k) {
        scatter_plane(g, plane, w.data() + (c * g.group_filters + k) * g.kernel_size(),
                      y.data() + (n * g.filters() + first + k) * g.out_size());
      }
    }
  }
}

struct Padding {
  std::string mode;
  Dims asked;  // output extents; empty: they follow from the pads
};

// Output extent and pad at the begin of one axis.
Status place_axis(const Call& call, const Padding& padding, std::size_t which, std::int64_t extra,
                  std::int64_t before, std::int64_t after, Axis& a) {
  const std::int64_t whole = (a.in - 1) * a.stride + extra + (a.kernel - 1) * a.dilation + 1;
  const bool upper = padding.mode == "SAME_UPPER";
  if (padding.asked.empty() && !upper && padding.mode != "SAME_LOWER") {
    if (padding.mode == "VALID") before = after = 0;
    a.pad = before;
    a.out = whole - before - after;
    if (a.out < (a.in > 0 ? 1 : 0)) return call.refuse(fmt::format("axis {} has no output", which));
    return {};
  }
  a.out = padding.asked.empty() ? a.in * a.stride : padding.asked[which];
  const std::int64_t total = std::max<std::int64_t>(whole - a.out, 0);
  a.pad = upper ? total / 2 : (total + 1) / 2;
  return {};
}

Result<Padding> padding_of(const Call& call, std::size_t spatial) {
  Padding padding{string_attribute(call.op.attributes, "auto_pad", "NOTSET"),
                  ints_attribute(call.op.attributes, "output_shape", {})};
  static constexpr std::string_view kModes[] = {"NOTSET", "", "VALID", "SAME_UPPER", "SAME_LOWER"};
  if (std::find(std::begin(kModes), std::end(kModes), padding.mode) == std::end(kModes)) {
    return call.refuse("auto_pad is \"" + padding.mode + "\"");
  }
  Dims& asked = padding.asked;
  if (asked.size() == spatial + 2) asked.erase(asked.begin(), asked.begin() + 2);
  if (!asked.empty()) FRIT_TRY(check_list(call, "output_shape", asked, spatial, 1));
  return padding;
}

Status fill_axes(const Call& call, Geometry& g) {
  const std::size_t spatial = call.in(0).dims.size() - 2;
  const AttributeMap& attributes = call.op.attributes;
  const Dims kernel(call.in(1).dims.begin() + 2, call.in(1).dims.end());
  const Dims strides = ints_attribute(attributes, "strides", Dims(spatial, 1));
  const Dims dilations = ints_attribute(attributes, "dilations", Dims(spatial, 1));
  const Dims pads = ints_attribute(attributes, "pads", Dims(2 * spatial, 0));
  const Dims extra = ints_attribute(attributes, "output_padding", Dims(spatial, 0));
  if (ints_attribute(attributes, "kernel_shape", kernel) != kernel) {
    return call.refuse("kernel_shape differs from the weight's " + dims_text(call.in(1).dims));
  }
  FRIT_TRY(check_list(call, "kernel_shape", kernel, spatial, 1));
  FRIT_TRY(check_list(call, "strides", strides, spatial, 1));
  FRIT_TRY(check_list(call, "dilations", dilations, spatial, 1));
  FRIT_TRY(check_list(call, "pads", pads, 2 * spatial, 0));
  FRIT_TRY(check_list(call, "output_padding", extra, spatial, 0));
  const Result<Padding> padding = padding_of(call, spatial);
  if (!padding) return tl::unexpected<Diagnostic>(padding.error());
  for (std::size_t i = 0; i < spatial; ++i) {
    Axis& a = g.axis[i + 3 - spatial];
    a.in = call.in(0).dims[i + 2];
    a.kernel = kernel[i];
    a.stride = strides[i];
    a.dilation = dilations[i];
    FRIT_TRY(place_axis(call, *padding, i, extra[i], pads[i], pads[spatial + i], a));
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
  g.group = call.attr("group", std::int64_t{1});
  g.group_filters = w.dims[1];
  if (g.group < 1 || g.group > kMostElements || g.channels % g.group != 0 ||
      w.dims[0] != g.channels) {
    return call.refuse(fmt::format("weight {} does not fit input {} in {} groups",
                                   dims_text(w.dims), dims_text(x.dims), g.group));
  }
  if (call.has(2) && call.in(2).dims != Dims{g.filters()}) {
    return call.refuse(fmt::format("bias {} is not [{}]", dims_text(call.in(2).dims), g.filters()));
  }
  FRIT_TRY(fill_axes(call, g));
  return g;
}

Outputs conv_transpose(const Call& call) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!call.has(i)) continue;
    FRIT_TRY(need_float(call, i));
    FRIT_TRY(same_dtype(call, 0, i));
  }
  const Result<Geometry> geometry = geometry_of(call);
  if (!geometry) return tl::unexpected<Diagnostic>(geometry.error());
  const Geometry& g = *geometry;
  SumShape shape{{g.batch, g.filters()}, g.batch, g.filters(), g.out_size(), g.terms()};
  for (std::size_t a = 5 - call.in(0).dims.size(); a < 3; ++a) shape.dims.push_back(g.axis[a].out);
  return weighted_sums(call, shape,
                       [&](const auto& x, const auto& w, auto& y) { scatter(g, x, w, y); });
}

}  // namespace

std::span<const Entry> conv_transpose_entries() {
  static constexpr Entry kEntries[] = {{"ConvTranspose", 2, 3, conv_transpose}};
  return kEntries;
}

}  // namespace frit::ref
