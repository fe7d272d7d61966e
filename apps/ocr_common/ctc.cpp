#include "apps/ocr_common/ctc.h"

#include <algorithm>
#include <cstddef>

namespace ocr {

std::vector<std::string> class_names(std::string_view characters) {
  std::vector<std::string> names;
  while (!characters.empty()) {
    const std::size_t end = characters.find('\n');
    names.emplace_back(characters.substr(0, end));
    characters = end == std::string_view::npos ? "" : characters.substr(end + 1);
  }
  names.emplace_back(" ");
  return names;
}

Reading read_line(const float* probabilities, int steps, int classes,
                  const std::vector<std::string>& names) {
  Reading reading;
  std::ptrdiff_t last = 0;
  int kept = 0;
  for (int step = 0; step < steps; ++step) {
    const float* row = probabilities + static_cast<std::ptrdiff_t>(step) * classes;
    const std::ptrdiff_t best = std::max_element(row, row + classes) - row;
    if (best != 0 && best != last) {
      reading.text += names[static_cast<std::size_t>(best - 1)];
      reading.confidence += row[best];
      ++kept;
    }
    last = best;
  }
  if (kept > 0) reading.confidence /= kept;
  return reading;
}

}  // namespace ocr
