// Cuts a line of text out of the page, turned upright and scaled to the recogniser's height.
#pragma once

#include "apps/ocr/rectangle.h"
#include "apps/ocr_common/picture.h"

namespace ocr {

/// Columns of a line of height 48 with the rectangle's aspect; at least 1, at most `most`.
int line_width(const Rectangle& rectangle, int most);

/// The middle of the line, at most `aspect` times as wide as high: what the classifier looks at.
Rectangle middle_of_line(const Rectangle& line, double aspect);

/// [48,line_width(...)]: bilinear samples of the page, edges repeated outside; where the line is
/// higher than 48 or too wide for `most`, each pixel is the mean of several samples (up to 8 x 8).
Picture crop_line(const Picture& page, const Rectangle& rectangle, int most);

}  // namespace ocr
