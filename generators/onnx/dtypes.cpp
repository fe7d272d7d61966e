#include "generators/onnx/dtypes.h"

#include <onnx.pb.h>

namespace frit {

std::string onnx_dtype_name(int data_type) {
  if (!onnx::TensorProto::DataType_IsValid(data_type)) return "type " + std::to_string(data_type);
  return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(data_type));
}

}  // namespace frit
