// A line of text found on a page.
#pragma once

#include <string>

#include "apps/ocr/rectangle.h"

namespace ocr {

struct Line {
  std::string text;     ///< UTF-8
  double score = 0.0;   ///< mean probability of its characters
  Rectangle rectangle;  ///< in pixels of the page; `right` is the way in which the text runs
};

}  // namespace ocr
