// What a Resize or Upsample of any opset asks for, in one form.
//
// Upsample 7 (scales an attribute) and 9, Resize 10: input position = output position / scale,
// "nearest" rounds down, or up on axes that shrink (as ONNX Runtime; the texts of these opsets do
// not say). Resize 11 and 13: roi, scales or sizes. 18: axes, keep_aspect_ratio_policy, antialias.
// 19: half_pixel_symmetric.
#pragma once

#include <string>
#include <vector>

#include "ops/base/result.h"
#include "ops/instance.h"

namespace frit {

enum class ResizeMode : std::uint8_t { kNearest, kLinear, kCubic };

struct ResizeSpec {
  ResizeMode mode = ResizeMode::kNearest;
  std::string coordinates;  ///< coordinate_transformation_mode
  std::string rounding;     ///< nearest_mode; "simple": that of opset 10
  double cubic_a = -0.75;
  bool exclude_outside = false;
  bool antialias = false;      ///< the kernel of linear or cubic is widened on axes that shrink
  double extrapolation = 0.0;  ///< of tf_crop_and_resize
  /// One entry for each axis of the input.
  std::vector<std::int64_t> in, out;
  std::vector<float> scales, roi_start, roi_end;
};

/// Errors: "onnx-attribute" (an unknown mode, a scale that is not positive), "onnx-shape" (lengths
/// of lists, an empty axis resized), "onnx-too-large" (an axis of more than 2^22),
/// "onnx-not-constant", "onnx-type".
Result<ResizeSpec> resize_spec_of(const OpInstance& op);

/// The canonical attributes: mode, coordinate_transformation_mode, nearest_mode, cubic_coeff_a,
/// exclude_outside, extrapolation_value, antialias (where it is 1), scales, sizes and roi, each of
/// the last three for all axes.
AttributeMap resize_attributes(const ResizeSpec& spec);

}  // namespace frit
