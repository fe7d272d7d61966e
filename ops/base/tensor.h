// A constant tensor: dense, row-major (last axis fastest), immutable, cheap to copy.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ops/base/assert.h"
#include "ops/base/tensor_type.h"

namespace frit {

class Tensor {
 public:
  Tensor() = default;
  /// bytes->size() must be TensorType(dtype, dims).bytes().
  Tensor(DType dtype, std::vector<std::int64_t> dims,
         std::shared_ptr<const std::vector<std::byte>> bytes);

  template <class T>
  static Tensor of(DType dtype, std::vector<std::int64_t> dims, const std::vector<T>& values) {
    auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(T));
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    std::copy(first, first + bytes->size(), bytes->begin());
    return Tensor(dtype, std::move(dims), std::move(bytes));
  }
  static Tensor f32(std::vector<std::int64_t> dims, const std::vector<float>& values) {
    return of(DType::kF32, std::move(dims), values);
  }
  static Tensor i64(std::vector<std::int64_t> dims, const std::vector<std::int64_t>& values) {
    return of(DType::kI64, std::move(dims), values);
  }

  /// Of rank 0: `value` rounded once to `dtype`; integers cut it and saturate, NaN as 0.
  static Tensor scalar(DType dtype, double value);

  DType dtype() const { return dtype_; }
  const std::vector<std::int64_t>& dims() const { return dims_; }
  int rank() const { return static_cast<int>(dims_.size()); }
  std::int64_t elements() const;
  TensorType type() const { return TensorType(dtype_, dims_); }
  std::span<const std::byte> bytes() const;

  /// Elements as T; sizeof(T) must be the element size.
  template <class T>
  std::span<const T> data() const {
    FRIT_ASSERT(static_cast<int>(sizeof(T)) == size_bytes(dtype_), "element size differs");
    return {reinterpret_cast<const T*>(bytes().data()), static_cast<std::size_t>(elements())};
  }
  /// Every element converted; any dtype. To integers: cut towards zero, held to int64, NaN as 0.
  std::vector<double> to_doubles() const;
  std::vector<std::int64_t> to_ints() const;

 private:
  DType dtype_ = DType::kF32;
  std::vector<std::int64_t> dims_;
  std::shared_ptr<const std::vector<std::byte>> bytes_;
};

}  // namespace frit
