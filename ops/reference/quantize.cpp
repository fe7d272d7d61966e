// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear, and the broadcasting Quantize,
// Dequantize and Requantize of domain "frit" (ops/quantize.h).
//
// Rounding to integers is half to even. Quotients are rounded to the type that is divided in, so
// that ties are those of the kernel. An error of the inputs counts by what it can do to the result.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/base/small_float.h"
#include "ops/reference/call.h"
#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

constexpr std::int64_t kNothing = 0;

std::optional<DType> dtype_attribute(const Call& call, const char* name) {
  return dtype_of_onnx(call.attr(name, kNothing));
}

// For each element of x, which element of the parameter goes with it.
Result<std::vector<std::size_t>> partners(const Call& call, const RefTensor& parameter) {
  const Dims& dims = call.in(0).dims;
  std::vector<std::size_t> at(static_cast<std::size_t>(call.in(0).elements()), 0);
  if (call.op.domain == "frit") {
    const std::optional<Dims> strides = stretched_strides(parameter.dims, dims);
    if (!strides) return call.refuse(dims_text(parameter.dims) + " does not broadcast");
    walk(dims, std::array<Dims, 1>{*strides},
         [&](std::size_t i, const std::array<std::int64_t, 1>& from) {
           at[i] = static_cast<std::size_t>(from[0]);
         });
    return at;
  }
  const std::int64_t block = call.attr("block_size", kNothing);
  if (block == 0 && parameter.elements() == 1) return at;
  const std::int64_t stated = dims.size() == 1 ? 0 : call.attr("axis", std::int64_t{1});
  const Result<std::size_t> axis = axis_of(call, stated, dims.size());
  if (!axis) return tl::unexpected<Diagnostic>(axis.error());
  Dims wanted = block == 0 ? Dims{dims[*axis]} : dims;
  if (block > 0) wanted[*axis] = (dims[*axis] + block - 1) / block;
  if (parameter.dims != wanted) {
    return call.refuse(fmt::format("a scale or zero point is {}, not {}", dims_text(parameter.dims),
                                   dims_text(wanted)));
  }
  std::int64_t inner = 1;
  for (std::size_t a = *axis + 1; a < dims.size(); ++a) inner *= dims[a];
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto flat = static_cast<std::int64_t>(i);
    const std::int64_t along = flat / inner % dims[*axis];
    const std::int64_t outer = flat / inner / dims[*axis];
    const std::int64_t from =
        block == 0 ? along : (outer * wanted[*axis] + along / block) * inner + flat % inner;
    at[i] = static_cast<std::size_t>(from);
  }
  return at;
}

struct Number {
  double value = 0.0, error = 0.0;
};

Number number_of(const RefTensor& tensor, std::size_t i) {
  return {number_at(tensor, i), bound_at(tensor, i)};
}

// f of every element of x with its scale and zero point (0 where there is none) into `y`; the error
// by trying all corners.
template <class F>
Status each(const Call& call, RefTensor& y, F f) {
  const RefTensor& x = call.in(0);
  const auto scales = partners(call, call.in(1));
  if (!scales) return fail(scales.error());
  std::vector<std::size_t> zeros;
  if (call.has(2)) {
    auto found = partners(call, call.in(2));
    if (!found) return fail(found.error());
    zeros = std::move(*found);
  }
  const bool unsure =
      !x.bound.empty() || !call.in(1).bound.empty() || (call.has(2) && !call.in(2).bound.empty());
  const auto count = static_cast<std::size_t>(x.elements());
  if (unsure) y.bound.assign(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const Number a = number_of(x, i), s = number_of(call.in(1), (*scales)[i]);
    const Number z = call.has(2) ? number_of(call.in(2), zeros[i]) : Number();
    const double value = f(a.value, s.value, z.value);
    if (is_float(y.dtype)) {
      y.real[i] = value;
    } else {
      y.integer[i] = static_cast<std::int64_t>(value);
    }
    if (a.error == 0.0 && s.error == 0.0 && z.error == 0.0) continue;
    for (const double ea : {-a.error, a.error}) {
      for (const double es : {-s.error, s.error}) {
        for (const double ez : {-z.error, z.error}) {
          const double off = std::fabs(f(a.value + ea, s.value + es, z.value + ez) - value);
          y.bound[i] = std::isfinite(off) ? std::max(y.bound[i], off) : kUnknown;
        }
      }
    }
    if (s.error > 0.0 && s.error >= std::fabs(s.value)) y.bound[i] = kUnknown;
  }
  return {};
}

// round(q) + zero, held to the range of `to`; small floats: q + zero by their own rules. NaN is 0.
double stored(DType to, double q, double zero, bool saturate) {
  if (is_storage_only(to) && is_float(to)) {
    SmallFloatCast how;
    how.saturate = saturate;
    return small_float_value(to, small_float_code(to, q + zero, how));
  }
  if (std::isnan(q)) return 0.0;
  const int bits = packed_bits(to);
  const bool is_signed = to == DType::kI8 || to == DType::kI16 || to == DType::kI4 ||
                         to == DType::kI2 || to == DType::kI32;
  const double low = is_signed ? -std::ldexp(1.0, bits - 1) : 0.0;
  const double high = std::ldexp(1.0, is_signed ? bits - 1 : bits) - 1.0;
  return std::clamp(std::nearbyint(q) + zero, low, high);
}

Outputs quantize(const Call& call) {
  std::optional<DType> to = dtype_attribute(call, call.op.domain == "frit" ? "to" : "output_dtype");
  if (call.has(2)) to = call.in(2).dtype;
  std::optional<DType> precision = dtype_attribute(call, "precision");
  if (!precision) {
    const DType scale = call.op.domain == "frit" ? DType::kF32 : call.in(1).dtype;
    precision = scale == DType::kI32 ? DType::kF64 : scale;
    if (scale == DType::kF8E8M0) precision = DType::kF32;
  }
  const DType dtype = to.value_or(DType::kU8);
  Result<RefTensor> y = make(call, dtype, call.in(0).dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  const bool saturate = call.attr("saturate", std::int64_t{1}) != 0;
  FRIT_TRY(each(call, *y, [&](double x, double scale, double zero) {
    const double q = rounded(*precision, x) / rounded(*precision, scale);
    return stored(dtype, rounded(*precision, q), zero, saturate);
  }));
  return one(std::move(*y));
}

Outputs dequantize(const Call& call) {
  std::optional<DType> to = dtype_attribute(call, call.op.domain == "frit" ? "to" : "output_dtype");
  if (!to) to = call.in(1).dtype == DType::kF8E8M0 ? DType::kF32 : call.in(1).dtype;
  Result<RefTensor> y = make(call, *to, call.in(0).dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  FRIT_TRY(each(call, *y, [](double x, double scale, double zero) { return (x - zero) * scale; }));
  if (call.bounded()) {  // the difference and the product round once each
    y->bound.resize(y->real.size());
    for (std::size_t i = 0; i < y->real.size(); ++i) {
      y->bound[i] += 2.0 * kEps * std::fabs(y->real[i]) + kSubnormal;
    }
  }
  return one(std::move(*y));
}

Outputs requantize(const Call& call) {
  const DType to = dtype_attribute(call, "to").value_or(DType::kU8);
  Result<RefTensor> y = make(call, to, call.in(0).dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  FRIT_TRY(each(call, *y, [&](double sum, double factor, double zero) {
    return stored(to, sum * factor, zero, true);
  }));
  return one(std::move(*y));
}

Outputs dynamic_quantize(const Call& call) {
  Steps steps(call);
  const RefTensor* x = &call.in(0);
  const RefTensor* zero = steps.scalar(DType::kF32, 0.0);
  const RefTensor* bits = steps.scalar(DType::kF32, 255.0);
  const AttributeMap whole = {{"keepdims", kNothing}};
  const RefTensor* least = steps.run("Min", {steps.run("ReduceMin", {x}, whole), zero});
  const RefTensor* most = steps.run("Max", {steps.run("ReduceMax", {x}, whole), zero});
  const RefTensor* scale = steps.run("Div", {steps.run("Sub", {most, least}), bits});
  const bool flat = !scale->real.empty() && scale->real[0] == 0.0;
  if (flat) scale = steps.scalar(DType::kF32, 1.0);
  const RefTensor* offset = steps.run("Div", {steps.run("Sub", {zero, least}), scale});
  const RefTensor* point = steps.run("Round", {steps.run("Clip", {offset, zero, bits})});
  point = steps.run("Cast", {point}, {{"to", onnx_number(DType::kU8)}});
  return steps.outputs({steps.run("QuantizeLinear", {x, scale, point}), scale, point});
}

constexpr Entry kEntries[] = {
    {"QuantizeLinear", 2, 3, quantize},
    {"DequantizeLinear", 2, 3, dequantize},
    {"DynamicQuantizeLinear", 1, 1, dynamic_quantize},
    {"frit.Quantize", 2, 3, quantize},
    {"frit.Dequantize", 2, 3, dequantize},
    {"frit.Requantize", 2, 3, requantize},
    {"com.microsoft.QuantizeLinear", 2, 3, quantize},
    {"com.microsoft.DequantizeLinear", 2, 3, dequantize},
};

}  // namespace

std::span<const Entry> quantize_entries() { return kEntries; }

}  // namespace frit::ref
