// TensorProto and SparseTensorProto to Tensor.
#pragma once

#include <string>

#include "ops/base/result.h"
#include "ops/base/tensor.h"

namespace onnx {
class TensorProto;
class SparseTensorProto;
}  // namespace onnx

namespace frit {

class ExternalData;

/// `what` names the tensor in messages ("initializer 'w'"). Values come from raw_data, the typed
/// field, or `external` (nullptr: external data is refused). Codes: "onnx-dtype", "onnx-tensor"
/// (dims, or as many values as they ask for), "onnx-external-data", "onnx-too-large".
Result<Tensor> read_tensor(const onnx::TensorProto& proto, const std::string& what,
                           ExternalData* external);

/// Dense, zeros filled in. Refused as "onnx-too-large" above 2^20 elements, or 1024 per value.
Result<Tensor> read_sparse_tensor(const onnx::SparseTensorProto& proto, const std::string& what,
                                  ExternalData* external);

}  // namespace frit
