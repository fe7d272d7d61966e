// Keys to sort by: integers in the order of values of any type.
#pragma once

#include <Halide.h>

namespace frit::math {

/// i64 of f64, i64, u32 and u64, else i32. -0 equals +0; NaN is above +inf when `nan_highest`, else
/// below -inf.
Halide::Expr sort_key(const Halide::Expr& x, bool nan_highest);

}  // namespace frit::math
