#include "ops/base/tensor.h"

#include <Halide.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "ops/base/small_float.h"

namespace frit {

Tensor::Tensor(DType dtype, std::vector<std::int64_t> dims,
               std::shared_ptr<const std::vector<std::byte>> bytes)
    : dtype_(dtype), dims_(std::move(dims)), bytes_(std::move(bytes)) {
  FRIT_ASSERT(bytes_ && static_cast<std::int64_t>(bytes_->size()) == type().bytes(),
              "a tensor's bytes do not fill its shape");
}

std::int64_t Tensor::elements() const { return type().elements(); }

std::span<const std::byte> Tensor::bytes() const {
  if (!bytes_) return {};
  return {bytes_->data(), bytes_->size()};
}

namespace {

// Calls f(element) for each element as its C++ type.
template <class F>
void visit_elements(const Tensor& tensor, F f) {
  const auto each = [&]<class T>(T) {
    for (const T element : tensor.data<T>()) f(element);
  };
  switch (tensor.dtype()) {
    case DType::kF32:
      return each(float{});
    case DType::kF64:
      return each(double{});
    case DType::kI8:
      return each(std::int8_t{});
    case DType::kI16:
      return each(std::int16_t{});
    case DType::kI32:
      return each(std::int32_t{});
    case DType::kI64:
      return each(std::int64_t{});
    case DType::kU8:
      return each(std::uint8_t{});
    case DType::kU16:
      return each(std::uint16_t{});
    case DType::kU32:
      return each(std::uint32_t{});
    case DType::kU64:
      return each(std::uint64_t{});
    case DType::kBool:
      return each(std::uint8_t{});
    case DType::kF16:
      for (const std::uint16_t bits : tensor.data<std::uint16_t>()) {
        f(static_cast<float>(Halide::float16_t::make_from_bits(bits)));
      }
      return;
    case DType::kBF16:
      for (const std::uint16_t bits : tensor.data<std::uint16_t>()) {
        f(static_cast<float>(Halide::bfloat16_t::make_from_bits(bits)));
      }
      return;
    case DType::kI4:
    case DType::kI2:
      return each(std::int8_t{});
    case DType::kU4:
    case DType::kU2:
      return each(std::uint8_t{});
    default:
      for (const std::uint8_t code : tensor.data<std::uint8_t>()) {
        f(small_float_value(tensor.dtype(), code));
      }
  }
}

template <class T>
std::int64_t integer_of(T element) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(element)) return 0;
    if (element >= T(0x1p63)) return std::numeric_limits<std::int64_t>::max();
    if (element <= T(-0x1p63)) return std::numeric_limits<std::int64_t>::min();
  }
  return static_cast<std::int64_t>(element);
}

}  // namespace

namespace {

template <class T>
Tensor one(DType dtype, T value) {
  return Tensor::of<T>(dtype, {}, {value});
}

template <class T>
Tensor saturated(DType dtype, double value, T low = std::numeric_limits<T>::min(),
                 T high = std::numeric_limits<T>::max()) {
  if (std::isnan(value)) return one(dtype, T{0});
  // The bounds as doubles may round up past T's; compare before converting.
  if (!(value > static_cast<double>(low))) return one(dtype, low);
  if (value >= static_cast<double>(high)) return one(dtype, high);
  return one(dtype, static_cast<T>(value));
}

}  // namespace

Tensor Tensor::scalar(DType dtype, double value) {
  switch (dtype) {
    case DType::kF32:
      return one(dtype, static_cast<float>(value));
    case DType::kF64:
      return one(dtype, value);
    case DType::kF16:
      return one(dtype, Halide::float16_t(value).to_bits());
    case DType::kBF16:
      return one(dtype, Halide::bfloat16_t(value).to_bits());
    case DType::kI8:
      return saturated<std::int8_t>(dtype, value);
    case DType::kI16:
      return saturated<std::int16_t>(dtype, value);
    case DType::kI32:
      return saturated<std::int32_t>(dtype, value);
    case DType::kI64:
      return saturated<std::int64_t>(dtype, value);
    case DType::kU8:
      return saturated<std::uint8_t>(dtype, value);
    case DType::kU16:
      return saturated<std::uint16_t>(dtype, value);
    case DType::kU32:
      return saturated<std::uint32_t>(dtype, value);
    case DType::kU64:
      return saturated<std::uint64_t>(dtype, value);
    case DType::kBool:
      return one(dtype, static_cast<std::uint8_t>(value != 0.0));
    case DType::kI4:
      return saturated<std::int8_t>(dtype, value, -8, 7);
    case DType::kI2:
      return saturated<std::int8_t>(dtype, value, -2, 1);
    case DType::kU4:
      return saturated<std::uint8_t>(dtype, value, 0, 15);
    case DType::kU2:
      return saturated<std::uint8_t>(dtype, value, 0, 3);
    default:
      return one(dtype, small_float_code(dtype, value));
  }
}

std::vector<double> Tensor::to_doubles() const {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(elements()));
  visit_elements(*this, [&](auto element) { result.push_back(static_cast<double>(element)); });
  return result;
}

std::vector<std::int64_t> Tensor::to_ints() const {
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(elements()));
  visit_elements(*this, [&](auto element) { result.push_back(integer_of(element)); });
  return result;
}

}  // namespace frit
