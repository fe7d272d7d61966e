// Operators that carry a state from call to call: CausalConvWithState, LinearAttention.
#include "ops/reference/attention.h"
#include "ops/reference/tables.h"

namespace frit::ref {
namespace {

const RefTensor* cast(Steps& steps, const RefTensor* x, DType dtype) {
  return steps.run("Cast", {x}, {{"to", onnx_number(dtype)}});
}

RefTensor zeros(DType dtype, Dims dims) {
  RefTensor tensor;
  tensor.dtype = dtype;
  tensor.real.assign(static_cast<std::size_t>(count_of(dims).value_or(0)), 0.0);
  tensor.dims = std::move(dims);
  return tensor;
}

std::string string_of(const Call& call, const char* name, const char* otherwise) {
  return string_attribute(call.op.attributes, name, otherwise);
}

/// The last k-1 positions of [past, x].
RefTensor kept_positions(const RefTensor& x, const RefTensor& past) {
  RefTensor kept = past;
  const std::int64_t length = x.dims[2], count = past.dims[2];
  if (!x.bound.empty()) kept.bound.resize(kept.real.size(), 0.0);
  for (std::size_t at = 0; at < kept.real.size(); ++at) {
    const std::int64_t row = static_cast<std::int64_t>(at) / count;
    const std::int64_t place = static_cast<std::int64_t>(at) % count + length - count;
    const bool fresh = place >= 0;
    const auto from =
        static_cast<std::size_t>(fresh ? row * length + place : row * count + place + count);
    kept.real[at] = fresh ? x.real[from] : past.real[from];
    if (!kept.bound.empty()) kept.bound[at] = bound_at(fresh ? x : past, from);
  }
  return kept;
}

Outputs causal_conv(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  Steps steps(call);
  const RefTensor& x = call.in(0);
  const RefTensor& weight = call.in(1);
  if (x.dims.size() != 3 || weight.dims.size() != 3) return call.refuse("an input of bad rank");
  const Dims state = {x.dims[0], x.dims[1], weight.dims[2] - 1};
  const RefTensor* past = call.has(3) ? &call.in(3) : steps.keep(zeros(x.dtype, state));
  if (past->dims != state) return call.refuse("past_state of a bad shape");
  const RefTensor* kept = steps.keep(kept_positions(x, *past));
  if (x.real.empty()) return steps.outputs({&x, kept});
  const RefTensor* padded = steps.run("Concat", {past, &x}, {{"axis", std::int64_t{2}}});
  const RefTensor* y = steps.run("Conv", {padded, &weight, call.has(2) ? &call.in(2) : nullptr},
                                 {{"group", x.dims[1]}});
  if (string_of(call, "activation", "none") != "none") {
    const RefTensor* wide = cast(steps, y, DType::kF32);
    y = cast(steps, steps.run("Mul", {wide, steps.run("Sigmoid", {wide})}), x.dtype);
  }
  return steps.outputs({y, kept});
}

/// One head's recurrence as ONNX writes it, on [b,h,…] tensors of one token.
class Recurrence {
 public:
  Recurrence(Steps& steps, const RefTensor* state) : steps_(steps), state_(state) {}

  void decay(const RefTensor* gate) {  // [b,h,k or 1]
    state_ = steps_.run("Mul", {state_, column(steps_.run("Exp", {gate}))});
  }
  const RefTensor* corrected(const RefTensor* key, const RefTensor* value, const RefTensor* rate) {
    const RefTensor* known = product(key);
    return steps_.run("Mul", {rate, steps_.run("Sub", {value, known})});
  }
  void write(const RefTensor* key, const RefTensor* value) {
    state_ = steps_.run("Add", {state_, steps_.run("MatMul", {column(key), row(value)})});
  }
  const RefTensor* product(const RefTensor* vector) {  // S^T vector: [b,h,v]
    const RefTensor* heads = heads_repeated(steps_, state_, vector->dims.at(1));
    return steps_.run("Squeeze", {steps_.run("MatMul", {row(vector), heads}), steps_.ints({2})});
  }
  const RefTensor* state() const { return state_; }

 private:
  const RefTensor* column(const RefTensor* x) {
    return steps_.run("Unsqueeze", {x, steps_.ints({-1})});
  }
  const RefTensor* row(const RefTensor* x) {
    return steps_.run("Unsqueeze", {x, steps_.ints({-2})});
  }

  Steps& steps_;
  const RefTensor* state_;
};

Outputs linear_attention(const Call& call) {
  Steps steps(call);
  const std::int64_t heads = call.attr("kv_num_heads", std::int64_t{1});
  const std::int64_t all = call.attr("q_num_heads", std::int64_t{1});
  const std::string rule = string_of(call, "update_rule", "gated_delta");
  const DType dtype = call.in(0).dtype;
  // each [b,h,t,…] in float32
  const auto apart = [&](std::size_t i, std::int64_t own) {
    return heads_of(steps, cast(steps, &call.in(i), DType::kF32), own);
  };
  const RefTensor *q = apart(0, all), *k = apart(1, heads), *v = apart(2, heads);
  if (q->dims.size() != 4 || v->dims.size() != 4) return call.refuse("an input of bad rank");
  const RefTensor* decay = call.has(4) ? apart(4, heads) : nullptr;
  const RefTensor* beta = call.has(5) ? apart(5, call.in(5).dims.back() == 1 ? 1 : heads) : nullptr;
  const Dims dims = {q->dims[0], heads, q->dims[3], v->dims[3]};
  const RefTensor* past =
      call.has(3) ? cast(steps, &call.in(3), DType::kF32) : steps.keep(zeros(DType::kF32, dims));
  const double stated = static_cast<double>(call.attr("scale", 0.0F));
  const RefTensor* scale = steps.scalar(
      DType::kF32, stated != 0.0 ? stated : 1.0 / std::sqrt(static_cast<double>(q->dims[3])));

  Recurrence heads_state(steps, past);
  std::vector<const RefTensor*> tokens;
  for (std::int64_t t = 0; t < q->dims[2]; ++t) {
    const RefTensor* at = steps.scalar(DType::kI64, static_cast<double>(t));
    const auto now = [&](const RefTensor* x) {
      return steps.run("Gather", {x, at}, {{"axis", std::int64_t{2}}});
    };
    if (decay) heads_state.decay(now(decay));
    const RefTensor* value = now(v);
    if (beta) value = heads_state.corrected(now(k), value, now(beta));
    heads_state.write(now(k), value);
    const RefTensor* read = steps.run("Mul", {scale, heads_state.product(now(q))});
    tokens.push_back(steps.run("Unsqueeze", {read, steps.ints({2})}));
  }
  const RefTensor* y = steps.keep(zeros(DType::kF32, {q->dims[0], all, 0, v->dims[3]}));
  if (!tokens.empty()) y = steps.run("Concat", tokens, {{"axis", std::int64_t{2}}});
  const DType kept = call.has(3) ? call.in(3).dtype : dtype;
  return steps.outputs(
      {cast(steps, heads_joined(steps, y), dtype), cast(steps, heads_state.state(), kept)});
}

constexpr Entry kEntries[] = {{"CausalConvWithState", 2, 4, causal_conv},
                              {"LinearAttention", 3, 6, linear_attention}};

}  // namespace

std::span<const Entry> recurrent_entries() { return kEntries; }

}  // namespace frit::ref
