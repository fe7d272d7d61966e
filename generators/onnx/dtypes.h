// ONNX element types and ours.
#pragma once

#include <optional>
#include <string>

#include "ops/base/tensor_type.h"

namespace frit {

/// nullopt for strings, complex numbers, and floats and integers of less than 16 and 8 bits.
std::optional<DType> dtype_of_onnx(int data_type);
/// ONNX's own name, "FLOAT8E4M3FN"; "type 99" for a number that onnx.proto does not know.
std::string onnx_dtype_name(int data_type);

}  // namespace frit
