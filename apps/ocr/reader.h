// Reads a page: detector, boxes, classifier of upside-down lines, recogniser.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/ocr/line.h"
#include "apps/ocr/rectangle.h"
#include "apps/ocr_common/picture.h"

namespace ocr {

struct Times {
  double detector_ms = 0.0, boxes_ms = 0.0, crop_ms = 0.0, classifier_ms = 0.0,
         recogniser_ms = 0.0;  ///< crop_ms: cutting out lines, both networks' inputs, decoding
};

/// Called after each run of a network with its name ("det", "cls_0", "rec_0", "rec_1" ...), which
/// tensor ("x" or "y"), shape and values.
using Watch = std::function<void(const std::string& network, const std::string& tensor,
                                 const std::vector<int>& shape, const std::vector<float>& values)>;

class Reader {
 public:
  /// threads: 1 to most_threads().
  explicit Reader(int threads);
  ~Reader();
  static int most_threads();

  /// The lines of the page in reading order, those read with a confidence under 0.5 left out.
  /// Returns "" or the reason why a network did not run.
  std::string read(const Picture& page, std::vector<Line>& lines, Times& times,
                   const Watch& watch = nullptr);

 private:
  struct Networks;
  std::unique_ptr<Networks> networks_;
};

}  // namespace ocr
