#include "ops/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;
using Ints = std::vector<std::int64_t>;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Pads and output extents of auto_pad SAME_*.
void resolve_same(Window& window, bool upper) {
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const std::int64_t out = ceil_div(window.in[axis], window.strides[axis]);
    const std::int64_t needed = (out - 1) * window.strides[axis] + window.span(axis);
    const std::int64_t total = out == 0 ? 0 : std::max<std::int64_t>(0, needed - window.in[axis]);
    const std::int64_t less = total / 2;
    window.pad_low[axis] = upper ? less : total - less;
    window.pad_high[axis] = total - window.pad_low[axis];
    window.out[axis] = out;
  }
}

Status resolve_explicit(const OpInstance& op, Window& window, bool ceil_mode) {
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const std::int64_t padded = window.in[axis] + window.pad_low[axis] + window.pad_high[axis];
    const std::int64_t room = padded - window.span(axis);
    if (room < 0 && !defined_extent(window.in[axis], room + 1)) {
      return fail("onnx-shape",
                  fmt::format("{}: its window spans {} positions of spatial axis {} but the padded "
                              "input has {}; pass a larger --shape",
                              label(op), window.span(axis), axis, padded));
    }
    if (room < 0) {
      window.out[axis] = 0;
      continue;
    }
    const std::int64_t stride = window.strides[axis];
    std::int64_t out = (ceil_mode ? ceil_div(room, stride) : room / stride) + 1;
    if (ceil_mode && (out - 1) * stride >= window.in[axis] + window.pad_low[axis]) --out;
    window.out[axis] = out;
  }
  return {};
}

}  // namespace

bool defined_extent(std::int64_t in, std::int64_t out) { return in == 0 ? out >= 0 : out >= 1; }

std::int64_t Window::taps() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : kernel) product *= extent;
  return product;
}

Result<Ints> spatial_list(const OpInstance& op, const std::string& name, std::size_t length,
                          std::int64_t otherwise, std::int64_t least) {
  const Ints values = ints_attribute(op.attributes, name, Ints(length, otherwise));
  if (values.size() != length) {
    return fail("onnx-attribute",
                fmt::format("{}: {} is {} but its input {} needs {} values; correct the attribute",
                            label(op), name, dims_text(values), to_text(op.input(0)), length));
  }
  for (const std::int64_t value : values) {
    if (value >= least && value <= kMaxExtent) continue;
    return fail(
        "onnx-attribute",
        fmt::format("{}: {} is {} but each value must be from {} to {}; correct the attribute",
                    label(op), name, dims_text(values), least, kMaxExtent));
  }
  return values;
}

Status check_spatial(const OpInstance& op, const Ints& kernel) {
  const Ints dims = op.input(0).dims();
  if (dims.size() < 3 || dims.size() > 5) {
    return fail("onnx-shape",
                fmt::format("{}: its input is {} but one to three spatial axes after [n,c] are "
                            "supported; reshape it before",
                            label(op), to_text(op.input(0))));
  }
  FRIT_TRY(check_constant_shape(op, 0, "its input"));
  const std::size_t rank = dims.size() - 2;
  if (kernel.size() != rank || checked_elements(kernel) <= 0) {
    return fail("onnx-attribute",
                fmt::format("{}: its kernel is {} but its input {} needs {} positive extents; "
                            "correct kernel_shape",
                            label(op), dims_text(kernel), to_text(op.input(0)), rank));
  }
  return {};
}

Result<Ints> read_lists(const OpInstance& op, std::size_t rank, Window& window) {
  for (const auto& [name, list] :
       {std::pair("strides", &window.strides), std::pair("dilations", &window.dilations)}) {
    auto values = spatial_list(op, name, rank, 1, 1);
    if (!values) return fail(std::move(values).error());
    *list = *std::move(values);
  }
  auto pads = spatial_list(op, "pads", 2 * rank, 0, 0);
  if (!pads) return fail(std::move(pads).error());
  window.pad_low.assign(pads->begin(), pads->begin() + static_cast<std::ptrdiff_t>(rank));
  window.pad_high.assign(pads->begin() + static_cast<std::ptrdiff_t>(rank), pads->end());
  return pads;
}

Result<Window> window_of(const OpInstance& op, const Ints& kernel, bool ceil_mode) {
  const Ints dims = op.input(0).dims();
  FRIT_TRY(check_spatial(op, kernel));
  const std::size_t rank = dims.size() - 2;
  Window window;
  window.in.assign(dims.begin() + 2, dims.end());
  window.kernel = kernel;
  const Result<Ints> pads = read_lists(op, rank, window);
  if (!pads) return fail(pads.error());
  window.out.resize(rank);

  const std::string auto_pad = string_attribute(op.attributes, "auto_pad", "NOTSET");
  const bool automatic = auto_pad != "NOTSET" && !auto_pad.empty();
  if (automatic && std::any_of(pads->begin(), pads->end(), [](auto pad) { return pad != 0; })) {
    return fail(
        "onnx-attribute",
        fmt::format("{}: auto_pad is {} but pads is {}; ONNX allows only one of them, remove "
                    "the other",
                    label(op), auto_pad, dims_text(*pads)));
  }
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    resolve_same(window, auto_pad == "SAME_UPPER");
  } else if (!automatic || auto_pad == "VALID") {
    FRIT_TRY(resolve_explicit(op, window, ceil_mode));
  } else {
    return fail("onnx-attribute",
                fmt::format("{}: auto_pad is \"{}\" but must be NOTSET, VALID, SAME_UPPER or "
                            "SAME_LOWER; correct the attribute",
                            label(op), auto_pad));
  }
  return window;
}

void set_window_attributes(OpInstance& op, const Window& window) {
  Ints pads = window.pad_low;
  pads.insert(pads.end(), window.pad_high.begin(), window.pad_high.end());
  op.attributes.erase("auto_pad");
  op.attributes["kernel_shape"] = window.kernel;
  op.attributes["strides"] = window.strides;
  op.attributes["dilations"] = window.dilations;
  op.attributes["pads"] = std::move(pads);
}

std::vector<std::string> spatial_names(std::size_t rank) {
  const std::vector<std::string> all = {"z", "y", "x"};
  return {all.end() - static_cast<std::ptrdiff_t>(rank), all.end()};
}

std::vector<std::string> image_axes(const OpInstance& op, const char* channel) {
  std::vector<std::string> names = {"n", channel};
  for (auto& name : spatial_names(static_cast<std::size_t>(op.input(0).rank()) - 2)) {
    names.push_back(std::move(name));
  }
  return names;
}

Expr window_index(const Window& window, std::size_t axis, const Expr& out, const Expr& tap) {
  const auto times = [](const Expr& e, std::int64_t factor) {
    return factor == 1 ? e : e * static_cast<int>(factor);
  };
  Expr index = times(out, window.strides[axis]) + times(tap, window.dilations[axis]);
  if (window.pad_low[axis] != 0) index = index - static_cast<int>(window.pad_low[axis]);
  return index;
}

Operator::Reach window_reach(const Window& window, double fill) {
  Operator::Reach reach;
  reach.fill = fill;
  reach.low.assign(window.rank() + 2, 0);
  reach.high.assign(window.rank() + 2, 0);
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    // Without outputs nothing is read, yet bounds are asked for the first one's window less a
    // stride.
    const std::int64_t last = (window.out[axis] - 1) * window.strides[axis] + window.span(axis) -
                              1 - window.pad_low[axis];
    reach.low[axis + 2] = window.pad_low[axis];
    reach.high[axis + 2] = std::max<std::int64_t>(0, last - (window.in[axis] - 1));
  }
  return reach;
}

void add_window_facts(const Window& window, Facts& facts) {
  const std::vector<std::string> names = spatial_names(window.rank());
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    facts["r" + names[axis]] = window.kernel[axis];
    facts["stride_" + names[axis]] = window.strides[axis];
    facts["dilation_" + names[axis]] = window.dilations[axis];
    facts["in_" + names[axis]] = window.in[axis];
  }
}

}  // namespace frit
