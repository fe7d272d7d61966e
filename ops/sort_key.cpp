#include "ops/sort_key.h"

#include "ops/arithmetic.h"
#include "ops/halide_type.h"

namespace frit::math {

using Halide::Expr;
using Halide::Int;
using Halide::Type;

Expr sort_key(const Expr& x, bool nan_highest) {
  const Type type = x.type();
  if (type.is_float()) {
    const Expr key = order_key(Halide::cast(compute_type(type), x), nan_highest);
    const auto number = [&](std::int64_t value) { return constant_of(key.type(), value); };
    return Halide::select(key == number(-1), number(0), key);  // -1 is the key of -0 alone
  }
  if (type.bits() < 32 || type == Int(32)) return Halide::cast(Int(32), x);
  if (type.bits() < 64 || type.is_int()) return Halide::cast(Int(64), x);
  return Halide::reinterpret(Int(64), x) ^ Int(64).min();
}

}  // namespace frit::math
