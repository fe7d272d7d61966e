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
  kBool
};

/// Bytes of one element (bool: 1).
int size_bytes(DType dtype);
bool is_float(DType dtype);
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
