// GroupQueryAttention of com.microsoft, as ONNX Runtime's CPU kernel computes it.
//
// Of the keys, seqlens_k[b] + 1 count for sentence b: the cache's, and then the new ones, which are
// written behind them. Built are a first prompt (as many tokens as total_sequence_length) and one
// token after a cache; what lies beyond the keys that count is 0 in present_key and present_value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/attention.h"
#include "ops/families.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;
enum Input : std::size_t {
  kQ,
  kK,
  kV,
  kPastKey,
  kPastValue,
  kLengths,
  kTotal,
  kCos,
  kSin,
  kPositions,
  kBias,
  kFirstRefused
};

struct Extents {
  std::int64_t batch = 0, tokens = 0, heads = 0, groups = 0, size = 0;
  std::int64_t past = 0;     ///< room of the cache
  std::int64_t total = 0;    ///< total_sequence_length
  std::int64_t present = 0;  ///< room of the new cache
  bool packed = false;       ///< query holds keys and values too

  bool first() const { return tokens == total; }
};

Result<std::int64_t> total_of(const OpInstance& op) {
  const auto total = integer_input(op, kTotal, "total_sequence_length");
  if (!total) return fail(total.error());
  if ((*total)->elements() != 1) {
    return fail("onnx-shape", fmt::format("{}: total_sequence_length is {} but must be one number; "
                                          "correct the model",
                                          label(op), to_text((*total)->type())));
  }
  return (*total)->to_ints()[0];
}

Status check_flags(const OpInstance& op) {
  for (const char* name : {"sliding_window_cache", "qk_output"}) {
    if (int_attribute(op.attributes, name, 0) == 0) continue;
    return fail("onnx-attribute",
                fmt::format("{}: {} is set, which frit does not build; export the model without it",
                            label(op), name));
  }
  if (int_attribute(op.attributes, "smooth_softmax", 0) > 0) {
    return fail("onnx-attribute", fmt::format("{}: smooth_softmax is set, which frit does not "
                                              "build; export the model without it",
                                              label(op)));
  }
  for (const char* name : {"k_quant_type", "v_quant_type"}) {
    const std::string type = string_attribute(op.attributes, name, "NONE");
    if (type == "NONE") continue;
    return fail("onnx-attribute", fmt::format("{}: {} is {} but caches are built as they are; "
                                              "export the model with NONE",
                                              label(op), name, type));
  }
  for (std::size_t i = kFirstRefused; i < op.inputs.size(); ++i) {
    if (!op.has_input(i)) continue;
    return fail("onnx-unsupported", fmt::format("{}: input {} is given, which frit does not build; "
                                                "export the model without it",
                                                label(op), i));
  }
  const std::int64_t window = int_attribute(op.attributes, "local_window_size", -1);
  const bool causal = int_attribute(op.attributes, "causal", 1) != 0;
  if (window == -1 || (window > 0 && causal)) return {};
  return fail("onnx-attribute", fmt::format("{}: local_window_size is {} but must be -1 or, where "
                                            "causal is 1, positive; correct the attribute",
                                            label(op), window));
}

Result<Extents> extents_of(const OpInstance& op) {
  Extents e;
  e.heads = int_attribute(op.attributes, "num_heads", 0);
  e.groups = int_attribute(op.attributes, "kv_num_heads", 0);
  if (e.heads < 1 || e.groups < 1 || e.heads % e.groups != 0) {
    return fail("onnx-attribute", fmt::format("{}: num_heads {} must be a positive multiple of "
                                              "kv_num_heads {}; correct the attributes",
                                              label(op), e.heads, e.groups));
  }
  e.packed = !op.has_input(kK);
  FRIT_TRY(check_dims(op, kQ, "query", {-1, -1, -1}));
  const Ints q = op.input(kQ).dims();
  const std::int64_t parts = e.packed ? e.heads + 2 * e.groups : e.heads;
  if (q[2] % parts != 0 || op.has_input(kV) == e.packed) {
    return fail("onnx-shape", fmt::format("{}: query is {} but its last axis must be {} heads, key "
                                          "and value both given or both within it; correct the "
                                          "model",
                                          label(op), to_text(op.input(kQ)), parts));
  }
  e.batch = q[0];
  e.tokens = q[1];
  e.size = q[2] / parts;
  for (const std::size_t i : {kK, kV}) {
    if (op.has_input(i)) {
      FRIT_TRY(
          check_dims(op, i, i == kK ? "key" : "value", {e.batch, e.tokens, e.groups * e.size}));
    }
  }
  if (op.has_input(kPastKey) != op.has_input(kPastValue)) {
    return fail("onnx-type", fmt::format("{}: of past_key and past_value one is left out; give "
                                         "both or neither",
                                         label(op)));
  }
  if (op.has_input(kPastKey)) {
    FRIT_TRY(check_dims(op, kPastKey, "past_key", {e.batch, e.groups, -1, e.size}));
    FRIT_TRY(check_dims(op, kPastValue, "past_value", op.input(kPastKey).dims()));
    e.past = op.input(kPastKey).dims()[2];
  }
  const auto total = total_of(op);
  if (!total) return fail(total.error());
  e.total = *total;
  if (e.total < 1 || e.total > kMaxExtent || (e.tokens != 1 && e.tokens != e.total)) {
    return fail(
        "onnx-shape",
        fmt::format("{}: total_sequence_length is {} and query has {} tokens, but built are "
                    "a first prompt, where both are equal, and one token after a cache; pass such a "
                    "--shape",
                    label(op), e.total, e.tokens));
  }
  e.present = std::max(e.past, e.total);
  return e;
}

Status check_rest(const OpInstance& op, const Extents& e) {
  static constexpr DType kLengthTypes[] = {DType::kI32};
  static constexpr DType kPositionTypes[] = {DType::kI64};
  FRIT_TRY(check_dtype(op, kLengths, "seqlens_k", kLengthTypes));
  const Ints lengths = op.input(kLengths).dims();
  if (lengths != Ints{e.batch, 1}) FRIT_TRY(check_dims(op, kLengths, "seqlens_k", {e.batch}));
  if (op.has_input(kPositions)) {
    FRIT_TRY(check_dtype(op, kPositions, "position_ids", kPositionTypes));
    FRIT_TRY(check_dims(op, kPositions, "position_ids", {e.batch, e.tokens}));
  }
  const bool rotary = int_attribute(op.attributes, "do_rotary", 0) != 0;
  if (rotary && (!op.has_input(kCos) || !op.has_input(kSin))) {
    return fail("onnx-type", fmt::format("{}: do_rotary is 1 but cos_cache or sin_cache is left "
                                         "out; give both",
                                         label(op)));
  }
  if (rotary) {
    FRIT_TRY(check_dims(op, kCos, "cos_cache", {-1, -1}));
    FRIT_TRY(check_dims(op, kSin, "sin_cache", op.input(kCos).dims()));
    const std::int64_t turned = 2 * op.input(kCos).dims()[1];
    if (turned > e.size || turned == 0) {
      return fail("onnx-shape", fmt::format("{}: cos_cache is {} but heads have {} elements; "
                                            "correct the model",
                                            label(op), to_text(op.input(kCos)), e.size));
    }
  }
  if (!op.has_input(kBias)) return {};
  const Ints scores = {e.batch, e.heads, e.tokens, e.total}, bias = op.input(kBias).dims();
  const auto joint = broadcast_dims(bias, scores);
  if (bias.size() == 4 && joint && *joint == scores) return {};
  return fail("onnx-shape",
              fmt::format("{}: attention_bias is {} but must broadcast to {}; correct the model",
                          label(op), to_text(op.input(kBias)), dims_text(scores)));
}

/// The nodes of one GroupQueryAttention.
class Nodes {
 public:
  Nodes(const OpInstance& op, const Extents& e, Expansion& to) : op_(op), e_(e), to_(to) {
    lengths_ = shaped(to.input(kLengths), {e.batch, 1, 1, 1});
  }

  void write() {
    Ref q = heads(0, e_.heads), k = heads(1, e_.groups), v = heads(2, e_.groups);
    if (int_attribute(op_.attributes, "do_rotary", 0) != 0) {
      const Ref places = positions();
      q = turned(q, places);
      k = turned(k, places);
    }
    k = cached(kPastKey, k);
    v = cached(kPastValue, v);
    to_.output(1, k);
    to_.output(2, v);
    const Ref y = attended(q, counted(k), counted(v));
    to_.output(0, join_heads(to_, y));
  }

 private:
  Ref shaped(Ref x, const Ints& dims) {
    return to_.node("Reshape", {x, to_.ints(dims)}, {{"allowzero", std::int64_t{1}}});
  }
  Ref zero() { return to_.scalar(op_.input(kQ).dtype, 0.0); }
  Ref part(Ref x, std::int64_t first, std::int64_t count, std::int64_t axis) {
    return to_.node("Slice", {x, to_.ints({first}), to_.ints({first + count}), to_.ints({axis})});
  }

  /// Query, key or value as [b,heads,s,d].
  Ref heads(std::size_t which, std::int64_t count) {
    Ref x = to_.input(e_.packed ? std::size_t{kQ} : which);
    if (e_.packed) {
      const std::int64_t before[] = {0, e_.heads, e_.heads + e_.groups};
      x = part(x, before[which] * e_.size, count * e_.size, 2);
    }
    return split_heads(to_, x, count);
  }

  /// i64[b,s] for the caches of angles.
  Ref positions() {
    if (to_.input(kPositions)) return to_.input(kPositions);
    if (e_.tokens == 1) return shaped(as_type(to_, lengths_, DType::kI64), {e_.batch, 1});
    Ints steps(static_cast<std::size_t>(e_.tokens));
    std::iota(steps.begin(), steps.end(), 0);
    const Ref row = to_.constant(Tensor::i64({1, e_.tokens}, steps));
    return to_.node("Expand", {row, to_.ints({e_.batch, e_.tokens})});
  }

  Ref turned(Ref x, Ref places) {
    const Ref cos = to_.input(kCos);
    const AttributeMap attributes = {
        {"interleaved", int_attribute(op_.attributes, "rotary_interleaved", 0)},
        {"rotary_embedding_dim", 2 * op_.input(kCos).dims()[1]},
        {"num_heads", to_.dims(x).size() == 4 ? to_.dims(x)[1] : 0}};
    return to_.node("RotaryEmbedding", {x, places, cos, to_.input(kSin)}, attributes,
                    "com.microsoft");
  }

  /// [b,g,room,d]: of a prompt the new ones, else the cache with the new one at its place.
  Ref cached(std::size_t past, Ref fresh) {
    if (e_.first()) return lengthened(fresh, e_.tokens);
    Ref room = to_.node("Expand", {zero(), to_.ints({e_.batch, e_.groups, e_.present, e_.size})});
    if (to_.input(past)) room = lengthened(to_.input(past), e_.past);
    const Ref places = shaped(row_of_positions(to_, 0, e_.present), {1, 1, e_.present, 1});
    const Ref old = to_.node("Where", {to_.node("Less", {places, lengths_}), room, zero()});
    return to_.node("Where", {to_.node("Equal", {places, lengths_}), fresh, old});
  }

  Ref lengthened(Ref x, std::int64_t length) {
    if (length == e_.present) return x;
    const Ints rest = {e_.batch, e_.groups, e_.present - length, e_.size};
    return to_.node("Concat", {x, to_.node("Expand", {zero(), to_.ints(rest)})},
                    {{"axis", std::int64_t{2}}});
  }

  Ref counted(Ref cache) { return e_.total == e_.present ? cache : part(cache, 0, e_.total, 2); }

  /// Which keys each query sees; omitted: all of them.
  Ref seen() {
    const Ref keys = row_of_positions(to_, 0, e_.total);
    const Ref counts = to_.node("LessOrEqual", {keys, lengths_});
    if (int_attribute(op_.attributes, "causal", 1) == 0) return counts;
    const Ref place = e_.tokens == 1 ? lengths_ : column_of_positions(to_, 0, e_.tokens);
    Ref result = to_.node("LessOrEqual", {keys, place});
    const std::int64_t window = int_attribute(op_.attributes, "local_window_size", -1);
    if (window > 0) {
      const auto reach = static_cast<double>(std::min(window, kMaxExtent));
      const Ref first = to_.node("Sub", {place, to_.scalar(DType::kI32, reach)});
      result = both(to_, result, to_.node("Greater", {keys, first}));
    }
    return result;
  }

  Ref attended(Ref q, Ref k, Ref v) {
    const float stated = float_attribute(op_.attributes, "scale", 0.0F);
    const double scale = stated != 0.0F ? static_cast<double>(stated)
                                        : 1.0 / std::sqrt(static_cast<double>(e_.size));
    const DType dtype = op_.input(kQ).dtype;
    Ref scores = attention_scores(to_, q, k, scale);
    scores = soft_capped(to_, scores,
                         static_cast<double>(float_attribute(op_.attributes, "softcap", 0.0F)));
    if (to_.input(kBias)) scores = to_.node("Add", {scores, to_.input(kBias)});
    scores = to_.node("Where", {seen(), scores, to_.scalar(dtype, kMasked)});
    return attention_values(to_, softmax_in(to_, scores, dtype), v);
  }

  const OpInstance& op_;
  const Extents& e_;
  Expansion& to_;
  Ref lengths_;  ///< i32[b,1,1,1]: of the keys that count, less one
};

class GroupQueryAttention final : public Composite {
 public:
  std::string_view type() const override { return "GroupQueryAttention"; }
  std::string_view formula() const override {
    return "out[n,s,h,:] = sum_{t <= s} p[n,h,s,t] * v[n,t,g,:], p = softmax_t(scale * q[n,s,h,:] "
           ". k[n,t,g,:])\n"
           "g the head that h shares; past before k, v, seqlens_k[n] + 1 keys count; do_rotary: q "
           "and k turned first";
  }
  std::string_view domain() const override { return "com.microsoft"; }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"causal", kInt},
                                   {"do_rotary", kInt},
                                   {"k_quant_type", kString},
                                   {"kv_cache_bit_width", kInt},
                                   {"kv_num_heads", kInt, kAlways},
                                   {"local_window_size", kInt},
                                   {"num_heads", kInt, kAlways},
                                   {"qk_norm_epsilon", kFloat},
                                   {"qk_output", kInt},
                                   {"rotary_interleaved", kInt},
                                   {"scale", kFloat},
                                   {"sliding_window_cache", kInt},
                                   {"smooth_softmax", kInt},
                                   {"softcap", kFloat},
                                   {"v_quant_type", kString}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    static constexpr DType kFloats[] = {DType::kF32, DType::kF16, DType::kBF16};
    FRIT_TRY(check_inputs(op, 1, 17));
    FRIT_TRY(check_dtype(op, kQ, "query", kFloats));
    if (!op.has_input(kLengths) || !op.has_input(kTotal)) {
      return fail("onnx-type", fmt::format("{}: seqlens_k or total_sequence_length is left out; "
                                           "give both",
                                           label(op)));
    }
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
      if (i != kLengths && i != kTotal && i != kPositions && i < kFirstRefused) {
        FRIT_TRY(check_same_dtype(op, kQ, i));
      }
    }
    FRIT_TRY(check_flags(op));
    const auto e = extents_of(op);
    if (!e) return fail(e.error());
    FRIT_TRY(check_rest(op, *e));
    const Ints y = {e->batch, e->tokens, e->heads * e->size};
    const Ints cache = {e->batch, e->groups, e->present, e->size};
    FRIT_TRY(check_size(op, cache));
    FRIT_TRY(check_size(op, {e->batch, e->heads, e->tokens, e->total}));
    const DType dtype = op.input(kQ).dtype;
    return std::vector{TensorType(dtype, y), TensorType(dtype, cache), TensorType(dtype, cache)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Extents e = *extents_of(op);
    Nodes(op, e, to).write();
    return to.status();
  }
};

}  // namespace

void add_group_query(std::vector<const Operator*>& all) { all.push_back(new GroupQueryAttention); }

}  // namespace frit
