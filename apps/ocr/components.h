// Connected areas of a probability map.
#pragma once

#include <vector>

namespace ocr {

/// An area by its rows from `top` on: the pixels from the row's first to its last are
/// [begin,end). What lies between may have holes; for a hull around the area they do not matter.
struct Component {
  struct Row {
    int begin = 0, end = 0;
  };
  int top = 0;
  std::vector<Row> rows;
};

/// Areas of values above `threshold`, neighbours by edge or corner, in the order of their first
/// pixel; at most `most` of them. map: [height,width], x fastest. O(pixels).
std::vector<Component> components(const float* map, int height, int width, float threshold,
                                  std::size_t most);

}  // namespace ocr
