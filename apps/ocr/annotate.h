// Draws what was found upon the page.
#pragma once

#include <vector>

#include "apps/ocr/line.h"
#include "apps/ocr_common/picture.h"

namespace ocr {

/// Outlines each line's rectangle in red, its beginning (the side where the text starts) in blue,
/// and writes its place in the list, from 1, beside that. Thicker on larger pages.
void annotate(Picture& page, const std::vector<Line>& lines);

}  // namespace ocr
