// What was read, as JSON.
#pragma once

#include <string>
#include <vector>

#include "apps/ocr/line.h"
#include "apps/ocr_common/picture.h"

namespace ocr {

/// Schema "frit.ocr/1": page {file, width, height} and lines[], in reading order, each a line of
/// the file, with
///   text   UTF-8
///   score  mean probability of its characters
///   box    four corners [x,y] in pixels of the page, from where the text begins, clockwise as seen
///          by one who reads it; a corner outside the page is moved to its edge
///   angle  degrees by which the text is turned clockwise, above -180 and up to 180
std::string report_json(const std::string& file, const Picture& page,
                        const std::vector<Line>& lines);

}  // namespace ocr
