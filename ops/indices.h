// Indices that a model computes: their types, and how a position is made of one.
//
// Negative indices count from the end. Those known when building are checked; those known at run
// time only are clamped into their axis, so that no index reads or writes outside.
#pragma once

#include <Halide.h>

#include <span>

#include "ops/base/result.h"
#include "ops/instance.h"

namespace frit {

/// int32 and int64.
std::span<const DType> index_types();

/// Position in [0,dim) named by `index`, an i32 or i64 expression. `dim` is at least 1.
Halide::Expr position_in(const Halide::Expr& index, std::int64_t dim);

/// Error "onnx-shape" where input i is known and one of its values is outside axis `axis` of input
/// 0. Of a list of tuples (`tuple` > 1), value j of each tuple belongs to axis `axis` + j.
Status check_known_indices(const OpInstance& op, std::size_t i, std::size_t axis,
                           std::size_t tuple = 1);

/// The non-negative axis that attribute "axis" names in input 0. Error "onnx-attribute".
Result<std::size_t> axis_attribute(const OpInstance& op, std::int64_t otherwise);

}  // namespace frit
