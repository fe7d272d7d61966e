// Attention of ONNX's own domain, head by head as its text says.
#include "ops/reference/attention.h"

#include <algorithm>

#include "ops/reference/tables.h"

namespace frit::ref {
namespace {

/// What a query at its place in its block may see.
struct Sight {
  std::int64_t left, right;  ///< -1: as far as there are keys
  bool causal;
  std::int64_t past;
  const RefTensor* lengths;  ///< of the caches; nullptr: there are none

  bool operator()(const Dims& index, std::int64_t queries) const {
    const std::int64_t key = index[3];
    std::int64_t place = index[2] + past;
    if (lengths != nullptr) {
      const std::int64_t length = lengths->integer[static_cast<std::size_t>(index[0])];
      if (key >= length) return false;
      place = index[2] + length - queries;
    }
    if (causal && key > place) return false;
    if (right >= 0 && key > place + right) return false;
    return left < 0 || key >= place - left;
  }
  bool limits() const { return causal || left >= 0 || right >= 0 || lengths != nullptr; }
};

Outputs attention(const Call& call) {
  Steps steps(call);
  const auto input = [&](std::size_t i) { return call.has(i) ? &call.in(i) : nullptr; };
  const bool packed = call.in(0).dims.size() == 3;
  const RefTensor* q = heads_of(steps, input(0), call.attr("q_num_heads", std::int64_t{1}));
  const std::int64_t key_heads = call.attr("kv_num_heads", std::int64_t{1});
  const RefTensor* k = heads_of(steps, input(1), key_heads);
  const RefTensor* v = heads_of(steps, input(2), key_heads);
  if (q->dims.size() != 4 || k->dims.size() != 4) return call.refuse("Q or K has a bad rank");
  const std::int64_t past = input(4) ? input(4)->dims.at(2) : 0;
  if (input(4)) k = steps.run("Concat", {input(4), k}, {{"axis", std::int64_t{2}}});
  if (input(5)) v = steps.run("Concat", {input(5), v}, {{"axis", std::int64_t{2}}});
  const std::int64_t heads = q->dims[1], queries = q->dims[2];

  float scale = call.attr("scale", -1.0F);
  const double factor = call.op.attributes.contains("scale")
                            ? static_cast<double>(scale)
                            : 1.0 / std::sqrt(static_cast<double>(q->dims[3]));
  const RefTensor* raw = scores_of(steps, q, heads_repeated(steps, k, heads), factor);
  const RefTensor* soft = capped(steps, raw, static_cast<double>(call.attr("softcap", 0.0F)));

  Bias bias(q->dtype, raw->dims);
  const Sight sight{call.attr("left_window_size", std::int64_t{-1}),
                    call.attr("right_window_size", std::int64_t{-1}),
                    call.attr("is_causal", std::int64_t{0}) != 0, past, input(6)};
  if (sight.limits()) {
    bias.forbid_unless([&](const Dims& index) { return sight(index, queries); });
  }
  if (input(3)) bias.add(*input(3), call.op.opset >= 24);
  const RefTensor* scores = bias.used() ? steps.run("Add", {soft, &bias.tensor()}) : soft;
  const auto dtype =
      dtype_of_onnx(call.attr("softmax_precision", onnx_number(q->dtype))).value_or(q->dtype);
  const RefTensor* weights = softmax_of(steps, scores, dtype);
  if (bias.used()) weights = steps.keep(bias.cleared(*weights));

  const RefTensor* y = steps.run("MatMul", {weights, heads_repeated(steps, v, heads)});
  const RefTensor* shown[] = {raw, soft, scores, weights};
  const std::int64_t mode = call.attr("qk_matmul_output_mode", std::int64_t{0});
  return steps.outputs({packed ? heads_joined(steps, y) : y, k, v, shown[mode & 3]});
}

DType flex_precision(const Call& call) {
  const DType own = call.in(0).dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  return dtype_of_onnx(call.attr("softmax_precision", onnx_number(own))).value_or(own);
}

const RefTensor* cast(Steps& steps, const RefTensor* x, DType dtype) {
  return steps.run("Cast", {x}, {{"to", onnx_number(dtype)}});
}

const RefTensor* flex_scores_of(const Call& call, Steps& steps) {
  const RefTensor& q = call.in(0);
  const double scale = call.op.attributes.contains("scale")
                           ? static_cast<double>(call.attr("scale", 1.0F))
                           : 1.0 / std::sqrt(static_cast<double>(q.dims[3]));
  const RefTensor* k = heads_repeated(steps, &call.in(1), q.dims[1]);
  return cast(steps, scores_of(steps, &q, k, scale), flex_precision(call));
}

const RefTensor* flex_values_of(Steps& steps, const RefTensor* weights, const RefTensor& v) {
  const RefTensor* values = heads_repeated(steps, &v, weights->dims[1]);
  return steps.run("MatMul", {cast(steps, weights, v.dtype), values});
}

bool plain(const Call& call) {
  return std::all_of(call.inputs.begin(), call.inputs.end(),
                     [](const RefTensor* input) { return input && input->dims.size() == 4; });
}

Outputs flex_scores(const Call& call) {
  if (!plain(call)) return call.refuse("an input is not of rank 4");
  Steps steps(call);
  return steps.outputs({flex_scores_of(call, steps)});
}

Outputs flex_values(const Call& call) {
  if (!plain(call)) return call.refuse("an input is not of rank 4");
  Steps steps(call);
  return steps.outputs({flex_values_of(steps, &call.in(0), call.in(1))});
}

Outputs flex_attention(const Call& call) {
  if (!plain(call)) return call.refuse("an input is not of rank 4");
  Steps steps(call);
  const RefTensor* scores = flex_scores_of(call, steps);
  const RefTensor* weights = steps.run("Softmax", {scores}, {{"axis", std::int64_t{3}}});
  if (weights->dims.size() != 4) return steps.outputs({weights});
  return steps.outputs({flex_values_of(steps, weights, call.in(2))});
}

constexpr Entry kEntries[] = {{"Attention", 3, 7, attention},
                              {"ai.onnx.preview.FlexAttention", 3, 3, flex_attention},
                              {"frit.FlexAttentionScores", 2, 2, flex_scores},
                              {"frit.FlexAttentionValues", 2, 2, flex_values}};

}  // namespace

std::span<const Entry> attention_entries() { return kEntries; }

}  // namespace frit::ref
