// com.microsoft's operators on quantised tensors: dequantise, compute, quantise.
#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

const RefTensor* optional_input(const Call& call, std::size_t i) {
  return call.has(i) ? &call.in(i) : nullptr;
}

// Input i with its scale and zero point after it, in float32.
const RefTensor* real(const Call& call, Steps& steps, std::size_t i) {
  return steps.run("DequantizeLinear", {&call.in(i), &call.in(i + 1), optional_input(call, i + 2)});
}

// `value` by the scale at i and the zero point after it, as `dtype` where there is none.
Outputs quantized(const Call& call, Steps& steps, const RefTensor* value, std::size_t i,
                  DType dtype) {
  return steps.outputs(
      {steps.run("QuantizeLinear", {value, &call.in(i), optional_input(call, i + 1)},
                 {{"output_dtype", onnx_number(dtype)}})});
}

Outputs binary(const Call& call, const char* inner) {
  Steps steps(call);
  const RefTensor* value = steps.run(inner, {real(call, steps, 0), real(call, steps, 3)});
  return quantized(call, steps, value, 6, call.in(0).dtype);
}
Outputs add(const Call& call) { return binary(call, "Add"); }
Outputs multiply(const Call& call) { return binary(call, "Mul"); }

Outputs unary(const Call& call, const char* inner) {
  Steps steps(call);
  AttributeMap attributes = call.op.attributes;
  if (call.attr("channels_last", std::int64_t{0}) != 0) return call.refuse("channels_last is 1");
  attributes.erase("channels_last");
  attributes.erase("opset");
  const RefTensor* value = steps.run(inner, {real(call, steps, 0)}, std::move(attributes));
  return quantized(call, steps, value, 3, call.in(0).dtype);
}
Outputs sigmoid(const Call& call) { return unary(call, "Sigmoid"); }
Outputs leaky_relu(const Call& call) { return unary(call, "LeakyRelu"); }
Outputs average_pool(const Call& call) { return unary(call, "AveragePool"); }
Outputs global_average_pool(const Call& call) { return unary(call, "GlobalAveragePool"); }

// Before opset 13 over a matrix, all axes from `axis` on in one row.
Outputs softmax(const Call& call) {
  Steps steps(call);
  const std::int64_t opset = call.attr("opset", std::int64_t{13});
  const RefTensor* value = real(call, steps, 0);
  std::int64_t axis = call.attr("axis", std::int64_t{-1});
  if (opset < 13) {
    const auto rank = static_cast<std::int64_t>(value->dims.size());
    Dims dims = {1, 1};
    for (std::int64_t i = 0; i < rank; ++i)
      dims[i < (axis < 0 ? axis + rank : axis) ? 0U : 1U] *=
          value->dims[static_cast<std::size_t>(i)];
    value = steps.run("Reshape", {value, steps.ints(dims)}, {{"allowzero", std::int64_t{1}}});
    axis = 1;
  }
  value = steps.run("Softmax", {value}, {{"axis", axis}});
  const RefTensor* shaped =
      steps.run("Reshape", {value, steps.ints(call.in(0).dims)}, {{"allowzero", std::int64_t{1}}});
  return quantized(call, steps, shaped, 3, call.in(0).dtype);
}

Outputs concat(const Call& call) {
  Steps steps(call);
  std::vector<const RefTensor*> parts;
  for (std::size_t i = 2; i + 1 < call.inputs.size(); i += 3) {
    parts.push_back(real(call, steps, i));
  }
  return quantized(call, steps, steps.run("Concat", parts, call.op.attributes), 0,
                   call.in(1).dtype);
}

constexpr Entry kEntries[] = {
    {"com.microsoft.QLinearAdd", 7, 8, add},
    {"com.microsoft.QLinearMul", 7, 8, multiply},
    {"com.microsoft.QLinearSigmoid", 4, 5, sigmoid},
    {"com.microsoft.QLinearLeakyRelu", 4, 5, leaky_relu},
    {"com.microsoft.QLinearAveragePool", 4, 5, average_pool},
    {"com.microsoft.QLinearGlobalAveragePool", 4, 5, global_average_pool},
    {"com.microsoft.QLinearSoftmax", 5, 5, softmax},
    {"com.microsoft.QLinearConcat", 5, std::size_t{1} << 12, concat},
};

}  // namespace

std::span<const Entry> qlinear_entries() { return kEntries; }

}  // namespace frit::ref
