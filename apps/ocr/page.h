// From a page to the detector's input, as PP-OCR prepares it.
#pragma once

#include <vector>

#include "apps/ocr_common/picture.h"

namespace ocr {

inline constexpr int kDetectorSide = 640;

struct DetectorInput {
  std::vector<float> values;            ///< [3,640,640], x fastest
  double scale_y = 1.0, scale_x = 1.0;  ///< rows and columns of it per pixel of the page
};

/// Each output pixel is the mean of up to factor x factor pixels (fewer at the right and bottom
/// edges). factor 1 gives the page itself.
Picture shrink(const Picture& page, int factor);

/// The page scaled with its aspect kept, never enlarged, so that it fits into 640x640; it lies at
/// the top left. values[c,y,x] = (v/255 - mean[c]) / deviation[c] with ImageNet's figures .485 .456
/// .406 and .229 .224 .225 for c = 0, 1, 2, though the channels come as B,G,R: so the network was
/// trained. Outside the page 0. More than twofold reductions begin with whole-number means, so that
/// thin strokes do not fall between samples; the rest is bilinear.
DetectorInput detector_input(const Picture& page);

}  // namespace ocr
