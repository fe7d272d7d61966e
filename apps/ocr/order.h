// The order in which a person reads the lines of a page.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/ocr/rectangle.h"

namespace ocr {

/// Indices of `boxes` in reading order, on a page turned as most of its lines are. Boxes whose
/// centres differ by less than half a height form a row; rows go downwards, a row from left to
/// right. Where a gap without text runs down through several rows, with two lines or more on each
/// side and neither side under 20 % of the width, there are columns: all of the left comes before
/// the right. (A narrow right side, like the prices of a receipt, is read with its rows.)
std::vector<std::size_t> reading_order(const std::vector<Rectangle>& boxes);

}  // namespace ocr
