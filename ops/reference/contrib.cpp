// Hardmax, and operators of ONNX Runtime's domain com.microsoft, as chains.
#include <fmt/format.h>

#include "ops/reference/rows.h"
#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

// A 1 at the first of the largest, a NaN being larger than all.
Outputs hardmax(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& x = call.in(0);
  const bool coerced = call.op.opset < 13;
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{coerced ? 1 : -1}), x.dims.size());
  if (!axis) return tl::unexpected<Diagnostic>(axis.error());
  std::vector<std::size_t> axes = {*axis};
  for (std::size_t a = *axis + 1; coerced && a < x.dims.size(); ++a) axes.push_back(a);
  Result<RefTensor> y = make(call, x.dtype, x.dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  const Rows rows = rows_of(x.dims, axes);
  for (const std::size_t origin : rows.origin) {
    if (rows.offset.empty()) continue;
    std::size_t best = origin + rows.offset[0];
    for (const std::size_t offset : rows.offset) {
      const double value = x.real[origin + offset], top = x.real[best];
      if (value > top || (std::isnan(value) && !std::isnan(top))) best = origin + offset;
    }
    y->real[best] = 1.0;
  }
  return one(std::move(*y));
}

Outputs gelu_of(const Call& call, const char* approximate, bool splits) {
  Steps steps(call);
  const RefTensor* x = &call.in(0);
  if (call.has(1)) x = steps.run("Add", {x, &call.in(1)});
  const AttributeMap form = {{"approximate", std::string(approximate)}};
  if (!splits) return steps.outputs({steps.run("Gelu", {x}, form)});
  const std::int64_t half = x->dims.back() / 2, end = x->dims.back();
  const RefTensor* last = steps.ints({-1});
  const RefTensor* gate = steps.run("Slice", {x, steps.ints({0}), steps.ints({half}), last});
  const RefTensor* inner = steps.run("Slice", {x, steps.ints({half}), steps.ints({end}), last});
  return steps.outputs({steps.run("Mul", {gate, steps.run("Gelu", {inner}, form)})});
}
Outputs gelu(const Call& call) { return gelu_of(call, "none", false); }
Outputs fast_gelu(const Call& call) { return gelu_of(call, "tanh", false); }
Outputs split_gelu(const Call& call) { return gelu_of(call, "none", true); }

/// Calls the standard operator `type` with this node's inputs and outputs.
Outputs as(const Call& call, const char* type) {
  OpInstance op = call.op;
  op.domain.clear();
  op.type = type;
  op.opset = 23;
  return evaluate_reference(op, call.inputs, call.precision);
}
Outputs layer_norm(const Call& call) { return as(call, "LayerNormalization"); }
Outputs rms_norm(const Call& call) { return as(call, "RMSNormalization"); }

template <bool kCentred>
Outputs skip_norm(const Call& call) {
  Steps steps(call);
  const RefTensor* sum = steps.run("Add", {&call.in(0), &call.in(1)});
  constexpr std::size_t kBias = kCentred ? 4 : 3;
  if (call.has(kBias)) sum = steps.run("Add", {sum, &call.in(kBias)});
  std::vector<const RefTensor*> inputs = {sum, &call.in(2)};
  if (kCentred && call.has(3)) inputs.push_back(&call.in(3));
  const float epsilon = call.attr("epsilon", 1e-12F);
  const RefTensor* y = steps.run(kCentred ? "LayerNormalization" : "RMSNormalization", inputs,
                                 {{"epsilon", epsilon}});
  if (call.op.outputs.size() < 2) return steps.outputs({y});
  RefTensor wide = *sum;
  if (wide.dtype != DType::kF64) wide.dtype = DType::kF32;
  const RefTensor* x = steps.keep(std::move(wide));
  const RefTensor* axes = steps.ints({-1});
  const RefTensor* mean = steps.run("ReduceMean", {x, axes});
  const RefTensor* centred = kCentred ? steps.run("Sub", {x, mean}) : x;
  const RefTensor* var = steps.run("ReduceMean", {steps.run("Mul", {centred, centred}), axes});
  const RefTensor* inner =
      steps.run("Add", {var, steps.scalar(x->dtype, static_cast<double>(epsilon))});
  const RefTensor* inverse = steps.run("Reciprocal", {steps.run("Sqrt", {inner})});
  const AttributeMap single = {{"to", onnx_number(DType::kF32)}};
  return steps.outputs(
      {y, steps.run("Cast", {mean}, single), steps.run("Cast", {inverse}, single), sum});
}

Outputs fused_matmul(const Call& call) {
  Steps steps(call);
  const RefTensor* sides[] = {&call.in(0), &call.in(1)};
  for (const std::size_t i : {0U, 1U}) {
    const std::size_t rank = sides[i]->dims.size();
    if (rank < 2 || call.attr(i == 0 ? "transA" : "transB", std::int64_t{0}) == 0) continue;
    Dims perm;
    for (std::size_t axis = 0; axis < rank; ++axis) perm.push_back(static_cast<std::int64_t>(axis));
    std::swap(perm[rank - 1], perm[rank - 2]);
    sides[i] = steps.run("Transpose", {sides[i]}, {{"perm", perm}});
  }
  const RefTensor* y = steps.run("MatMul", {sides[0], sides[1]});
  const auto alpha = static_cast<double>(call.attr("alpha", 1.0F));
  return steps.outputs({steps.run("Mul", {y, steps.scalar(call.in(0).dtype, alpha)})});
}

constexpr Entry kEntries[] = {
    {"Hardmax", 1, 1, hardmax},
    {"SimplifiedLayerNormalization", 2, 2, rms_norm},
    {"com.microsoft.BiasGelu", 2, 2, gelu},
    {"com.microsoft.BiasSplitGelu", 2, 2, split_gelu},
    {"com.microsoft.FastGelu", 1, 2, fast_gelu},
    {"com.microsoft.FusedMatMul", 2, 2, fused_matmul},
    {"com.microsoft.Gelu", 1, 1, gelu},
    {"com.microsoft.LayerNormalization", 2, 3, layer_norm},
    {"com.microsoft.SimplifiedLayerNormalization", 2, 2, rms_norm},
    {"com.microsoft.SkipLayerNormalization", 3, 5, skip_norm<true>},
    {"com.microsoft.SkipSimplifiedLayerNormalization", 3, 4, skip_norm<false>},
};

}  // namespace

std::span<const Entry> contrib_entries() { return kEntries; }

}  // namespace frit::ref
