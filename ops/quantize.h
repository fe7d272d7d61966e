// What the quantise family shares with the operators that compute on quantised tensors.
//
// Internal operators (domain "frit"), all of whose inputs broadcast to the first:
//   Quantize(x, scale, [zero])      saturate(round(x / scale) + zero) as attribute `to`
//   Dequantize(x, scale, [zero])    (x - zero) * scale as attribute `to`
//   Requantize(sum, factor, [zero]) saturate(round(sum * factor) + zero) as attribute `to`
// Rounding is half to even. Quantize divides in the type of attribute `precision`; Requantize
// multiplies in float64, where the product of an int32 and a float32 is all but exact.
#pragma once

#include <string>
#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear and the internal ones.
void add_quantize(std::vector<const Operator*>& all);
/// Adds MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv.
void add_quantized_products(std::vector<const Operator*>& all);
/// Adds com.microsoft's QLinearAdd, QLinearSigmoid, … and its QuantizeLinear and DequantizeLinear.
void add_qlinear(std::vector<const Operator*>& all);

/// (x - zero) * scale as `to`, by Dequantize. `zero` may be omitted.
Ref dequantized(Expansion& to, Ref x, Ref scale, Ref zero, DType dtype = DType::kF32);
/// saturate(round(x / scale) + zero) in the type of `zero` or else `dtype`.
Ref quantized(Expansion& to, Ref x, Ref scale, Ref zero, DType dtype = DType::kU8);
/// `ref` with `dims`; itself where it has them.
Ref with_dims(Expansion& to, Ref ref, const std::vector<std::int64_t>& dims);

}  // namespace frit
