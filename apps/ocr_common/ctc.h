// From class probabilities by column to text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ocr {

struct Reading {
  std::string text;         ///< UTF-8
  double confidence = 0.0;  ///< mean probability of the characters kept; 0 without any
};

/// Names of the classes after 0 (the blank): the lines of `characters`, then a space.
std::vector<std::string> class_names(std::string_view characters);

/// Greedy CTC: the best class of each step, repeats and blanks dropped.
/// probabilities: [steps,classes], classes fastest; names.size() + 1 == classes.
Reading read_line(const float* probabilities, int steps, int classes,
                  const std::vector<std::string>& names);

}  // namespace ocr
