// The order in which a person reads the lines of a page.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/ocr/rectangle.h"

namespace ocr {

/// Indices of `boxes` in reading order, on a page turned as most of its lines are. Boxes whose
/// centres differ by less than half a height form a row; rows go downwards, a row from left to
/// right. There are columns, all of the left before the right, where a gap without text runs down
/// through several rows with two lines or more on each side, and neither side is under 22 % of the
/// width or narrower than the gap. (The prices of a receipt are read with their goods.)
std::vector<std::size_t> reading_order(const std::vector<Rectangle>& boxes);

}  // namespace ocr
