// Tensors in NumPy's .npy files, format versions 1 to 3.
#pragma once

#include <string>
#include <string_view>

#include "ops/base/result.h"
#include "ops/base/tensor.h"

namespace frit {

/// Little-endian (or one-byte) numbers and bools in C order. Errors, code "input-npy": no such
/// file, not .npy, an element type or order outside that, a size that the header does not promise.
Result<Tensor> read_npy(const std::string& path);
/// The same of a file's bytes; `path` for messages.
Result<Tensor> parse_npy(std::string_view content, const std::string& path);

/// `tensor`, or where .npy has no name for `dtype` and it holds those elements as integers (see
/// npy_bytes), the same elements as `dtype`.
Tensor named_as(Tensor tensor, DType dtype);

/// Types that NumPy lacks are written as their bits: bfloat16 as '<u2', small floats and u4, u2 as
/// '|u1', i4 and i2 as '|i1'. Error: "run-npy", cannot write.
std::string npy_bytes(const Tensor& tensor);
Status write_npy(const std::string& path, const Tensor& tensor);

}  // namespace frit
