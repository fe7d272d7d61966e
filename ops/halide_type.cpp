#include "ops/halide_type.h"

#include "ops/base/tensor.h"

namespace frit {

using Halide::Expr;
using Halide::Type;

Type halide_type(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return Halide::Float(32);
    case DType::kF64:
      return Halide::Float(64);
    case DType::kF16:
      return Halide::Float(16);
    case DType::kBF16:
      return Halide::BFloat(16);
    case DType::kI8:
      return Halide::Int(8);
    case DType::kI16:
      return Halide::Int(16);
    case DType::kI32:
      return Halide::Int(32);
    case DType::kI64:
      return Halide::Int(64);
    case DType::kU8:
      return Halide::UInt(8);
    case DType::kU16:
      return Halide::UInt(16);
    case DType::kU32:
      return Halide::UInt(32);
    case DType::kU64:
      return Halide::UInt(64);
    case DType::kBool:
      return Halide::Bool();
    case DType::kI4:
    case DType::kI2:
      return Halide::Int(8);
    default:
      return Halide::UInt(8);  // codes of small floats; u4, u2
  }
}

Expr constant_of(Type type, double value) { return Halide::Internal::make_const(type, value); }

Expr constant_of(Type type, std::int64_t value) {
  return Halide::Internal::make_const(type, value);
}

Expr stored_constant(DType dtype, double value) {
  const Type type = halide_type(dtype);
  if (!is_storage_only(dtype)) return constant_of(type, value);
  const auto byte = static_cast<std::int64_t>(Tensor::scalar(dtype, value).bytes()[0]);
  return constant_of(type, type.is_int() ? static_cast<std::int8_t>(byte) : byte);
}

Type compute_type(Type type) {
  const bool narrow = type.is_float() && type.bits() < 32;
  return narrow ? Halide::Float(32) : type;
}

// A NaN is not 0, and -0 is: floats are tested by their bits, whatever made them.
Expr as_condition(const Expr& e) {
  const Type type = e.type();
  if (type.is_bool()) return e;
  if (!type.is_float()) return e != Halide::Internal::make_zero(type);
  const Type bits = Halide::Int(type.bits());
  return (Halide::reinterpret(bits, e) & bits.max()) != Halide::Internal::make_zero(bits);
}

}  // namespace frit
