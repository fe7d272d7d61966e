// MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv, as chains of their steps on int32.
#include <algorithm>

#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

DType sum_type(DType dtype) { return is_float(dtype) ? DType::kF32 : DType::kI32; }

const RefTensor* with_dims(Steps& steps, const RefTensor* tensor, const Dims& dims) {
  return steps.run("Reshape", {tensor, steps.ints(dims)});
}

// Parameter i as it broadcasts: one element, or `lines` of them before `after` axes.
const RefTensor* parameter(const Call& call, Steps& steps, std::size_t i, std::size_t after) {
  if (!call.has(i)) return nullptr;
  const RefTensor& tensor = call.in(i);
  if (tensor.elements() == 1) return with_dims(steps, &tensor, {});
  if (tensor.dims.size() != 1 || after == 0) return &tensor;
  Dims dims(after + 1, 1);
  dims[0] = tensor.dims[0];
  return with_dims(steps, &tensor, dims);
}

const RefTensor* centred(Steps& steps, const RefTensor& x, const RefTensor* zero) {
  const AttributeMap wide = {{"to", onnx_number(sum_type(x.dtype))}};
  const RefTensor* value = steps.run("Cast", {&x}, wide);
  return zero == nullptr ? value : steps.run("Sub", {value, steps.run("Cast", {zero}, wide)});
}

Outputs matmul_integer(const Call& call) {
  Steps steps(call);
  const RefTensor* a = centred(steps, call.in(0), parameter(call, steps, 2, 1));
  const RefTensor* b = centred(steps, call.in(1), parameter(call, steps, 3, 0));
  return steps.outputs({steps.run("MatMul", {a, b})});
}

Outputs conv_integer(const Call& call) {
  Steps steps(call);
  const std::size_t rank = call.in(0).dims.size();
  const RefTensor* x = centred(steps, call.in(0), parameter(call, steps, 2, 0));
  const RefTensor* w = centred(steps, call.in(1), parameter(call, steps, 3, rank - 1));
  return steps.outputs({steps.run("Conv", {x, w}, call.op.attributes, "frit")});
}

const RefTensor* requantized(Steps& steps, const RefTensor* sum, const RefTensor* a_scale,
                             const RefTensor* b_scale, const RefTensor* y_scale,
                             const RefTensor* zero) {
  const RefTensor* factor = steps.run("Div", {steps.run("Mul", {a_scale, b_scale}), y_scale});
  return steps.run("Requantize", {sum, factor, zero}, {{"to", onnx_number(zero->dtype)}}, "frit");
}

Outputs qlinear_matmul(const Call& call) {
  Steps steps(call);
  const RefTensor* a = centred(steps, call.in(0), parameter(call, steps, 2, 1));
  const RefTensor* b = centred(steps, call.in(3), parameter(call, steps, 5, 0));
  return steps.outputs({requantized(steps, steps.run("MatMul", {a, b}),
                                    parameter(call, steps, 1, 1), parameter(call, steps, 4, 0),
                                    parameter(call, steps, 6, 0), parameter(call, steps, 7, 0))});
}

Outputs qlinear_conv(const Call& call) {
  Steps steps(call);
  const std::size_t rank = call.in(0).dims.size();
  const RefTensor* x = centred(steps, call.in(0), parameter(call, steps, 2, 0));
  const RefTensor* w = centred(steps, call.in(3), parameter(call, steps, 5, rank - 1));
  const RefTensor* bias = call.has(8) ? &call.in(8) : nullptr;
  return steps.outputs(
      {requantized(steps, steps.run("Conv", {x, w, bias}, call.op.attributes, "frit"),
                   parameter(call, steps, 1, 0), parameter(call, steps, 4, rank - 2),
                   parameter(call, steps, 6, 0), parameter(call, steps, 7, 0))});
}

constexpr Entry kEntries[] = {
    {"ConvInteger", 2, 4, conv_integer},
    {"MatMulInteger", 2, 4, matmul_integer},
    {"QLinearConv", 8, 9, qlinear_conv},
    {"QLinearMatMul", 8, 8, qlinear_matmul},
};

}  // namespace

std::span<const Entry> quantized_product_entries() { return kEntries; }

}  // namespace frit::ref
