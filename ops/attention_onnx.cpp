// Attention of ONNX's own domain: opset 23; 24: nonpad_kv_seqlen and short masks; 25: windows.
//
// Expanded as ops/attention.h says. Two things are the operator's own: causal masks count from the
// end of the cache, and a query that sees no key at all gives a row of zeros, not of NaN.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/attention.h"
#include "ops/families.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;
enum Input : std::size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kNonpad };

struct Extents {
  std::int64_t batch = 0, heads = 0, key_heads = 0;
  std::int64_t queries = 0, fresh = 0, past = 0;  ///< positions; fresh: of K, before the cache's
  std::int64_t size = 0, value_size = 0;
  bool packed = false;  ///< inputs are [b,s,h*d]

  std::int64_t keys() const { return past + fresh; }
};

Result<Extents> packed_extents(const OpInstance& op) {
  Extents e;
  e.packed = true;
  e.heads = int_attribute(op.attributes, "q_num_heads", 0);
  e.key_heads = int_attribute(op.attributes, "kv_num_heads", 0);
  if (e.heads < 1 || e.key_heads < 1) {
    return fail("onnx-attribute",
                fmt::format("{}: inputs of rank 3 need q_num_heads and kv_num_heads of at least 1, "
                            "but they are {} and {}; set both",
                            label(op), e.heads, e.key_heads));
  }
  const Ints q = op.input(kQ).dims(), k = op.input(kK).dims(), v = op.input(kV).dims();
  if (q[2] % e.heads != 0 || k[2] % e.key_heads != 0 || v[2] % e.key_heads != 0) {
    return fail("onnx-shape",
                fmt::format("{}: q_num_heads {} and kv_num_heads {} do not divide the last axes of "
                            "its inputs {}, {}, {}; correct the attributes",
                            label(op), e.heads, e.key_heads, to_text(op.input(kQ)),
                            to_text(op.input(kK)), to_text(op.input(kV))));
  }
  e.batch = q[0];
  e.queries = q[1];
  e.fresh = k[1];
  e.size = q[2] / e.heads;
  e.value_size = v[2] / e.key_heads;
  FRIT_TRY(check_dims(op, kK, "K", {e.batch, -1, e.key_heads * e.size}));
  FRIT_TRY(check_dims(op, kV, "V", {e.batch, e.fresh, -1}));
  return e;
}

Result<Extents> plain_extents(const OpInstance& op) {
  for (const char* name : {"q_num_heads", "kv_num_heads"}) {
    if (op.opset < 25 || !has_attribute(op.attributes, name)) continue;
    return fail("onnx-attribute", fmt::format("{}: {} is given but Q has rank 4, whose axis 1 says "
                                              "it; leave the attribute out",
                                              label(op), name));
  }
  Extents e;
  const Ints q = op.input(kQ).dims(), k = op.input(kK).dims(), v = op.input(kV).dims();
  e.batch = q[0];
  e.heads = q[1];
  e.queries = q[2];
  e.size = q[3];
  e.key_heads = k[1];
  e.fresh = k[2];
  e.value_size = v[3];
  FRIT_TRY(check_dims(op, kK, "K", {e.batch, -1, -1, e.size}));
  FRIT_TRY(check_dims(op, kV, "V", {e.batch, e.key_heads, e.fresh, -1}));
  return e;
}

Result<Extents> extents_of(const OpInstance& op) {
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.has_input(i)) FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
  }
  const int rank = op.input(kQ).rank();
  if ((rank != 3 && rank != 4) || op.input(kK).rank() != rank || op.input(kV).rank() != rank) {
    return fail("onnx-shape",
                fmt::format("{}: Q, K and V are {}, {} and {} but must all have rank 3 or all rank "
                            "4; correct the model or pass --shape",
                            label(op), to_text(op.input(kQ)), to_text(op.input(kK)),
                            to_text(op.input(kV))));
  }
  auto e = rank == 3 ? packed_extents(op) : plain_extents(op);
  if (!e) return e;
  if (e->key_heads == 0 ? e->heads != 0 : e->heads % e->key_heads != 0) {
    return fail("onnx-shape", fmt::format("{}: {} query heads are no multiple of {} key heads; "
                                          "correct the model",
                                          label(op), e->heads, e->key_heads));
  }
  if (op.has_input(kPastKey)) {
    FRIT_TRY(check_dims(op, kPastKey, "past_key", {e->batch, e->key_heads, -1, e->size}));
    e->past = op.input(kPastKey).dims()[2];
    FRIT_TRY(
        check_dims(op, kPastValue, "past_value", {e->batch, e->key_heads, e->past, e->value_size}));
  }
  return e;
}

/// Whether the mask's last axis is to be lengthened with keys that are not seen (opset 24 on).
bool mask_is_short(const OpInstance& op, const Extents& e) {
  return op.opset >= 24 && op.input(kMask).dims().back() < e.keys();
}

Status check_mask(const OpInstance& op, const Extents& e) {
  if (!op.has_input(kMask)) return {};
  Ints mask = op.input(kMask).dims();
  if (!mask.empty()) {
    if (mask_is_short(op, e)) mask.back() = e.keys();
    const Ints scores = {e.batch, e.heads, e.queries, e.keys()};
    const auto joint = broadcast_dims(mask, scores);
    if (joint && *joint == scores) return {};
  }
  return fail(
      "onnx-shape",
      fmt::format("{}: attn_mask is {} but must broadcast to [{},{},{},{}]; correct the "
                  "model or pass --shape",
                  label(op), to_text(op.input(kMask)), e.batch, e.heads, e.queries, e.keys()));
}

Status check_types(const OpInstance& op) {
  FRIT_TRY(check_dtype(op, kQ, "Q", float_types()));
  for (const std::size_t i :
       {std::size_t{kK}, std::size_t{kV}, std::size_t{kPastKey}, std::size_t{kPastValue}}) {
    if (op.has_input(i)) FRIT_TRY(check_same_dtype(op, kQ, i));
  }
  static constexpr DType kLengths[] = {DType::kI64};
  if (op.has_input(kMask)) FRIT_TRY(check_dtype(op, kMask, "attn_mask", all_types()));
  if (op.has_input(kNonpad)) FRIT_TRY(check_dtype(op, kNonpad, "nonpad_kv_seqlen", kLengths));
  if (op.has_input(kPastKey) != op.has_input(kPastValue)) {
    return fail("onnx-type", fmt::format("{}: of past_key and past_value one is left out; give "
                                         "both or neither",
                                         label(op)));
  }
  if (op.has_input(kPastKey) && op.has_input(kNonpad)) {
    return fail("onnx-type", fmt::format("{}: nonpad_kv_seqlen is for a cache outside of the "
                                         "operator but past_key is given too; leave one out",
                                         label(op)));
  }
  return {};
}

Status check_number(const OpInstance& op, const char* name, std::int64_t least, std::int64_t most,
                    std::int64_t otherwise) {
  const std::int64_t value = int_attribute(op.attributes, name, otherwise);
  if (value >= least && value <= most) return {};
  return fail("onnx-attribute", fmt::format("{}: {} is {} but must be from {} to {}; correct the "
                                            "attribute",
                                            label(op), name, value, least, most));
}

Status check_attributes(const OpInstance& op) {
  FRIT_TRY(check_number(op, "qk_matmul_output_mode", 0, 3, 0));
  for (const char* name : {"left_window_size", "right_window_size"}) {
    FRIT_TRY(check_number(op, name, -1, kMaxExtent, -1));
    if (op.opset >= 25 || !has_attribute(op.attributes, name)) continue;
    return fail("onnx-attribute", fmt::format("{}: {} is of opset 25 but the model has opset {}; "
                                              "convert the model",
                                              label(op), name, op.opset));
  }
  for (const char* name : {"scale", "softcap"}) {
    const float value = float_attribute(op.attributes, name, 0.0F);
    if (value >= 0.0F) continue;
    return fail("onnx-attribute", fmt::format("{}: {} is {} but must not be negative; correct the "
                                              "attribute",
                                              label(op), name, value));
  }
  const std::int64_t precision = int_attribute(op.attributes, "softmax_precision", 1);
  const auto dtype = dtype_of_onnx(precision);
  if (dtype && is_float(*dtype)) return {};
  return fail("onnx-attribute",
              fmt::format("{}: softmax_precision is {} but must be 1 (float32), 10 (float16), 11 "
                          "(float64) or 16 (bfloat16); correct the attribute",
                          label(op), precision));
}

/// What each query may see, as bools to be and-ed, and what is added to scores.
class Masks {
 public:
  Masks(const OpInstance& op, const Extents& e, Expansion& to)
      : op_(op), e_(e), to_(to), dtype_(op.input(kQ).dtype) {
    take_bounds();
    take_lengths();
    take_mask();
    if (seen_)
      bias_ = bias_ ? to_.node("Add", {bias_, bias_of(to_, seen_, dtype_)})
                    : bias_of(to_, seen_, dtype_);
  }

  Ref bias() const { return bias_; }
  /// Omitted where each query sees a key, whatever the inputs.
  Ref empty_rows() const {
    const bool given = op_.has_input(kMask) || op_.has_input(kNonpad);
    return bias_ && (given || bounds_leave_rows_empty()) ? rows_without_keys(to_, bias_) : Ref();
  }

 private:
  /// Greatest and least key that query i sees: i + offset + these.
  std::optional<std::int64_t> ahead() const {
    const std::int64_t right = int_attribute(op_.attributes, "right_window_size", -1);
    if (int_attribute(op_.attributes, "is_causal", 0) != 0) return 0;
    return right < 0 ? std::nullopt : std::optional(right);
  }
  std::optional<std::int64_t> behind() const {
    const std::int64_t left = int_attribute(op_.attributes, "left_window_size", -1);
    return left < 0 ? std::nullopt : std::optional(-left);
  }

  bool bounds_leave_rows_empty() const {
    for (std::int64_t i = 0; i < e_.queries; ++i) {
      const std::int64_t at = i + e_.past;
      const std::int64_t last = ahead() ? std::min(at + *ahead(), e_.keys() - 1) : e_.keys() - 1;
      if (std::max<std::int64_t>(behind() ? at + *behind() : 0, 0) > last) return true;
    }
    return false;
  }

  /// i32: i + offset + shift of each query, [s,1] or, by the lengths of caches, [b,1,s,1].
  Ref position(std::int64_t shift) {
    if (!op_.has_input(kNonpad)) return column_of_positions(to_, e_.past + shift, e_.queries);
    const Ref lengths = as_type(to_, to_.input(kNonpad), DType::kI32);
    const Ref stood = to_.node("Reshape", {lengths, to_.ints({-1, 1, 1, 1})});
    return to_.node("Add", {stood, column_of_positions(to_, shift - e_.queries, e_.queries)});
  }

  void take_bounds() {
    const Ref keys = row_of_positions(to_, 0, e_.keys());
    if (ahead()) seen_ = both(to_, seen_, to_.node("LessOrEqual", {keys, position(*ahead())}));
    if (behind()) seen_ = both(to_, seen_, to_.node("GreaterOrEqual", {keys, position(*behind())}));
  }

  void take_lengths() {
    if (!op_.has_input(kNonpad)) return;
    const Ref lengths = as_type(to_, to_.input(kNonpad), DType::kI32);
    const Ref stood = to_.node("Reshape", {lengths, to_.ints({-1, 1, 1, 1})});
    seen_ = both(to_, seen_, to_.node("Less", {row_of_positions(to_, 0, e_.keys()), stood}));
  }

  void take_mask() {
    Ref mask = to_.input(kMask);
    if (!mask) return;
    const bool choice = to_.type(mask).dtype == DType::kBool;
    if (!choice) mask = as_type(to_, mask, dtype_);
    if (mask_is_short(op_, e_)) {
      Ints rest = to_.dims(mask);
      rest.back() = e_.keys() - rest.back();
      const Ref fill = to_.scalar(to_.type(mask).dtype, choice ? 0.0 : kMasked);
      mask = to_.node("Concat", {mask, to_.node("Expand", {fill, to_.ints(rest)})},
                      {{"axis", std::int64_t{-1}}});
    }
    if (choice)
      seen_ = both(to_, seen_, mask);
    else
      bias_ = mask;
  }

  const OpInstance& op_;
  const Extents& e_;
  Expansion& to_;
  DType dtype_;
  Ref seen_, bias_;
};

class Attention final : public Composite {
 public:
  std::string_view type() const override { return "Attention"; }
  std::string_view formula() const override {
    return "out[n,h,s,:] = sum_t p[n,h,s,t] * v[n,g,t,:], p = softmax_t(scale * q[n,h,s,:] . "
           "k[n,g,t,:] + mask[n,h,s,t])\n"
           "g the head that h shares; past joined before k, v; softcap c: c * tanh(score / c); "
           "is_causal: t <= s\n"
           "opset 24: nonpad_kv_seqlen, masks shorter than the keys; opset 25: windows";
  }
  int first_opset() const override { return 23; }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"is_causal", kInt},
                                   {"kv_num_heads", kInt},
                                   {"left_window_size", kInt},
                                   {"q_num_heads", kInt},
                                   {"qk_matmul_output_mode", kInt},
                                   {"right_window_size", kInt},
                                   {"scale", kFloat},
                                   {"softcap", kFloat},
                                   {"softmax_precision", kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 3, op.opset < 24 ? 6 : 7));
    FRIT_TRY(check_types(op));
    FRIT_TRY(check_attributes(op));
    const auto e = extents_of(op);
    if (!e) return fail(e.error());
    FRIT_TRY(check_mask(op, *e));
    if (op.has_input(kNonpad)) FRIT_TRY(check_dims(op, kNonpad, "nonpad_kv_seqlen", {e->batch}));
    const Ints scores = {e->batch, e->heads, e->queries, e->keys()};
    FRIT_TRY(check_size(op, scores));
    const DType dtype = op.input(kQ).dtype;
    const auto y = e->packed ? Ints{e->batch, e->queries, e->heads * e->value_size}
                             : Ints{e->batch, e->heads, e->queries, e->value_size};
    FRIT_TRY(check_size(op, y));
    return std::vector{TensorType(dtype, y),
                       TensorType(dtype, {e->batch, e->key_heads, e->keys(), e->size}),
                       TensorType(dtype, {e->batch, e->key_heads, e->keys(), e->value_size}),
                       TensorType(dtype, scores)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Extents e = *extents_of(op);
    const Ref q = split_heads(to, to.input(kQ), e.heads);
    const Ref k = with_past(to, kPastKey, split_heads(to, to.input(kK), e.key_heads));
    const Ref v = with_past(to, kPastValue, split_heads(to, to.input(kV), e.key_heads));
    const Masks masks(op, e, to);
    const DType dtype = op.input(kQ).dtype;
    const double scale = has_attribute(op.attributes, "scale")
                             ? static_cast<double>(float_attribute(op.attributes, "scale", 1.0F))
                             : 1.0 / std::sqrt(static_cast<double>(e.size));
    const Ref raw = attention_scores(to, q, k, scale);
    const Ref capped =
        soft_capped(to, raw, static_cast<double>(float_attribute(op.attributes, "softcap", 0.0F)));
    const Ref scores = masks.bias() ? to.node("Add", {capped, masks.bias()}) : capped;
    const auto precision =
        dtype_of_onnx(int_attribute(op.attributes, "softmax_precision", onnx_number(dtype)));
    const Ref weights =
        without_rows(to, masks.empty_rows(), softmax_in(to, scores, precision.value_or(dtype)));
    const Ref y = attention_values(to, weights, v);
    to.output(0, e.packed ? join_heads(to, y) : y);
    to.output(1, k);
    to.output(2, v);
    const Ref shown[] = {raw, capped, scores, weights};
    to.output(3, shown[int_attribute(op.attributes, "qk_matmul_output_mode", 0)]);
    return to.status();
  }

 private:
  static Ref with_past(Expansion& to, std::size_t past, Ref fresh) {
    if (!to.input(past)) return fresh;
    return to.node("Concat", {to.input(past), fresh}, {{"axis", std::int64_t{2}}});
  }
};

}  // namespace

void add_attention(std::vector<const Operator*>& all) { all.push_back(new Attention); }

}  // namespace frit
