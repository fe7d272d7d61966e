// From the detector's probability map to rectangles around lines of text (DB's postprocessing).
#pragma once

#include <vector>

#include "apps/ocr/rectangle.h"

namespace ocr {

/// The figures of PP-OCR.
struct BoxLimits {
  float threshold = 0.3F;    ///< a pixel above it belongs to text
  double least_score = 0.5;  ///< of a box: the mean probability inside
  double unclip = 1.6;       ///< a box grows by area * unclip / perimeter on every side: the map
                             ///< shows the core of each line only
  double least_side = 3.0;   ///< pixels of the map, before growing
  std::size_t most = 1000;   ///< areas looked at
};

/// Rectangles in the map's pixels, in the order of their topmost pixels; `right` within 45 degrees
/// of the x axis, except that one at least 1.5 times as high as wide is taken for text that runs
/// down (`right` is then the page's down). map: [height,width], x fastest.
std::vector<Rectangle> text_boxes(const float* map, int height, int width,
                                  const BoxLimits& limits = {});

}  // namespace ocr
