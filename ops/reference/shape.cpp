// Operators whose result depends on shapes or attributes only, and small counters.
#include <fmt/format.h>

#include <algorithm>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

RefTensor vector_i64(Dims values) {
  RefTensor y;
  y.dtype = DType::kI64;
  y.dims = {static_cast<std::int64_t>(values.size())};
  y.integer = std::move(values);
  return y;
}

Outputs shape(const Call& call) {
  const Dims& dims = call.in(0).dims;
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = place(call.attr("start", std::int64_t{0}));
  const std::int64_t end = std::max(start, place(call.attr("end", rank)));
  return one(vector_i64(Dims(dims.begin() + start, dims.begin() + end)));
}

Outputs size(const Call& call) {
  RefTensor y = vector_i64({call.in(0).elements()});
  y.dims.clear();
  return one(std::move(y));
}

Outputs constant(const Call& call) {
  const AttributeMap& attributes = call.op.attributes;
  for (const auto& [name, attribute] : attributes) {
    if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
      return one(RefTensor::from(*tensor));
    }
    if (const auto* integer = std::get_if<std::int64_t>(&attribute);
        integer && name == "value_int") {
      RefTensor y = vector_i64({*integer});
      y.dims.clear();
      return one(std::move(y));
    }
    if (const auto* integers = std::get_if<Dims>(&attribute); integers && name == "value_ints") {
      return one(vector_i64(*integers));
    }
    if (const auto* real = std::get_if<float>(&attribute); real && name == "value_float") {
      return one(RefTensor::from(Tensor::f32({}, {*real})));
    }
    if (const auto* reals = std::get_if<std::vector<float>>(&attribute);
        reals && name == "value_floats") {
      return one(RefTensor::from(Tensor::f32({static_cast<std::int64_t>(reals->size())}, *reals)));
    }
  }
  return call.refuse("has no value of a supported kind");
}

Outputs constant_of_shape(const Call& call) {
  const Result<Dims> dims = ints_input(call, 0);
  if (!dims) return refused(dims.error());
  RefTensor value = RefTensor::from(Tensor::f32({1}, {0.0f}));
  const auto found = call.op.attributes.find("value");
  if (found != call.op.attributes.end()) {
    const auto* tensor = std::get_if<Tensor>(&found->second);
    if (tensor == nullptr || tensor->elements() != 1) {
      return call.refuse("its value is not a tensor of one element");
    }
    value = RefTensor::from(*tensor);
  }
  Result<RefTensor> y = make(call, value.dtype, *dims);
  if (!y) return refused(y.error());
  if (is_float(value.dtype)) {
    std::fill(y->real.begin(), y->real.end(), value.real[0]);
  } else {
    std::fill(y->integer.begin(), y->integer.end(), value.integer[0]);
  }
  return one(std::move(*y));
}

// max(ceil((limit - start) / delta), 0) values from start.
Outputs range(const Call& call) {
  for (std::size_t i = 0; i < 3; ++i) {
    FRIT_TRY(same_dtype(call, 0, i));
    if (count_of(call.in(i).dims) != 1) return call.refuse(fmt::format("input {} is no scalar", i));
    if (!call.in(i).bound.empty()) return call.refuse("its length depends on rounded values");
  }
  const DType dtype = call.in(0).dtype;
  const double start = number_at(call.in(0), 0);
  const double limit = number_at(call.in(1), 0);
  const double delta = number_at(call.in(2), 0);
  const double length = std::ceil((limit - start) / delta);
  if (delta == 0.0 || !(length <= static_cast<double>(kMostElements))) {
    return call.refuse(
        fmt::format("from {} to {} by {} has no usable length", start, limit, delta));
  }
  const std::int64_t count =
      std::max<std::int64_t>(static_cast<std::int64_t>(std::max(length, 0.0)), 0);
  Result<RefTensor> y = make(call, dtype, {count});
  if (!y) return refused(y.error());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (is_float(dtype)) {
      y->real[i] = start + static_cast<double>(i) * delta;
    } else {
      const auto step = static_cast<std::uint64_t>(call.in(2).integer[0]);
      const auto first = static_cast<std::uint64_t>(call.in(0).integer[0]);
      y->integer[i] = wrapped(dtype, static_cast<std::int64_t>(first + i * step));
    }
  }
  return one(std::move(*y));
}

}  // namespace

std::span<const Entry> shape_entries() {
  static constexpr Entry kEntries[] = {
      {"Shape", 1, 1, shape},       {"Size", 1, 1, size},
      {"Constant", 0, 0, constant}, {"ConstantOfShape", 1, 1, constant_of_shape},
      {"Range", 3, 3, range},
  };
  return kEntries;
}

}  // namespace frit::ref
