// Element types, extents and tensor types. Axes are listed outermost first, as ONNX does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frit {

enum class DType : std::uint8_t {
  kF32,
  kF64,
  kF16,
  kBF16,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kBool,
  // Storage types. Only Cast, BitCast and the quantise family read or make their values; operators
  // that move elements carry them.
  kF8E4M3FN,
  kF8E4M3FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0,
  kF6E2M3,
  kF6E3M2,
  kF4E2M1,
  kI4,
  kU4,
  kI2,
  kU2
};

/// Bytes of one element in tensors and in buffers at run time: bool and every storage type have
/// one. A float of fewer than 8 bits lies in the low ones, the others 0; i4 and i2 are an int8_t,
/// u4 and u2 an uint8_t of that value.
int size_bytes(DType dtype);
/// Bits of one element where ONNX packs it: 8 * size_bytes, but 6, 4 and 2 of the types so named.
int packed_bits(DType dtype);
bool is_float(DType dtype);
bool is_storage_only(DType dtype);
/// "f32", "i64", "bool" …
std::string_view name_of(DType dtype);
std::optional<DType> dtype_named(std::string_view name);
/// From and to the number of ONNX's TensorProto.DataType (1 is float).
std::optional<DType> dtype_of_onnx(std::int64_t number);
std::int64_t onnx_number(DType dtype);

/// A constant extent, or a symbol with an upper bound (`nonzero_count <= 4096`).
struct Extent {
  std::int64_t bound = 0;  ///< the value itself when constant
  std::string symbol;      ///< empty: constant
  Extent() = default;
  Extent(std::int64_t constant) : bound(constant) {}  // NOLINT: an integer is a constant extent
  bool is_constant() const { return symbol.empty(); }
  bool operator==(const Extent&) const = default;
};

struct TensorType {
  DType dtype = DType::kF32;
  std::vector<Extent> shape;
  TensorType() = default;
  TensorType(DType type, const std::vector<std::int64_t>& dims);
  int rank() const { return static_cast<int>(shape.size()); }
  /// Extents as integers (bounds where symbolic).
  std::vector<std::int64_t> dims() const;
  /// Product of dims(); 1 for rank 0.
  std::int64_t elements() const;
  std::int64_t bytes() const { return elements() * size_bytes(dtype); }
  bool operator==(const TensorType&) const = default;
};

/// "f32[1,3,48,320]"
std::string to_text(const TensorType& type);
/// "[1,3,48,320]"
std::string dims_text(const std::vector<std::int64_t>& dims);

/// Shape of ONNX multidirectional broadcasting of a and b, nullopt where they do not broadcast.
std::optional<std::vector<std::int64_t>> broadcast_dims(const std::vector<std::int64_t>& a,
                                                        const std::vector<std::int64_t>& b);
/// Axis in [0,rank) from one in [-rank,rank); nullopt when outside.
std::optional<int> normal_axis(std::int64_t axis, int rank);

}  // namespace frit
