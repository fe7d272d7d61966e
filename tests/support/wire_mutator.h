// Damage to ONNX files, of bytes and of fields: what hostile input tests and fuzzers feed.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace frit::testing {

/// Flips, cuts and spliced pieces.
std::string mutate_bytes(std::string bytes, std::mt19937& random);

/// Removes, repeats, swaps or changes up to three fields of a model: to extremes, to small numbers,
/// to other names of the file, or to one of `words` (operators and attributes). The model itself
/// where its protobuf is broken.
std::string mutate_fields(const std::string& model, const std::vector<std::string>& words,
                          std::mt19937& random);

}  // namespace frit::testing
