// Names of ONNX element types, for messages. dtype_of_onnx() of tensor_type.h reads their numbers.
#pragma once

#include <string>

namespace frit {

/// ONNX's own name, "FLOAT8E4M3FN"; "type 99" for a number that onnx.proto does not know.
std::string onnx_dtype_name(int data_type);

}  // namespace frit
