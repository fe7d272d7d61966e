#include "ops/transposed_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "ops/limits.h"
#include "ops/rules.h"
#include "ops/window.h"

namespace frit {
namespace {

using Halide::Expr;
using Ints = std::vector<std::int64_t>;

/// Marks a canonical form whose output_padding grew to fit output_shape or auto_pad.
constexpr const char* kFitted = "frit_fitted";

/// gcd(stride, dilation), and what follows from it (see the header).
struct Phases {
  std::int64_t shared, step, back, inverse;
};

Phases phases_of(std::int64_t stride, std::int64_t dilation) {
  Phases phases{};
  phases.shared = std::gcd(stride, dilation);
  phases.step = stride / phases.shared;
  phases.back = dilation / phases.shared;
  phases.inverse = 0;
  // Extended Euclid: back * inverse = 1 (mod step).
  std::int64_t a = phases.back % phases.step, b = phases.step, x = 1, y = 0;
  while (a > 1) {
    const std::int64_t quotient = b / a;
    std::tie(b, a) = std::pair(a, b % a);
    std::tie(y, x) = std::pair(x, y - quotient * x);
  }
  if (phases.step > 1) phases.inverse = (x % phases.step + phases.step) % phases.step;
  return phases;
}

Phases phases_of(const TransposedWindow& window, std::size_t axis) {
  return phases_of(window.strides[axis], window.dilations[axis]);
}

/// Extents asked for by output_shape; nullopt: not given.
Result<std::optional<Ints>> stated_output(const OpInstance& op, std::size_t rank) {
  if (!has_attribute(op.attributes, "output_shape")) return std::nullopt;
  Ints shape = ints_attribute(op.attributes, "output_shape", {});
  if (shape.empty()) return std::nullopt;
  if (shape.size() == rank + 2) shape.erase(shape.begin(), shape.begin() + 2);
  const bool fits = shape.size() == rank &&
                    std::all_of(shape.begin(), shape.end(),
                                [](auto extent) { return extent >= 1 && extent <= kMaxExtent; });
  if (fits) return shape;
  return fail("onnx-attribute",
              fmt::format("{}: output_shape is {} but its input {} needs {} positive extents; "
                          "correct the attribute",
                          label(op), dims_text(ints_attribute(op.attributes, "output_shape", {})),
                          to_text(op.input(0)), rank));
}

/// Output extent of one axis without any pads.
std::int64_t full_extent(const TransposedWindow& window, std::size_t axis) {
  return window.strides[axis] * (window.in[axis] - 1) + window.out_padding[axis] +
         (window.kernel[axis] - 1) * window.dilations[axis] + 1;
}

/// More would be a row of the output that the window does not reach, of which ONNX says nothing.
Status check_output_padding(const OpInstance& op, const TransposedWindow& window) {
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const std::int64_t less_than = std::max(window.strides[axis], window.dilations[axis]);
    if (window.out_padding[axis] < less_than || has_attribute(op.attributes, kFitted)) continue;
    return fail("onnx-attribute",
                fmt::format("{}: output_padding is {} along spatial axis {} but stride {} and "
                            "dilation {} allow at most {}; correct the attribute",
                            label(op), window.out_padding[axis], axis, window.strides[axis],
                            window.dilations[axis], less_than - 1));
  }
  return {};
}

void fit_pads(TransposedWindow& window, const Ints& out, bool upper) {
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const std::int64_t total = full_extent(window, axis) - out[axis];
    const std::int64_t pads = std::max<std::int64_t>(0, total), less = pads / 2;
    if (total < 0) window.out_padding[axis] -= total;
    window.pad_low[axis] = upper ? less : pads - less;
    window.pad_high[axis] = pads - window.pad_low[axis];
    window.out[axis] = out[axis];
  }
}

Status resolve_explicit(const OpInstance& op, TransposedWindow& window) {
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const std::int64_t full = full_extent(window, axis);
    const std::int64_t out = full - window.pad_low[axis] - window.pad_high[axis];
    if (!defined_extent(window.in[axis], out)) {
      return fail(
          "onnx-shape",
          fmt::format("{}: spatial axis {} of its input has {}, which makes {} in its output, "
                      "but pads ({},{}) take away {}; correct pads or pass a larger --shape",
                      label(op), axis, window.in[axis], full, window.pad_low[axis],
                      window.pad_high[axis], full - out));
    }
    window.out[axis] = out;
  }
  return {};
}

Status resolve_pads(const OpInstance& op, TransposedWindow& window) {
  const std::string auto_pad = string_attribute(op.attributes, "auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && !auto_pad.empty() && auto_pad != "NOTSET" && auto_pad != "VALID") {
    return fail("onnx-attribute",
                fmt::format("{}: auto_pad is \"{}\" but must be NOTSET, VALID, SAME_UPPER or "
                            "SAME_LOWER; correct the attribute",
                            label(op), auto_pad));
  }
  auto stated = stated_output(op, window.rank());
  if (!stated) return fail(std::move(stated).error());
  if (*stated || same) {
    Ints out = stated->value_or(window.in);
    if (!*stated) {
      for (std::size_t axis = 0; axis < out.size(); ++axis) out[axis] *= window.strides[axis];
    }
    fit_pads(window, out, auto_pad == "SAME_UPPER");
    return {};
  }
  if (auto_pad == "VALID") {
    std::fill(window.pad_low.begin(), window.pad_low.end(), 0);
    std::fill(window.pad_high.begin(), window.pad_high.end(), 0);
  }
  return resolve_explicit(op, window);
}

}  // namespace

std::int64_t TransposedWindow::step(std::size_t axis) const { return phases_of(*this, axis).step; }

std::int64_t TransposedWindow::taps(std::size_t axis) const {
  return (kernel[axis] + step(axis) - 1) / step(axis);
}

std::int64_t TransposedWindow::kernel_size() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : kernel) product *= extent;
  return product;
}

Result<TransposedWindow> transposed_window_of(const OpInstance& op, const Ints& kernel) {
  const Ints dims = op.input(0).dims();
  FRIT_TRY(check_spatial(op, kernel));
  const std::size_t rank = dims.size() - 2;
  TransposedWindow window;
  window.in.assign(dims.begin() + 2, dims.end());
  window.kernel = kernel;
  struct List {
    const char* name;
    std::int64_t otherwise;
    Ints* values;
  };
  for (const List& list : {List{"strides", 1, &window.strides},
                           {"dilations", 1, &window.dilations},
                           {"output_padding", 0, &window.out_padding}}) {
    auto values = spatial_list(op, list.name, rank, list.otherwise, list.otherwise);
    if (!values) return fail(std::move(values).error());
    *list.values = *std::move(values);
  }
  auto pads = spatial_list(op, "pads", 2 * rank, 0, 0);
  if (!pads) return fail(std::move(pads).error());
  window.pad_low.assign(pads->begin(), pads->begin() + static_cast<std::ptrdiff_t>(rank));
  window.pad_high.assign(pads->begin() + static_cast<std::ptrdiff_t>(rank), pads->end());
  window.out.resize(rank);
  FRIT_TRY(check_output_padding(op, window));
  FRIT_TRY(resolve_pads(op, window));
  return window;
}

void set_transposed_window_attributes(OpInstance& op, const TransposedWindow& window) {
  Ints pads = window.pad_low;
  pads.insert(pads.end(), window.pad_high.begin(), window.pad_high.end());
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    if (window.out_padding[axis] < std::max(window.strides[axis], window.dilations[axis])) continue;
    op.attributes[kFitted] = std::int64_t{1};
  }
  op.attributes.erase("auto_pad");
  op.attributes.erase("output_shape");
  op.attributes["kernel_shape"] = window.kernel;
  op.attributes["strides"] = window.strides;
  op.attributes["dilations"] = window.dilations;
  op.attributes["pads"] = std::move(pads);
  op.attributes["output_padding"] = window.out_padding;
}

TransposedTap transposed_tap(const TransposedWindow& window, std::size_t axis, const Expr& out,
                             const Expr& j) {
  const Phases phases = phases_of(window, axis);
  const int stride = static_cast<int>(window.strides[axis]);
  const int step = static_cast<int>(phases.step), back = static_cast<int>(phases.back);
  const int shared = static_cast<int>(phases.shared);
  const int pad = static_cast<int>(window.pad_low[axis]);
  const int kernel = static_cast<int>(window.kernel[axis]);
  const Expr at = pad == 0 ? out : out + pad;
  TransposedTap result;
  if (step == 1) {
    // Every tap, at outputs that are multiples of `shared` = stride.
    result.tap = j;
    result.input = (stride == 1 ? at : at / stride) - (back == 1 ? j : j * back);
  } else {
    const Expr phase = shared == 1 ? at % stride : at % stride / shared;
    const int inverse = static_cast<int>(phases.inverse);
    const Expr first = inverse == 1 ? phase : phase * inverse % step;
    result.tap = first + j * step;
    const Expr start = back * shared == 1 ? at / stride : (at - first * (back * shared)) / stride;
    result.input = start - (back == 1 ? j : j * back);
  }
  if (kernel % step != 0) {
    result.exists = result.tap < kernel;
    result.tap = Halide::min(result.tap, kernel - 1);
  }
  if (shared > 1) {
    const Expr on_grid = at % shared == 0;
    result.exists = result.exists.defined() ? result.exists && on_grid : on_grid;
  }
  return result;
}

Operator::Reach transposed_reach(const TransposedWindow& window) {
  Operator::Reach reach;
  reach.low.assign(window.rank() + 2, 0);
  reach.high.assign(window.rank() + 2, 0);
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    if (window.out[axis] == 0) continue;
    const Phases phases = phases_of(window, axis);
    const std::int64_t stride = window.strides[axis], dilation = window.dilations[axis];
    // Within a phase the position grows with the output, so the first and last of each count.
    const auto first_input = [&](std::int64_t out) {
      const std::int64_t at = out + window.pad_low[axis];
      const std::int64_t first = at % stride / phases.shared * phases.inverse % phases.step;
      const std::int64_t from = at - first * dilation;
      return from >= 0 ? from / stride : -((stride - 1 - from) / stride);
    };
    const std::int64_t edge = std::min(stride, window.out[axis]);
    std::int64_t low = window.in[axis], high = -1;
    for (std::int64_t i = 0; i < edge; ++i) {
      low = std::min(low, first_input(i) - (window.taps(axis) - 1) * phases.back);
      high = std::max(high, first_input(window.out[axis] - 1 - i));
    }
    reach.low[axis + 2] = std::max<std::int64_t>(0, -low);
    reach.high[axis + 2] = std::max<std::int64_t>(0, high - (window.in[axis] - 1));
  }
  return reach;
}

}  // namespace frit
