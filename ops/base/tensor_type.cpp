#include "ops/base/tensor_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace frit {
namespace {

struct DTypeFacts {
  std::string_view name;
  int size_bytes;
  bool is_float;
  int onnx_number;
  int narrow_bits = 0;  ///< of a storage type
};

// Indexed by DType.
constexpr std::array<DTypeFacts, 25> kDTypes = {{{"f32", 4, true, 1},
                                                 {"f64", 8, true, 11},
                                                 {"f16", 2, true, 10},
                                                 {"bf16", 2, true, 16},
                                                 {"i8", 1, false, 3},
                                                 {"i16", 2, false, 5},
                                                 {"i32", 4, false, 6},
                                                 {"i64", 8, false, 7},
                                                 {"u8", 1, false, 2},
                                                 {"u16", 2, false, 4},
                                                 {"u32", 4, false, 12},
                                                 {"u64", 8, false, 13},
                                                 {"bool", 1, false, 9},
                                                 {"f8e4m3fn", 1, true, 17, 8},
                                                 {"f8e4m3fnuz", 1, true, 18, 8},
                                                 {"f8e5m2", 1, true, 19, 8},
                                                 {"f8e5m2fnuz", 1, true, 20, 8},
                                                 {"f8e8m0", 1, true, 24, 8},
                                                 {"f6e2m3", 1, true, 27, 6},
                                                 {"f6e3m2", 1, true, 28, 6},
                                                 {"f4e2m1", 1, true, 23, 4},
                                                 {"i4", 1, false, 22, 4},
                                                 {"u4", 1, false, 21, 4},
                                                 {"i2", 1, false, 26, 2},
                                                 {"u2", 1, false, 25, 2}}};

const DTypeFacts& facts_of(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)]; }

}  // namespace

int size_bytes(DType dtype) { return facts_of(dtype).size_bytes; }
int packed_bits(DType dtype) {
  const DTypeFacts& facts = facts_of(dtype);
  return facts.narrow_bits > 0 ? facts.narrow_bits : 8 * facts.size_bytes;
}
bool is_float(DType dtype) { return facts_of(dtype).is_float; }
bool is_storage_only(DType dtype) { return facts_of(dtype).narrow_bits > 0; }
std::string_view name_of(DType dtype) { return facts_of(dtype).name; }

std::optional<DType> dtype_named(std::string_view name) {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::optional<DType> dtype_of_onnx(std::int64_t number) {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].onnx_number == number) return static_cast<DType>(i);
  }
  return std::nullopt;
}
std::int64_t onnx_number(DType dtype) { return facts_of(dtype).onnx_number; }

TensorType::TensorType(DType type, const std::vector<std::int64_t>& dims)
    : dtype(type), shape(dims.begin(), dims.end()) {}

std::vector<std::int64_t> TensorType::dims() const {
  std::vector<std::int64_t> result;
  result.reserve(shape.size());
  for (const Extent& extent : shape) result.push_back(extent.bound);
  return result;
}

std::int64_t TensorType::elements() const {
  std::int64_t product = 1;
  for (const Extent& extent : shape) product *= extent.bound;
  return product;
}

std::string dims_text(const std::vector<std::int64_t>& dims) {
  return fmt::format("[{}]", fmt::join(dims, ","));
}

std::string to_text(const TensorType& type) {
  std::string text = fmt::format("{}[", name_of(type.dtype));
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    const Extent& extent = type.shape[i];
    if (i > 0) text += ',';
    text += extent.is_constant() ? std::to_string(extent.bound)
                                 : fmt::format("{}<={}", extent.symbol, extent.bound);
  }
  return text + "]";
}

std::optional<std::vector<std::int64_t>> broadcast_dims(const std::vector<std::int64_t>& a,
                                                        const std::vector<std::int64_t>& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  std::vector<std::int64_t> result(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t da = i + a.size() < rank ? 1 : a[i + a.size() - rank];
    const std::int64_t db = i + b.size() < rank ? 1 : b[i + b.size() - rank];
    if (da != db && da != 1 && db != 1) return std::nullopt;
    result[i] = da == 1 ? db : da;
  }
  return result;
}

std::optional<int> normal_axis(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return std::nullopt;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace frit
