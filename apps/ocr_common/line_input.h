// From a picture of one text line to the recogniser's input, as PP-OCR prepares it.
#pragma once

#include <vector>

#include "apps/ocr_common/picture.h"

namespace ocr {

inline constexpr int kLineHeight = 48;

/// Bilinear with half-pixel centres and edges repeated (OpenCV's INTER_LINEAR), in integers with
/// 11-bit weights, rounded to nearest: the same bits on every machine.
Picture resize(const Picture& picture, int height, int width);

/// values[c,y,x] = (v/255 - 0.5)/0.5 of the picture scaled to height 48, channels B,G,R; columns on
/// the right of it are 0. A line that would be wider than `width` is squeezed into it.
/// Shape [3,48,width], x fastest.
std::vector<float> line_input(const Picture& picture, int width);

}  // namespace ocr
