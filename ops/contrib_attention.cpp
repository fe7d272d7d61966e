// Attention and MultiHeadAttention of com.microsoft, as ONNX Runtime's CPU kernels compute them.
//
// Attention projects its input by merged weights first. A key that the mask hides gets
// mask_filter_value (-10000) added to its score, one that comes too late the least number of the
// type: neither is -inf, so that a query that sees nothing still weighs its keys.
#include <fmt/format.h>

#include <cmath>

#include "ops/attention.h"
#include "ops/families.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr DType kFloats[] = {DType::kF32, DType::kF16};
constexpr DType kMasks[] = {DType::kI32};

struct Extents {
  std::int64_t batch = 0, heads = 0, queries = 0, past = 0, keys = 0;  ///< keys: with the past
  std::int64_t size = 0, value_size = 0;
};

Status refuse_input(const OpInstance& op, std::size_t i, const char* name) {
  if (!op.has_input(i)) return {};
  return fail("onnx-unsupported", fmt::format("{}: input {} ({}) is given, which frit does not "
                                              "build; export the model without it",
                                              label(op), i, name));
}

Status refuse_flag(const OpInstance& op, const char* name) {
  const std::int64_t value = int_attribute(op.attributes, name, 0);
  if (value == 0) return {};
  return fail("onnx-attribute", fmt::format("{}: {} is {}, which frit does not build; export the "
                                            "model with 0",
                                            label(op), name, value));
}

Status check_bias(const OpInstance& op, std::size_t i, const Extents& e) {
  if (!op.has_input(i)) return {};
  FRIT_TRY(check_same_dtype(op, 0, i));
  const Ints scores = {e.batch, e.heads, e.queries, e.keys}, own = op.input(i).dims();
  const auto joint = broadcast_dims(own, scores);
  if (own.size() == 4 && joint && *joint == scores) return {};
  return fail("onnx-shape",
              fmt::format("{}: attention_bias is {} but must broadcast to {}; correct the model",
                          label(op), to_text(op.input(i)), dims_text(scores)));
}

/// A mask of lengths [b], ends and starts [2b], or of flags [b,t] or [b,s,t].
Status check_mask(const OpInstance& op, std::size_t i, const Extents& e, bool starts) {
  if (!op.has_input(i)) return {};
  FRIT_TRY(check_dtype(op, i, "its mask", kMasks));
  const Ints own = op.input(i).dims();
  const bool fits = own == Ints{e.batch} || (starts && own == Ints{2 * e.batch}) ||
                    own == Ints{e.batch, e.keys} || own == Ints{e.batch, e.queries, e.keys};
  if (fits) return {};
  return fail("onnx-shape",
              fmt::format("{}: its mask is {} but must be [{}],{} [{},{}] or [{},{},{}]; other "
                          "kinds are not built",
                          label(op), to_text(op.input(i)), e.batch,
                          starts ? fmt::format(" [{}],", 2 * e.batch) : "", e.batch, e.keys,
                          e.batch, e.queries, e.keys));
}

/// bool: the keys that the mask lets be seen, [b,1,1,t] or [b,1,s,t].
Ref seen_by_mask(Expansion& to, Ref mask, const Extents& e) {
  const Ints own = to.dims(mask);
  const auto shaped = [&](Ref x, const Ints& dims) {
    return to.node("Reshape", {x, to.ints(dims)}, {{"allowzero", std::int64_t{1}}});
  };
  if (own.size() > 1) {
    const Ints dims = {e.batch, 1, own.size() == 3 ? e.queries : 1, e.keys};
    return to.node("Greater", {shaped(mask, dims), to.scalar(DType::kI32, 0)});
  }
  const Ref keys = row_of_positions(to, 0, e.keys);
  const auto part = [&](std::int64_t first) {
    const Ref some =
        to.node("Slice", {mask, to.ints({first}), to.ints({first + e.batch}), to.ints({0})});
    return shaped(some, {e.batch, 1, 1, 1});
  };
  const Ref before = to.node("Less", {keys, part(0)});
  if (own[0] == e.batch) return before;
  return both(to, before, to.node("GreaterOrEqual", {keys, part(e.batch)}));
}

double least_of(DType dtype) {
  return dtype == DType::kF16 ? -65504.0 : -static_cast<double>(std::numeric_limits<float>::max());
}

/// What is added to scores: mask, causality, attention_bias.
Ref bias_of_all(const OpInstance& op, const Extents& e, Expansion& to, Ref mask, Ref more) {
  const DType dtype = op.input(0).dtype;
  Ref sum;
  const auto add = [&](Ref bias) { sum = sum ? to.node("Add", {sum, bias}) : bias; };
  const auto added = [&](Ref seen, double hidden) {
    add(to.node("Where", {seen, to.scalar(dtype, 0.0), to.scalar(dtype, hidden)}));
  };
  if (mask) {
    const float filter = float_attribute(op.attributes, "mask_filter_value", -10000.0F);
    added(seen_by_mask(to, mask, e), static_cast<double>(filter));
  }
  if (int_attribute(op.attributes, "unidirectional", 0) != 0) {
    const Ref here = column_of_positions(to, e.past, e.queries);
    added(to.node("LessOrEqual", {row_of_positions(to, 0, e.keys), here}), least_of(dtype));
  }
  if (more) add(more);
  return sum;
}

Ref attended(const OpInstance& op, const Extents& e, Expansion& to, Ref q, Ref k, Ref v, Ref bias) {
  const float stated = float_attribute(op.attributes, "scale", 0.0F);
  const double scale =
      stated != 0.0F ? static_cast<double>(stated) : 1.0 / std::sqrt(static_cast<double>(e.size));
  Ref scores = attention_scores(to, q, k, scale);
  if (bias) scores = to.node("Add", {scores, bias});
  const Ref weights = softmax_in(to, scores, to.type(scores).dtype);
  return join_heads(to, attention_values(to, weights, v));
}

Ref along_keys(Expansion& to, Ref past, Ref fresh) {
  if (!past) return fresh;
  return to.node("Concat", {past, fresh}, {{"axis", std::int64_t{2}}});
}

Ref columns(Expansion& to, Ref x, std::int64_t first, std::int64_t count) {
  return to.node("Slice", {x, to.ints({first}), to.ints({first + count}), to.ints({-1})});
}

Status check_all_constant(const OpInstance& op) {
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.has_input(i)) FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
  }
  return {};
}

Result<std::int64_t> heads_of(const OpInstance& op) {
  const std::int64_t heads = int_attribute(op.attributes, "num_heads", 0);
  if (heads >= 1) return heads;
  return fail("onnx-attribute",
              fmt::format("{}: num_heads is {} but must be at least 1; set it", label(op), heads));
}

Status check_divides(const OpInstance& op, std::int64_t heads, std::int64_t size) {
  if (size % heads == 0) return {};
  return fail("onnx-shape", fmt::format("{}: num_heads {} does not divide {}; correct the model",
                                        label(op), heads, size));
}

class MultiHeadAttention final : public Composite {
  enum Input : std::size_t { kQ, kK, kV, kBias, kMask, kMore, kPastKey, kPastValue };

 public:
  std::string_view type() const override { return "MultiHeadAttention"; }
  std::string_view formula() const override {
    return "out[n,s,h,:] = sum_t p[n,h,s,t] * v[n,t,h,:], p = softmax_t(scale * q[n,s,h,:] . "
           "k[n,t,h,:] + bias[n,h,s,t])\n"
           "keys that the mask hides: mask_filter_value added; unidirectional: t <= s";
  }
  std::string_view domain() const override { return "com.microsoft"; }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"mask_filter_value", kFloat},
                                   {"num_heads", kInt, kAlways},
                                   {"scale", kFloat},
                                   {"unidirectional", kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 10));
    FRIT_TRY(check_dtype(op, kQ, "query", kFloats));
    FRIT_TRY(check_all_constant(op));
    if (!op.has_input(kK) || !op.has_input(kV)) {
      return fail("onnx-unsupported", fmt::format("{}: key or value is left out: packed inputs are "
                                                  "not built; export the model with three",
                                                  label(op)));
    }
    FRIT_TRY(refuse_input(op, 8, "past_sequence_length"));
    FRIT_TRY(refuse_input(op, 9, "cache_indirection"));
    const auto e = extents_of(op);
    if (!e) return fail(e.error());
    FRIT_TRY(check_mask(op, kMask, *e, false));
    FRIT_TRY(check_bias(op, kMore, *e));
    const DType dtype = op.input(kQ).dtype;
    const Ints y = {e->batch, e->queries, e->heads * e->value_size};
    FRIT_TRY(check_size(op, y));
    FRIT_TRY(check_size(op, {e->batch, e->heads, e->queries, e->keys}));
    return std::vector{TensorType(dtype, y),
                       TensorType(dtype, {e->batch, e->heads, e->keys, e->size}),
                       TensorType(dtype, {e->batch, e->heads, e->keys, e->value_size})};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Extents e = *extents_of(op);
    const std::int64_t width = e.heads * e.size;
    const auto biased = [&](std::size_t i, std::int64_t first, std::int64_t count) {
      if (!to.input(kBias)) return to.input(i);
      return to.node("Add", {to.input(i), columns(to, to.input(kBias), first, count)});
    };
    const Ref q = split_heads(to, biased(kQ, 0, width), e.heads);
    const Ref fresh_k = split_heads(to, biased(kK, width, width), e.heads);
    const Ref fresh_v = split_heads(to, biased(kV, 2 * width, e.heads * e.value_size), e.heads);
    const Ref k = along_keys(to, to.input(kPastKey), fresh_k);
    const Ref v = along_keys(to, to.input(kPastValue), fresh_v);
    const Ref bias = bias_of_all(op, e, to, to.input(kMask), to.input(kMore));
    to.output(0, attended(op, e, to, q, k, v, bias));
    to.output(1, k);
    to.output(2, v);
    return to.status();
  }

 private:
  static Result<Extents> extents_of(const OpInstance& op) {
    for (const std::size_t i : {kK, kV}) FRIT_TRY(check_same_dtype(op, kQ, i));
    const auto heads = heads_of(op);
    if (!heads) return fail(heads.error());
    FRIT_TRY(check_dims(op, kQ, "query", {-1, -1, -1}));
    const Ints q = op.input(kQ).dims(), k = op.input(kK).dims();
    FRIT_TRY(check_divides(op, *heads, q[2]));
    Extents e;
    e.batch = q[0];
    e.heads = *heads;
    e.queries = q[1];
    e.size = q[2] / e.heads;
    std::int64_t fresh = 0;
    if (k.size() == 4) {  // heads apart already
      FRIT_TRY(check_dims(op, kK, "key", {e.batch, e.heads, -1, e.size}));
      fresh = k[2];
      FRIT_TRY(check_dims(op, kV, "value", {e.batch, e.heads, fresh, -1}));
      e.value_size = op.input(kV).dims()[3];
      FRIT_TRY(refuse_input(op, kBias, "bias beside a key of rank 4"));
    } else {
      FRIT_TRY(check_dims(op, kK, "key", {e.batch, -1, q[2]}));
      fresh = k[1];
      FRIT_TRY(check_dims(op, kV, "value", {e.batch, fresh, -1}));
      FRIT_TRY(check_divides(op, *heads, op.input(kV).dims()[2]));
      e.value_size = op.input(kV).dims()[2] / e.heads;
    }
    if (op.has_input(kBias)) {
      FRIT_TRY(check_same_dtype(op, kQ, kBias));
      FRIT_TRY(check_dims(op, kBias, "bias", {e.heads * (2 * e.size + e.value_size)}));
    }
    return with_past(op, e, fresh);
  }

  static Result<Extents> with_past(const OpInstance& op, Extents e, std::int64_t fresh) {
    if (op.has_input(kPastKey) != op.has_input(kPastValue)) {
      return fail("onnx-type", fmt::format("{}: of past_key and past_value one is left out; give "
                                           "both or neither",
                                           label(op)));
    }
    if (op.has_input(kPastKey)) {
      for (const std::size_t i : {kPastKey, kPastValue}) FRIT_TRY(check_same_dtype(op, kQ, i));
      FRIT_TRY(check_dims(op, kPastKey, "past_key", {e.batch, e.heads, -1, e.size}));
      e.past = op.input(kPastKey).dims()[2];
      FRIT_TRY(check_dims(op, kPastValue, "past_value", {e.batch, e.heads, e.past, e.value_size}));
    }
    e.keys = e.past + fresh;
    return e;
  }
};

class MergedAttention final : public Composite {
  enum Input : std::size_t { kX, kWeights, kBias, kMask, kPast, kMore };

 public:
  std::string_view type() const override { return "Attention"; }
  std::string_view formula() const override {
    return "[q, k, v] = x W + b; out[n,s,h,:] = sum_t p[n,h,s,t] * v[n,t,h,:]\n"
           "p = softmax_t(scale * q[n,s,h,:] . k[n,t,h,:] + bias[n,h,s,t]); hidden keys: "
           "mask_filter_value added";
  }
  std::string_view domain() const override { return "com.microsoft"; }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"do_rotary", kInt},
                                   {"mask_filter_value", kFloat},
                                   {"num_heads", kInt, kAlways},
                                   {"past_present_share_buffer", kInt},
                                   {"qkv_hidden_sizes", kInts},
                                   {"rotary_embedding_dim", kInt},
                                   {"scale", kFloat},
                                   {"unidirectional", kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 7));
    FRIT_TRY(check_dtype(op, kX, "its input", kFloats));
    FRIT_TRY(check_same_dtype(op, kX, kWeights));
    FRIT_TRY(check_all_constant(op));
    FRIT_TRY(refuse_flag(op, "do_rotary"));
    FRIT_TRY(refuse_flag(op, "past_present_share_buffer"));
    FRIT_TRY(refuse_input(op, 6, "past_sequence_length"));
    const auto e = extents_of(op);
    if (!e) return fail(e.error());
    FRIT_TRY(check_mask(op, kMask, *e, true));
    FRIT_TRY(check_bias(op, kMore, *e));
    const DType dtype = op.input(kX).dtype;
    const Ints y = {e->batch, e->queries, e->heads * e->value_size};
    FRIT_TRY(check_size(op, y));
    FRIT_TRY(check_size(op, {e->batch, e->heads, e->queries, e->keys}));
    std::vector<TensorType> types = {TensorType(dtype, y)};
    if (e->size == e->value_size) {
      types.emplace_back(dtype, Ints{2, e->batch, e->heads, e->keys, e->size});
    }
    return types;
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Extents e = *extents_of(op);
    Ref all = to.node("MatMul", {to.input(kX), to.input(kWeights)});
    if (to.input(kBias)) all = to.node("Add", {all, to.input(kBias)});
    const std::int64_t width = e.heads * e.size;
    const Ref q = split_heads(to, columns(to, all, 0, width), e.heads);
    const auto with_past = [&](std::int64_t half, Ref fresh) {
      if (!to.input(kPast)) return fresh;
      const Ref past = to.node("Gather", {to.input(kPast), to.scalar(DType::kI64, double(half))},
                               {{"axis", std::int64_t{0}}});
      return along_keys(to, past, fresh);
    };
    const Ref k = with_past(0, split_heads(to, columns(to, all, width, width), e.heads));
    const Ref v =
        with_past(1, split_heads(to, columns(to, all, 2 * width, e.heads * e.value_size), e.heads));
    const Ref bias = bias_of_all(op, e, to, to.input(kMask), to.input(kMore));
    to.output(0, attended(op, e, to, q, k, v, bias));
    if (e.size == e.value_size) {
      const auto apart = [&](Ref x) { return to.node("Unsqueeze", {x, to.ints({0})}); };
      to.output(1, to.node("Concat", {apart(k), apart(v)}, {{"axis", std::int64_t{0}}}));
    }
    return to.status();
  }

 private:
  static Result<Extents> extents_of(const OpInstance& op) {
    const auto heads = heads_of(op);
    if (!heads) return fail(heads.error());
    FRIT_TRY(check_dims(op, kX, "its input", {-1, -1, -1}));
    const Ints x = op.input(kX).dims();
    FRIT_TRY(check_dims(op, kWeights, "weights", {x[2], -1}));
    const std::int64_t width = op.input(kWeights).dims()[1];
    Ints sizes = ints_attribute(op.attributes, "qkv_hidden_sizes", {});
    if (sizes.empty()) sizes = {width / 3, width / 3, width / 3};
    const bool good = sizes.size() == 3 && sizes[0] > 0 && sizes[0] == sizes[1] && sizes[2] > 0 &&
                      sizes[0] + sizes[1] + sizes[2] == width && sizes[0] % *heads == 0 &&
                      sizes[2] % *heads == 0;
    if (!good) {
      return fail(
          "onnx-attribute",
          fmt::format("{}: weights {} are cut into {} of {} heads; query and key must have "
                      "one size, each a multiple of num_heads, and the sum be {}",
                      label(op), to_text(op.input(kWeights)), dims_text(sizes), *heads, width));
    }
    if (op.has_input(kBias)) {
      FRIT_TRY(check_same_dtype(op, kX, kBias));
      FRIT_TRY(check_dims(op, kBias, "bias", {width}));
    }
    Extents e{x[0], *heads, x[1], 0, x[1], sizes[0] / *heads, sizes[2] / *heads};
    if (op.has_input(kPast)) {
      FRIT_TRY(check_same_dtype(op, kX, kPast));
      FRIT_TRY(check_dims(op, kPast, "past", {2, e.batch, e.heads, -1, e.size}));
      if (e.size != e.value_size) return refuse_past(op);
      e.past = op.input(kPast).dims()[3];
      e.keys += e.past;
    }
    return e;
  }

  static Result<Extents> refuse_past(const OpInstance& op) {
    return fail("onnx-shape", fmt::format("{}: past is given but keys and values differ in size; "
                                          "leave past out",
                                          label(op)));
  }
};

}  // namespace

void add_contrib_attention(std::vector<const Operator*>& all) {
  all.push_back(new MultiHeadAttention);
  all.push_back(new MergedAttention);
}

}  // namespace frit
