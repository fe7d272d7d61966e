#include <fmt/format.h>

#include <numeric>

#include "ops/attention.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

Ref shaped(Expansion& to, Ref x, const Ints& dims) {
  return to.node("Reshape", {x, to.ints(dims)}, {{"allowzero", std::int64_t{1}}});
}

Ref permuted(Expansion& to, Ref x, const Ints& perm) {
  return to.node("Transpose", {x}, {{"perm", perm}});
}

/// [b,h,s,n] as [b,groups,h/groups*s,n]: the rows that read one key head, together.
Ref grouped(Expansion& to, Ref x, std::int64_t groups) {
  const Ints dims = to.dims(x);
  if (dims.size() != 4 || dims[1] == groups) return x;
  return shaped(to, x, {dims[0], groups, dims[1] / groups * dims[2], dims[3]});
}

Ref positions(Expansion& to, std::int64_t first, std::int64_t count, const Ints& dims) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), static_cast<std::int32_t>(first));
  return to.constant(Tensor::of(DType::kI32, dims, values));
}

}  // namespace

Ref split_heads(Expansion& to, Ref x, std::int64_t heads) {
  const Ints dims = to.dims(x);
  if (dims.size() != 3) return x;
  return permuted(to, shaped(to, x, {dims[0], dims[1], heads, dims[2] / heads}), {0, 2, 1, 3});
}

Ref join_heads(Expansion& to, Ref x) {
  const Ints dims = to.dims(x);
  if (dims.size() != 4) return x;
  return shaped(to, permuted(to, x, {0, 2, 1, 3}), {dims[0], dims[2], dims[1] * dims[3]});
}

Ref attention_scores(Expansion& to, Ref q, Ref k, double scale) {
  const Ints queries = to.dims(q), keys = to.dims(k);
  if (queries.size() != 4 || keys.size() != 4) return {};
  const Ref scaled = to.node("Mul", {q, to.scalar(to.type(q).dtype, scale)});
  const Ref product =
      to.node("MatMul", {grouped(to, scaled, keys[1]), permuted(to, k, {0, 1, 3, 2})});
  if (queries[1] == keys[1]) return product;
  return shaped(to, product, {queries[0], queries[1], queries[2], keys[2]});
}

Ref soft_capped(Expansion& to, Ref scores, double cap) {
  if (cap == 0.0) return scores;
  const Ref limit = to.scalar(to.type(scores).dtype, cap);
  return to.node("Mul", {to.node("Tanh", {to.node("Div", {scores, limit})}), limit});
}

Ref attention_values(Expansion& to, Ref probabilities, Ref v) {
  const Ints weights = to.dims(probabilities), values = to.dims(v);
  if (weights.size() != 4 || values.size() != 4) return {};
  const Ref product = to.node("MatMul", {grouped(to, probabilities, values[1]), v});
  if (weights[1] == values[1]) return product;
  return shaped(to, product, {weights[0], weights[1], weights[2], values[3]});
}

Ref column_of_positions(Expansion& to, std::int64_t first, std::int64_t count) {
  return positions(to, first, count, {count, 1});
}

Ref row_of_positions(Expansion& to, std::int64_t first, std::int64_t count) {
  return positions(to, first, count, {1, count});
}

Ref both(Expansion& to, Ref a, Ref b) {
  if (!a || !b) return a ? a : b;
  return to.node("And", {a, b});
}

Ref bias_of(Expansion& to, Ref seen, DType dtype) {
  return to.node("Where", {seen, to.scalar(dtype, 0.0), to.scalar(dtype, kMasked)});
}

Ref rows_without_keys(Expansion& to, Ref bias) {
  const Ref best = to.node("ReduceMax", {bias, to.ints({-1})});
  return to.node("Equal", {best, to.scalar(to.type(bias).dtype, kMasked)});
}

Ref without_rows(Expansion& to, Ref none, Ref probabilities) {
  if (!none) return probabilities;
  return to.node("Where", {none, to.scalar(to.type(probabilities).dtype, 0.0), probabilities});
}

Ref as_type(Expansion& to, Ref x, DType dtype) {
  if (to.type(x).dtype == dtype) return x;
  return to.node("Cast", {x}, {{"to", onnx_number(dtype)}});
}

Ref softmax_in(Expansion& to, Ref scores, DType dtype) {
  const Ref softmax =
      to.node("Softmax", {as_type(to, scores, dtype)}, {{"axis", std::int64_t{-1}}});
  return as_type(to, softmax, to.type(scores).dtype);
}

Status check_dims(const OpInstance& op, std::size_t i, const std::string& name,
                  const std::vector<std::int64_t>& dims) {
  const Ints have = op.input(i).dims();
  bool same = have.size() == dims.size();
  for (std::size_t axis = 0; same && axis < dims.size(); ++axis) {
    same = dims[axis] < 0 || dims[axis] == have[axis];
  }
  if (same) return {};
  std::string wanted;
  for (const std::int64_t extent : dims) {
    wanted += (wanted.empty() ? "" : ",") + (extent < 0 ? "any" : std::to_string(extent));
  }
  return fail("onnx-shape",
              fmt::format("{}: {} is {} but its other inputs make it [{}]; correct the model or "
                          "pass --shape",
                          label(op), name, to_text(op.input(i)), wanted));
}

}  // namespace frit
