#include "apps/ocr/components.h"

#include <algorithm>
#include <cstddef>

namespace ocr {

namespace {

struct Pixel {
  int y = 0, x = 0;
};

/// The pixels not yet given to an area.
class Unvisited {
 public:
  Unvisited(const float* map, int height, int width, float threshold)
      : height_(height), width_(width) {
    const std::size_t count = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
    set_.resize(count);
    for (std::size_t i = 0; i < count; ++i) set_[i] = map[i] > threshold ? 1 : 0;
  }

  /// Whether the pixel is one of them; from now on it is not.
  bool take(int y, int x) {
    if (y < 0 || y >= height_ || x < 0 || x >= width_) return false;
    char& mark = set_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                      static_cast<std::size_t>(x)];
    const bool was = mark != 0;
    mark = 0;
    return was;
  }

 private:
  int height_, width_;
  std::vector<char> set_;
};

/// Adds a pixel; rows come in order, since each new row touches one that is there.
void add(Component& component, Pixel pixel) {
  const std::size_t row = static_cast<std::size_t>(pixel.y - component.top);
  if (row >= component.rows.size()) component.rows.resize(row + 1, {pixel.x, pixel.x + 1});
  component.rows[row].begin = std::min(component.rows[row].begin, pixel.x);
  component.rows[row].end = std::max(component.rows[row].end, pixel.x + 1);
}

/// The area around `seed`, its topmost pixel.
Component fill(Unvisited& unvisited, Pixel seed) {
  Component component;
  component.top = seed.y;
  std::vector<Pixel> open = {seed};
  while (!open.empty()) {
    const Pixel pixel = open.back();
    open.pop_back();
    add(component, pixel);
    for (int y = pixel.y - 1; y <= pixel.y + 1; ++y) {
      for (int x = pixel.x - 1; x <= pixel.x + 1; ++x) {
        if (unvisited.take(y, x)) open.push_back({y, x});
      }
    }
  }
  return component;
}

}  // namespace

std::vector<Component> components(const float* map, int height, int width, float threshold,
                                  std::size_t most) {
  std::vector<Component> found;
  Unvisited unvisited(map, height, width, threshold);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (found.size() == most) return found;
      if (unvisited.take(y, x)) found.push_back(fill(unvisited, {y, x}));
    }
  }
  return found;
}

}  // namespace ocr
