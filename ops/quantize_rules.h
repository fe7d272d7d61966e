// Types and granularity of QuantizeLinear and DequantizeLinear: what their attributes and the shape
// of the scale mean.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "ops/expansion.h"

namespace frit {

/// Types that values may be quantised to.
std::span<const DType> quantized_types();
/// Least and greatest value of an integer one.
std::pair<std::int64_t, std::int64_t> integer_range(DType dtype);

/// Result type of QuantizeLinear: that of its zero point, else attribute output_dtype, else u8.
/// Errors "onnx-type" (the two disagree, or no such type), "onnx-attribute".
Result<DType> quantized_type(const OpInstance& op);
/// Result type of DequantizeLinear: attribute output_dtype, else that of its scale (f32 of f8e8m0).
Result<DType> dequantized_type(const OpInstance& op);
/// What QuantizeLinear divides in: attribute precision, else the type of its scale; f64 of an int32
/// scale, whose quotients are no integers, and f32 of f8e8m0, which only scales.
Result<DType> precision_of(const OpInstance& op);

/// Scale (input 1) and zero point (input 2) have one shape: one element; one for each index of
/// `axis`; or, with block_size b, that of x but ceil(extent / b) along `axis`. "onnx-shape".
Status check_granularity(const OpInstance& op);
/// The scale or zero point with axes such that it broadcasts to x.
Ref spread(const OpInstance& op, Expansion& to, Ref parameter);

}  // namespace frit
