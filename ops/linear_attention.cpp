// LinearAttention (opset 27): a state S[b,h,k,v] carried from token to token.
//
//   S = e^g S                   gated, gated_delta
//   v' = beta (v - S^T k)       delta, gated_delta; else v' = v
//   S = S + k v'^T;  o = scale S^T q
//
// Tokens follow one another, so they are written out one after another, in float32; queries that
// share a head of the state are the rows of one product. Inputs stay [b,t,…]: a token's heads are
// taken apart by reshaping its slice.
#include <fmt/format.h>

#include <cmath>

#include "ops/attention.h"
#include "ops/families.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;
enum Input : std::size_t { kQuery, kKey, kValue, kPast, kDecay, kBeta };

/// Written out, each token is about ten nodes.
constexpr std::int64_t kMostTokens = 256;

struct Extents {
  std::int64_t batch = 0, tokens = 0, heads = 0, queries = 0;  ///< queries of each head
  std::int64_t key = 0, value = 0;
};

bool gated(const std::string& rule) { return rule == "gated" || rule == "gated_delta"; }
bool corrected(const std::string& rule) { return rule == "delta" || rule == "gated_delta"; }

std::string rule_of(const OpInstance& op) {
  return string_attribute(op.attributes, "update_rule", "gated_delta");
}

Result<Extents> extents_of(const OpInstance& op) {
  for (const std::size_t i : {kQuery, kKey, kValue}) {
    FRIT_TRY(check_dims(op, i, fmt::format("input {}", i), {-1, -1, -1}));
  }
  const std::int64_t heads = int_attribute(op.attributes, "kv_num_heads", 0);
  const std::int64_t all = int_attribute(op.attributes, "q_num_heads", 0);
  if (heads < 1 || all < 1 || all % heads != 0) {
    return fail("onnx-attribute",
                fmt::format("{}: q_num_heads is {} but must be a positive multiple of kv_num_heads "
                            "{}; correct the attributes",
                            label(op), all, heads));
  }
  const Ints q = op.input(kQuery).dims(), v = op.input(kValue).dims();
  if (q[2] % all != 0 || v[2] % heads != 0) {
    return fail(
        "onnx-shape",
        fmt::format("{}: q_num_heads {} and kv_num_heads {} do not divide the last axes of "
                    "query {} and value {}; correct the model",
                    label(op), all, heads, to_text(op.input(kQuery)), to_text(op.input(kValue))));
  }
  Extents e{q[0], q[1], heads, all / heads, q[2] / all, v[2] / heads};
  FRIT_TRY(check_dims(op, kKey, "key", {e.batch, e.tokens, heads * e.key}));
  FRIT_TRY(check_dims(op, kValue, "value", {e.batch, e.tokens, -1}));
  if (e.tokens > kMostTokens) {
    return fail("onnx-too-large",
                fmt::format("{}: its input has {} tokens but frit writes out at most {}; export "
                            "the model for fewer tokens at a time",
                            label(op), e.tokens, kMostTokens));
  }
  return e;
}

Status check_presence(const OpInstance& op, std::size_t i, const char* name, bool wanted) {
  if (op.has_input(i) == wanted) return {};
  return fail("onnx-type", fmt::format("{}: update_rule '{}' {} {}, which is {}; correct the model",
                                       label(op), rule_of(op), wanted ? "needs" : "has no", name,
                                       wanted ? "left out" : "given"));
}

Status check_gates(const OpInstance& op, const Extents& e) {
  if (op.has_input(kDecay)) {
    const Ints dims = op.input(kDecay).dims();
    const bool each = dims.size() == 3 && dims[2] == e.heads;
    FRIT_TRY(
        check_dims(op, kDecay, "decay", {e.batch, e.tokens, each ? e.heads : e.heads * e.key}));
  }
  if (op.has_input(kBeta)) {
    const Ints dims = op.input(kBeta).dims();
    const bool one = dims.size() == 3 && dims[2] == 1;
    FRIT_TRY(check_dims(op, kBeta, "beta", {e.batch, e.tokens, one ? 1 : e.heads}));
  }
  return {};
}

class Tokens {
 public:
  Tokens(const OpInstance& op, const Extents& e, Expansion& to)
      : e_(e), to_(to), rule_(rule_of(op)) {
    for (std::size_t i = 0; i < 6; ++i) {
      if (op.has_input(i)) inputs_[i] = as_type(to, to.input(i), DType::kF32);
    }
    if (op.has_input(kDecay) && op.input(kDecay).dims()[2] != e.heads) gates_ = e.key;
    if (op.has_input(kBeta)) rates_ = op.input(kBeta).dims()[2];
    const float stated = float_attribute(op.attributes, "scale", 0.0F);
    const double scale =
        stated != 0.0F ? static_cast<double>(stated) : 1.0 / std::sqrt(static_cast<double>(e.key));
    inputs_[kQuery] = to.node("Mul", {inputs_[kQuery], to.scalar(DType::kF32, scale)});
    state_ = inputs_[kPast];
    if (state_) return;
    const Ref zero = to.scalar(DType::kF32, 0.0);
    state_ = to.node("Expand", {zero, to.ints({e.batch, e.heads, e.key, e.value})});
  }

  Ref state() const { return state_; }

  /// The output of token t: [b,1,all heads * v].
  Ref step(std::int64_t t) {
    if (gated(rule_)) {
      const Ref gate = to_.node("Exp", {at(kDecay, t, {e_.heads, gates_, 1})});
      state_ = to_.node("Mul", {state_, gate});
    }
    Ref value = at(kValue, t, {e_.heads, 1, e_.value});
    if (corrected(rule_)) {
      const Ref known = to_.node("MatMul", {at(kKey, t, {e_.heads, 1, e_.key}), state_});
      value = to_.node("Mul", {at(kBeta, t, {rates_, 1, 1}), to_.node("Sub", {value, known})});
    }
    const Ref written = to_.node("Mul", {at(kKey, t, {e_.heads, e_.key, 1}), value});
    state_ = to_.node("Add", {state_, written});
    const Ref read = to_.node("MatMul", {at(kQuery, t, {e_.heads, e_.queries, e_.key}), state_});
    return shaped(read, {e_.batch, 1, e_.heads * e_.queries * e_.value});
  }

 private:
  Ref shaped(Ref x, const Ints& dims) {
    return to_.node("Reshape", {x, to_.ints(dims)}, {{"allowzero", std::int64_t{1}}});
  }

  /// Token t of an input as [b, dims…].
  Ref at(std::size_t input, std::int64_t t, Ints dims) {
    dims.insert(dims.begin(), e_.batch);
    const Ref token =
        to_.node("Slice", {inputs_[input], to_.ints({t}), to_.ints({t + 1}), to_.ints({1})});
    return shaped(token, dims);
  }

  const Extents& e_;
  Expansion& to_;
  std::string rule_;
  Ref inputs_[6];
  std::int64_t gates_ = 1;  ///< of each head
  std::int64_t rates_ = 1;  ///< of all heads
  Ref state_;
};

class LinearAttention final : public Composite {
 public:
  std::string_view type() const override { return "LinearAttention"; }
  std::string_view formula() const override {
    return "for each token t: S = exp(g) * S (gated, gated_delta); S = S + k v'^T; out[t] = scale "
           "* S^T q\n"
           "v' = beta * (v - S^T k) (delta, gated_delta), else v";
  }
  int first_opset() const override { return 27; }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"chunk_size", kInt},
                                   {"kv_num_heads", kInt, kAlways},
                                   {"q_num_heads", kInt, kAlways},
                                   {"scale", kFloat},
                                   {"update_rule", kString}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    static constexpr DType kFloats[] = {DType::kF32, DType::kF16, DType::kBF16};
    FRIT_TRY(check_inputs(op, 3, 6));
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      FRIT_TRY(check_dtype(op, i, fmt::format("input {}", i), kFloats));
      if (i != kPast) FRIT_TRY(check_same_dtype(op, kQuery, i));
      FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
    }
    const std::string rule = rule_of(op);
    if (rule != "linear" && !gated(rule) && !corrected(rule)) {
      return fail("onnx-attribute", fmt::format("{}: update_rule is '{}' but must be 'linear', "
                                                "'gated', 'delta' or 'gated_delta'; correct it",
                                                label(op), rule));
    }
    FRIT_TRY(check_presence(op, kDecay, "decay", gated(rule)));
    FRIT_TRY(check_presence(op, kBeta, "beta", corrected(rule)));
    const auto e = extents_of(op);
    if (!e) return fail(e.error());
    FRIT_TRY(check_gates(op, *e));
    const Ints state = {e->batch, e->heads, e->key, e->value};
    FRIT_TRY(check_size(op, state));
    if (op.has_input(kPast)) FRIT_TRY(check_dims(op, kPast, "past_state", state));
    const Ints y = {e->batch, e->tokens, e->heads * e->queries * e->value};
    FRIT_TRY(check_size(op, y));
    const DType dtype = op.input(kQuery).dtype;
    const DType kept = op.has_input(kPast) ? op.input(kPast).dtype : dtype;
    return std::vector{TensorType(dtype, y), TensorType(kept, state)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Extents e = *extents_of(op);
    const std::vector<TensorType> types = *infer(op);
    Tokens tokens(op, e, to);
    std::vector<Ref> outputs;
    for (std::int64_t t = 0; t < e.tokens; ++t) outputs.push_back(tokens.step(t));
    const Ref y = outputs.empty()
                      ? to.constant(Tensor(types[0].dtype, types[0].dims(),
                                           std::make_shared<const std::vector<std::byte>>()))
                      : to.node("Concat", outputs, {{"axis", std::int64_t{1}}});
    to.output(0, as_type(to, y, types[0].dtype));
    to.output(1, as_type(to, tokens.state(), types[1].dtype));
    return to.status();
  }
};

}  // namespace

void add_linear_attention(std::vector<const Operator*>& all) { all.push_back(new LinearAttention); }

}  // namespace frit
