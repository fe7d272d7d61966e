#include "ops/resize_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;

/// Tables of positions are made for each resized axis.
constexpr std::int64_t kMostResized = std::int64_t{1} << 22;
constexpr int kFirstFull = 11;  ///< opset from which Resize has roi, sizes and all modes

std::optional<Floats> floats_of(const AttributeMap& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return std::nullopt;
  const auto* floats = std::get_if<Floats>(&found->second);
  return floats ? std::optional(*floats) : std::nullopt;
}

/// Input i as a list; nullopt where it is left out or has no elements.
Result<std::optional<Tensor>> list_input(const OpInstance& op, std::size_t i, const char* name) {
  auto value = constant_input(op, i, name);
  if (!value) return fail(std::move(value).error());
  if (*value == nullptr || (*value)->elements() == 0) return std::optional<Tensor>();
  if ((*value)->rank() == 1) return std::optional(**value);
  return fail("onnx-type",
              fmt::format("{}: input {} ({}) is {} but must be a list; correct the model",
                          label(op), i, name, to_text((*value)->type())));
}

Floats to_floats(const Tensor& tensor) {
  Floats floats;
  for (const double value : tensor.to_doubles()) floats.push_back(static_cast<float>(value));
  return floats;
}

tl::unexpected<Diagnostic> unknown(const OpInstance& op, const char* name, const std::string& value,
                                   const std::vector<std::string>& known) {
  return fail("onnx-attribute",
              fmt::format("{}: {} is \"{}\" but must be one of {}; correct the attribute",
                          label(op), name, value, fmt::join(known, ", ")));
}

Status check_known(const OpInstance& op, const char* name, const std::string& value,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return {};
  return unknown(op, name, value, known);
}

/// Lists of one node: for the axes named, in their order.
struct Lists {
  std::vector<std::size_t> axes;
  std::optional<Tensor> scales, sizes, roi;
};

class Reader {
 public:
  explicit Reader(const OpInstance& op) : op_(op) {}

  Result<ResizeSpec> run() {
    spec_.in = op_.input(0).dims();
    const std::size_t rank = spec_.in.size();
    spec_.scales.assign(rank, 1.0f);
    spec_.roi_start.assign(rank, 0.0f);
    spec_.roi_end.assign(rank, 1.0f);
    spec_.out = spec_.in;
    FRIT_TRY(read_modes());
    FRIT_TRY(is_canonical() ? read_canonical() : read_lists());
    FRIT_TRY(check_extents());
    return std::move(spec_);
  }

 private:
  bool is_canonical() const { return has_attribute(op_.attributes, "sizes"); }
  bool is_early() const {
    return !is_canonical() && (op_.type == "Upsample" || op_.opset < kFirstFull);
  }

  Status read_modes() {
    const AttributeMap& attributes = op_.attributes;
    const std::string mode = string_attribute(attributes, "mode", "nearest");
    if (mode == "linear") {
      spec_.mode = ResizeMode::kLinear;
    } else if (mode == "cubic" && !is_early()) {
      spec_.mode = ResizeMode::kCubic;
    } else if (mode != "nearest") {
      return unknown(op_, "mode", mode, {"nearest", "linear", "cubic (opset 11 on)"});
    }
    spec_.coordinates = string_attribute(attributes, "coordinate_transformation_mode",
                                         is_early() ? "asymmetric" : "half_pixel");
    spec_.rounding =
        string_attribute(attributes, "nearest_mode", is_early() ? "simple" : "round_prefer_floor");
    FRIT_TRY(
        check_known(op_, "coordinate_transformation_mode", spec_.coordinates,
                    {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                     "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}));
    FRIT_TRY(check_known(op_, "nearest_mode", spec_.rounding,
                         {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"}));
    spec_.cubic_a = float_attribute(attributes, "cubic_coeff_a", -0.75f);
    spec_.exclude_outside = int_attribute(attributes, "exclude_outside", 0) != 0;
    spec_.antialias =
        int_attribute(attributes, "antialias", 0) != 0 && spec_.mode != ResizeMode::kNearest;
    spec_.extrapolation = float_attribute(attributes, "extrapolation_value", 0.0f);
    return {};
  }

  Status read_canonical() {
    const std::size_t rank = spec_.in.size();
    const Ints sizes = ints_attribute(op_.attributes, "sizes", {});
    const Floats scales = floats_of(op_.attributes, "scales").value_or(Floats());
    const Floats roi = floats_of(op_.attributes, "roi").value_or(Floats());
    if (sizes.size() != rank || scales.size() != rank || (!roi.empty() && roi.size() != 2 * rank)) {
      return fail(
          "onnx-shape",
          fmt::format("{}: sizes, scales and roi have {}, {} and {} values but its input {} "
                      "has {} axes; correct the attributes",
                      label(op_), sizes.size(), scales.size(), roi.size(), to_text(op_.input(0)),
                      rank));
    }
    spec_.out = sizes;
    spec_.scales = scales;
    if (!roi.empty()) set_roi(roi, all_axes());
    return {};
  }

  std::vector<std::size_t> all_axes() const {
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < spec_.in.size(); ++axis) axes.push_back(axis);
    return axes;
  }

  void set_roi(const Floats& roi, const std::vector<std::size_t>& axes) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      spec_.roi_start[axes[i]] = roi[i];
      spec_.roi_end[axes[i]] = roi[axes.size() + i];
    }
  }

  Result<Lists> lists() const {
    Lists lists;
    lists.axes = all_axes();
    if (has_attribute(op_.attributes, "axes")) {
      lists.axes.clear();
      const Ints stated = ints_attribute(op_.attributes, "axes", {});
      const int rank = op_.input(0).rank();
      FRIT_TRY(normal_axes(op_, stated, rank).map([](const auto&) {}));
      for (const std::int64_t axis : stated) {
        lists.axes.push_back(static_cast<std::size_t>(*normal_axis(axis, rank)));
      }
    }
    const bool early = is_early();
    const auto stated = floats_of(op_.attributes, "scales");
    if (early && stated)
      lists.scales = Tensor::f32({static_cast<std::int64_t>(stated->size())}, *stated);
    struct Place {
      std::size_t input;
      const char* name;
      std::optional<Tensor>* to;
    };
    const std::vector<Place> places = early ? std::vector<Place>{{1, "scales", &lists.scales}}
                                            : std::vector<Place>{{1, "roi", &lists.roi},
                                                                 {2, "scales", &lists.scales},
                                                                 {3, "sizes", &lists.sizes}};
    for (const Place& place : places) {
      // Only one mode reads roi, whatever is connected there.
      if (place.to == &lists.roi && spec_.coordinates != "tf_crop_and_resize") continue;
      auto list = list_input(op_, place.input, place.name);
      if (!list) return fail(std::move(list).error());
      if (*list) *place.to = *std::move(list);
    }
    return lists;
  }

  Status check_length(const Tensor& list, const char* name, std::size_t wanted) const {
    if (list.elements() == static_cast<std::int64_t>(wanted)) return {};
    return fail("onnx-shape",
                fmt::format("{}: {} has {} values but {} are needed for its input {}; correct the "
                            "model or pass --shape",
                            label(op_), name, list.elements(), wanted, to_text(op_.input(0))));
  }

  Status read_lists() {
    auto read = lists();
    if (!read) return fail(std::move(read).error());
    const Lists& lists = *read;
    if (lists.scales.has_value() == lists.sizes.has_value()) {
      return fail(
          "onnx-attribute",
          fmt::format("{}: {} scales and sizes {} given but exactly one of them says how "
                      "large its output is; correct the model",
                      label(op_), lists.scales ? "both" : "neither", lists.scales ? "are" : "is"));
    }
    const std::size_t count = lists.axes.size();
    if (lists.roi) {
      FRIT_TRY(check_length(*lists.roi, "roi", 2 * count));
      set_roi(to_floats(*lists.roi), lists.axes);
    } else if (spec_.coordinates == "tf_crop_and_resize") {
      return fail("onnx-attribute",
                  fmt::format("{}: coordinate_transformation_mode is tf_crop_and_resize but roi is "
                              "not given; correct the model",
                              label(op_)));
    }
    if (lists.sizes) {
      FRIT_TRY(check_length(*lists.sizes, "sizes", count));
      if (is_float(lists.sizes->dtype())) {
        return fail("onnx-type", fmt::format("{}: sizes is {} but must hold integers; correct the "
                                             "model",
                                             label(op_), to_text(lists.sizes->type())));
      }
      return use_sizes(lists.axes, lists.sizes->to_ints());
    }
    FRIT_TRY(check_length(*lists.scales, "scales", count));
    return use_scales(lists.axes, to_floats(*lists.scales));
  }

  Status use_scales(const std::vector<std::size_t>& axes, const Floats& scales) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const float scale = scales[i];
      const float out = scale * static_cast<float>(spec_.in[axes[i]]);
      if (!(scale > 0.0f) || !(out <= static_cast<float>(kMaxExtent))) {
        return fail("onnx-attribute",
                    fmt::format("{}: its scale of axis {} is {} but must be positive and give at "
                                "most {} elements; correct the scales",
                                label(op_), axes[i], scale, kMaxExtent));
      }
      spec_.scales[axes[i]] = scale;
      spec_.out[axes[i]] = static_cast<std::int64_t>(std::floor(out));
    }
    return {};
  }

  Status use_sizes(const std::vector<std::size_t>& axes, const Ints& sizes) {
    const std::string policy =
        string_attribute(op_.attributes, "keep_aspect_ratio_policy", "stretch");
    FRIT_TRY(check_known(op_, "keep_aspect_ratio_policy", policy,
                         {"stretch", "not_larger", "not_smaller"}));
    std::vector<double> ratios;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t in = spec_.in[axes[i]];
      if (sizes[i] < 0 || sizes[i] > kMaxExtent) {
        return fail("onnx-attribute",
                    fmt::format("{}: its size of axis {} is {} but must be from 0 to {}; correct "
                                "the sizes",
                                label(op_), axes[i], sizes[i], kMaxExtent));
      }
      ratios.push_back(in == 0 ? 1.0 : static_cast<double>(sizes[i]) / static_cast<double>(in));
      spec_.out[axes[i]] = sizes[i];
      spec_.scales[axes[i]] =
          in == 0 ? 1.0f : static_cast<float>(sizes[i]) / static_cast<float>(in);
    }
    if (policy == "stretch" || ratios.empty()) return {};
    const double ratio = policy == "not_larger" ? *std::min_element(ratios.begin(), ratios.end())
                                                : *std::max_element(ratios.begin(), ratios.end());
    for (const std::size_t axis : axes) {
      const double out = std::floor(ratio * static_cast<double>(spec_.in[axis]) + 0.5);
      spec_.scales[axis] = static_cast<float>(ratio);
      spec_.out[axis] = static_cast<std::int64_t>(std::min(out, 2.0 * kMaxExtent));
    }
    return {};
  }

  Status check_extents() const {
    FRIT_TRY(check_size(op_, spec_.out));
    for (std::size_t axis = 0; axis < spec_.out.size(); ++axis) {
      const std::int64_t in = spec_.in[axis], out = spec_.out[axis];
      if (in == 0 && out > 0) {
        return fail("onnx-shape",
                    fmt::format("{}: axis {} of its input {} is empty but {} elements "
                                "are asked of it; pass a larger --shape",
                                label(op_), axis, to_text(op_.input(0)), out));
      }
      if (out > kMostResized && (in != out || spec_.scales[axis] != 1.0f)) {
        return fail("onnx-too-large",
                    fmt::format("{}: it resizes axis {} to {} elements but {} are the most; pass a "
                                "smaller --shape",
                                label(op_), axis, out, kMostResized));
      }
      if (std::isfinite(spec_.scales[axis]) && (spec_.scales[axis] > 0.0f || out == 0)) continue;
      return fail("onnx-attribute", fmt::format("{}: its scale of axis {} is {} but must be "
                                                "positive; correct the scales",
                                                label(op_), axis, spec_.scales[axis]));
    }
    return {};
  }

  const OpInstance& op_;
  ResizeSpec spec_;
};

}  // namespace

Result<ResizeSpec> resize_spec_of(const OpInstance& op) { return Reader(op).run(); }

AttributeMap resize_attributes(const ResizeSpec& spec) {
  static constexpr const char* kModes[] = {"nearest", "linear", "cubic"};
  AttributeMap attributes = {{"mode", std::string(kModes[static_cast<int>(spec.mode)])},
                             {"coordinate_transformation_mode", spec.coordinates},
                             {"nearest_mode", spec.rounding},
                             {"cubic_coeff_a", static_cast<float>(spec.cubic_a)},
                             {"exclude_outside", std::int64_t{spec.exclude_outside}},
                             {"extrapolation_value", static_cast<float>(spec.extrapolation)},
                             {"scales", spec.scales},
                             {"sizes", spec.out}};
  if (spec.antialias) attributes["antialias"] = std::int64_t{1};
  if (spec.coordinates == "tf_crop_and_resize") {
    Floats roi = spec.roi_start;
    roi.insert(roi.end(), spec.roi_end.begin(), spec.roi_end.end());
    attributes["roi"] = std::move(roi);
  }
  return attributes;
}

}  // namespace frit
