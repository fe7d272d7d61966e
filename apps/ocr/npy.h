// Writes float tensors as NumPy's .npy files.
#pragma once

#include <string>
#include <vector>

namespace ocr {

/// Returns "" or a sentence with the file and why it could not be written. values: the product of
/// `shape` many, last axis fastest.
std::string write_npy(const std::string& path, const std::vector<int>& shape,
                      const std::vector<float>& values);

}  // namespace ocr
