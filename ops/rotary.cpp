// RotaryEmbedding of ONNX (opset 23) and of com.microsoft: pairs of each head's elements turned by
// an angle of their position.
//
//   (x1, x2) -> (cos x1 - sin x2, sin x1 + cos x2)
//
// Pairs are (i, i + r/2) or, interleaved, (2i, 2i + 1) of the first r elements; the rest is kept.
#include <fmt/format.h>

#include <numeric>

#include "ops/attention.h"
#include "ops/families.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

/// Where each domain has its inputs; `positions` is optional in ONNX's.
struct Places {
  std::size_t positions, cos, sin;
};

struct Extents {
  std::int64_t batch = 0, length = 0, heads = 0, size = 0;
  std::int64_t turned = 0;  ///< r: elements of each head that are turned
  bool packed = false;      ///< x is [b,s,h*d] rather than [b,h,s,d]

  Ints split() const {
    return packed ? Ints{batch, length, heads, size} : Ints{batch, heads, length, size};
  }
};

Ref part(Expansion& to, Ref x, std::int64_t start, std::int64_t end, std::int64_t step) {
  return to.node("Slice", {x, to.ints({start}), to.ints({end}), to.ints({-1}), to.ints({step})});
}

Ref joined(Expansion& to, const std::vector<Ref>& parts) {
  return to.node("Concat", parts, {{"axis", std::int64_t{-1}}});
}

Ref shaped(Expansion& to, Ref x, const Ints& dims) {
  return to.node("Reshape", {x, to.ints(dims)}, {{"allowzero", std::int64_t{1}}});
}

/// x of e.split(), angles [b or 1, s, r/2].
Ref turn(Expansion& to, Ref x, Ref cos, Ref sin, const Extents& e, bool interleaved) {
  const Ints angles = to.dims(cos);
  if (angles.size() != 3) return {};
  const auto stood = [&](Ref angle) {
    return shaped(to, angle,
                  e.packed ? Ints{angles[0], e.length, 1, e.turned / 2}
                           : Ints{angles[0], 1, e.length, e.turned / 2});
  };
  const Ref c = stood(cos), s = stood(sin);
  const std::int64_t half = e.turned / 2;
  const Ref x1 = interleaved ? part(to, x, 0, e.turned, 2) : part(to, x, 0, half, 1);
  const Ref x2 = interleaved ? part(to, x, 1, e.turned, 2) : part(to, x, half, e.turned, 1);
  const Ref real = to.node("Sub", {to.node("Mul", {c, x1}), to.node("Mul", {s, x2})});
  const Ref imag = to.node("Add", {to.node("Mul", {s, x1}), to.node("Mul", {c, x2})});
  std::vector<Ref> parts = {real, imag};
  if (interleaved) {
    Ints pairs = e.split(), whole = pairs;
    pairs.back() = half;
    pairs.push_back(1);
    whole.back() = e.turned;
    parts = {shaped(to, joined(to, {shaped(to, real, pairs), shaped(to, imag, pairs)}), whole)};
  }
  if (e.turned < e.size) parts.push_back(part(to, x, e.turned, e.size, 1));
  return parts.size() == 1 ? parts[0] : joined(to, parts);
}

class RotaryEmbedding final : public Composite {
 public:
  explicit RotaryEmbedding(bool contrib)
      : contrib_(contrib), at_(contrib ? Places{1, 2, 3} : Places{3, 1, 2}) {}

  std::string_view type() const override { return "RotaryEmbedding"; }
  std::string_view formula() const override {
    return "(x1, x2) -> (cos * x1 - sin * x2, sin * x1 + cos * x2), cos and sin at the token's "
           "position\n"
           "pairs (i, i + r/2), or (2i, 2i + 1) where interleaved, of the first r = "
           "rotary_embedding_dim; rest kept";
  }
  std::string_view domain() const override { return contrib_ ? "com.microsoft" : ""; }
  int first_opset() const override { return contrib_ ? 1 : 23; }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes onnx = {
        {"interleaved", kInt}, {"num_heads", kInt}, {"rotary_embedding_dim", kInt}};
    static const Attributes contrib = {{"interleaved", kInt},
                                       {"is_packed_batching", kInt},
                                       {"num_heads", kInt},
                                       {"rotary_embedding_dim", kInt},
                                       {"scale", kFloat}};
    return contrib_ ? contrib : onnx;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    static constexpr DType kFloats[] = {DType::kF32, DType::kF16, DType::kBF16};
    static constexpr DType kIds[] = {DType::kI64};
    FRIT_TRY(check_inputs(op, contrib_ ? 4 : 3, 4));
    FRIT_TRY(check_dtype(op, 0, "its input", kFloats));
    FRIT_TRY(check_same_dtype(op, 0, at_.cos));
    FRIT_TRY(check_same_dtype(op, 0, at_.sin));
    if (op.has_input(at_.positions)) {
      FRIT_TRY(check_dtype(op, at_.positions, "position_ids", kIds));
    }
    FRIT_TRY(check_contrib(op));
    const auto e = extents_of(op);
    if (!e) return fail(e.error());
    FRIT_TRY(check_caches(op, *e));
    return std::vector{op.input(0)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Extents e = *extents_of(op);
    // Halves are turned in float32 and rounded once.
    const auto wide = [&](Ref value) { return as_type(to, value, DType::kF32); };
    const Ref x = wide(e.packed ? shaped(to, to.input(0), e.split()) : to.input(0));
    Ref cos = to.input(at_.cos), sin = to.input(at_.sin);
    if (Ref ids = to.input(at_.positions)) {
      if (to.type(ids).rank() == 1) {  // the first position of every sequence
        Ints steps(static_cast<std::size_t>(e.length));
        std::iota(steps.begin(), steps.end(), 0);
        ids = to.node("Add", {ids, to.constant(Tensor::i64({1, e.length}, steps))});
      }
      const AttributeMap rows = {{"axis", std::int64_t{0}}};
      cos = to.node("Gather", {cos, ids}, rows);
      sin = to.node("Gather", {sin, ids}, rows);
    }
    const bool interleaved = int_attribute(op.attributes, "interleaved", 0) != 0;
    const Ref y = as_type(to, turn(to, x, wide(cos), wide(sin), e, interleaved), op.input(0).dtype);
    to.output(0, e.packed ? shaped(to, y, op.input(0).dims()) : y);
    return to.status();
  }

 private:
  Status check_contrib(const OpInstance& op) const {
    if (int_attribute(op.attributes, "is_packed_batching", 0) != 0) {
      return fail("onnx-attribute", fmt::format("{}: is_packed_batching is 1, which frit does not "
                                                "build; export the model with 0",
                                                label(op)));
    }
    const float scale = float_attribute(op.attributes, "scale", 1.0F);
    if (scale == 1.0F) return {};
    return fail("onnx-attribute",
                fmt::format("{}: scale is {} but frit builds 1 only; export the model without it",
                            label(op), scale));
  }

  Result<Extents> extents_of(const OpInstance& op) const {
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.has_input(i)) FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
    }
    const Ints x = op.input(0).dims(), cos = op.input(at_.cos).dims();
    if ((x.size() != 3 && x.size() != 4) || cos.empty()) {
      return fail("onnx-shape",
                  fmt::format("{}: its input is {} and cos_cache {}, but it takes a rank of 3 or 4 "
                              "and a cache; correct the model",
                              label(op), to_text(op.input(0)), to_text(op.input(at_.cos))));
    }
    Extents e;
    e.packed = x.size() == 3;
    e.batch = x[0];
    e.length = e.packed ? x[1] : x[2];
    e.turned = int_attribute(op.attributes, "rotary_embedding_dim", 0);
    e.heads = e.packed ? int_attribute(op.attributes, "num_heads", 0) : x[1];
    if (e.packed && contrib_ && e.heads == 0 && e.turned == 0 && cos.back() > 0) {
      e.heads = x[2] / (2 * cos.back());  // heads as long as what the caches turn
    }
    if (e.packed && (e.heads < 1 || x[2] % e.heads != 0)) {
      return fail("onnx-attribute",
                  fmt::format("{}: num_heads is {}, which does not divide the last axis of its "
                              "input {}; correct the attribute",
                              label(op), e.heads, to_text(op.input(0))));
    }
    e.size = e.packed ? x[2] / e.heads : x[3];
    if (e.turned == 0) e.turned = e.size;
    if (e.turned < 0 || e.turned > e.size || e.turned % 2 != 0) {
      return fail("onnx-attribute",
                  fmt::format("{}: {} elements of each head of {} are to be turned in pairs; "
                              "rotary_embedding_dim must be even and at most {}",
                              label(op), e.turned, e.size, e.size));
    }
    return e;
  }

  Status check_caches(const OpInstance& op, const Extents& e) const {
    const bool placed = op.has_input(at_.positions);
    const Ints dims = placed ? Ints{-1, e.turned / 2} : Ints{e.batch, e.length, e.turned / 2};
    FRIT_TRY(check_dims(op, at_.cos, "cos_cache", dims));
    FRIT_TRY(check_dims(op, at_.sin, "sin_cache", op.input(at_.cos).dims()));
    if (!placed) return {};
    if (contrib_ && op.input(at_.positions).rank() == 1) {
      return check_dims(op, at_.positions, "position_ids", {1});
    }
    return check_dims(op, at_.positions, "position_ids", {e.batch, e.length});
  }

  bool contrib_;
  Places at_;
};

}  // namespace

void add_rotary(std::vector<const Operator*>& all) {
  all.push_back(new RotaryEmbedding(false));
  all.push_back(new RotaryEmbedding(true));
}

}  // namespace frit
