// Operators of ONNX Runtime's domain com.microsoft that exporters write, by standard ones.
#include <fmt/format.h>

#include <algorithm>

#include "ops/norm_parts.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;
using enum AttributeKind;

constexpr std::string_view kMicrosoft = "com.microsoft";

/// Gelu(x), BiasGelu(x, bias), FastGelu(x, [bias]: by tanh), BiasSplitGelu(x, bias: the first half
/// of the last axis times Gelu of the second).
class GeluForm final : public Composite {
 public:
  struct Rule {
    std::string_view type;
    std::string_view formula;
    std::size_t least_inputs, most_inputs;
    const char* approximate;
    bool splits;
  };
  explicit GeluForm(const Rule& rule) : rule_(rule) {}
  std::string_view type() const override { return rule_.type; }
  std::string_view formula() const override { return rule_.formula; }
  std::string_view domain() const override { return kMicrosoft; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, rule_.least_inputs, rule_.most_inputs));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    TensorType type = op.input(0);
    if (op.has_input(1)) {
      FRIT_TRY(check_same_dtype(op, 0, 1));
      const bool fits =
          op.input(1).rank() == 1 && type.rank() > 0 && op.input(1).shape[0] == type.shape.back();
      if (!fits) {
        return fail("onnx-shape",
                    fmt::format("{}: its bias is {} but must be one number for each of the last "
                                "axis of its input {}; correct the model",
                                label(op), to_text(op.input(1)), to_text(type)));
      }
    }
    if (!rule_.splits) return std::vector{type};
    Ints dims = type.dims();
    if (dims.back() % 2 != 0) {
      return fail("onnx-shape", fmt::format("{}: the last axis of its input {} has no halves; "
                                            "correct the model",
                                            label(op), to_text(type)));
    }
    dims.back() /= 2;
    return std::vector{TensorType(type.dtype, dims)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    Ref x = to.input(0);
    if (op.has_input(1)) x = to.node("Add", {x, to.input(1)});
    Ref gate;
    if (rule_.splits) {
      const std::int64_t all = to.dims(x).back();
      const auto part = [&](std::int64_t from, std::int64_t until) {
        return to.node("Slice", {x, to.ints({from}), to.ints({until}), to.ints({-1})});
      };
      gate = part(0, all / 2);
      x = part(all / 2, all);
    }
    const Ref y = to.node("Gelu", {x}, {{"approximate", std::string(rule_.approximate)}});
    to.output(0, gate ? to.node("Mul", {gate, y}) : y);
    return to.status();
  }

 private:
  Rule rule_;
};

constexpr GeluForm::Rule kGeluForms[] = {
    {"BiasGelu", "out[i] = Gelu(x[i] + bias[i]), bias along the last axis", 2, 2, "none", false},
    {"BiasSplitGelu", "[a, g] = halves of x + bias along the last axis; out[i] = a[i] * Gelu(g[i])",
     2, 2, "none", true},
    {"FastGelu", "out[i] = Gelu(x[i] + bias[i]) approximated by tanh, bias along the last axis", 1,
     2, "tanh", false},
    {"Gelu", "out[i] = x[i]/2 * (1 + erf(x[i] / sqrt(2)))", 1, 1, "none", false}};

/// A normalisation under the name that ONNX Runtime's fusions give it.
class RenamedNorm final : public Composite {
 public:
  RenamedNorm(std::string_view domain, std::string_view type, bool centred)
      : domain_(domain), type_(type), centred_(centred) {}
  std::string_view type() const override { return type_; }
  std::string_view formula() const override {
    return centred_ ? "as LayerNormalization of opset 17" : "as RMSNormalization of opset 23";
  }
  std::string_view domain() const override { return domain_; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", kInt}, {"epsilon", kFloat}, {"stash_type", kInt}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    OpInstance standard = op;
    standard.domain = "";
    standard.opset = kExpansionOpset;
    return find_operator("", standard_type())->infer(standard);
  }
  Status expand(const OpInstance& op, Expansion& to) const override {
    std::vector<Ref> inputs;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) inputs.push_back(to.input(i));
    const std::vector<Ref> all =
        to.nodes(standard_type(), op.outputs.size(), inputs, op.attributes);
    for (std::size_t i = 0; i < all.size(); ++i) to.output(i, all[i]);
    return to.status();
  }

 private:
  std::string standard_type() const { return centred_ ? "LayerNormalization" : "RMSNormalization"; }
  std::string_view domain_, type_;
  bool centred_;
};

/// LayerNormalization(x + skip [+ bias]) * gamma [+ beta]; output 3 is the sum. Simplified: by the
/// root of the mean square, inputs x, skip, gamma, [bias].
class SkipNorm final : public Composite {
 public:
  explicit SkipNorm(bool centred) : centred_(centred) {}
  std::string_view type() const override {
    return centred_ ? "SkipLayerNormalization" : "SkipSimplifiedLayerNormalization";
  }
  std::string_view formula() const override {
    return centred_
               ? "out = LayerNormalization(s, gamma, beta; last axis), s = x + skip + bias; output "
                 "3 is s"
               : "out = RMSNormalization(s, gamma; last axis), s = x + skip + bias; output 3 is s";
  }
  std::string_view domain() const override { return kMicrosoft; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"epsilon", kFloat}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 3, bias_at() + 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    const TensorType& in = op.input(0);
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      FRIT_TRY(check_same_dtype(op, 0, i));
      const std::size_t both[] = {0, i};
      const auto shape = broadcast_inputs(op, both);
      if (!shape) return fail(shape.error());
      if (*shape == in.shape && in.rank() >= 2) continue;
      return fail("onnx-shape",
                  fmt::format("{}: input {} is {} and its input {}; correct the model", label(op),
                              i, to_text(op.input(i)), to_text(in)));
    }
    TensorType statistics(DType::kF32, in.dims());
    statistics.shape.back() = Extent(1);
    std::vector<TensorType> types = {in, statistics, statistics, in};
    types.resize(std::clamp<std::size_t>(op.outputs.size(), 1, 4));
    return types;
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    Ref sum = to.node("Add", {to.input(0), to.input(1)});
    if (to.input(bias_at())) sum = to.node("Add", {sum, to.input(bias_at())});
    const AttributeMap attributes = {
        {"epsilon", float_attribute(op.attributes, "epsilon", 1e-12F)}};
    std::vector<Ref> inputs = {sum, to.input(2)};
    if (centred_ && to.input(3)) inputs.push_back(to.input(3));
    to.output(0, to.node(centred_ ? "LayerNormalization" : "RMSNormalization", inputs, attributes));
    if (op.outputs.size() > 1) statistics(op, to, sum);
    if (op.outputs.size() > 3) to.output(3, sum);
    return to.status();
  }

 private:
  std::size_t bias_at() const { return centred_ ? 4 : 3; }

  void statistics(const OpInstance& op, Expansion& to, Ref sum) const {
    const Ref x = widened(to, sum);
    const Ref axes = to.ints({-1});
    const Moments m = moments(to, x, {-1});
    const Ref spread =
        centred_ ? m.variance : to.node("ReduceMean", {to.node("Mul", {x, x}), axes});
    to.output(1, cast_to(to, m.mean, DType::kF32));
    if (op.outputs.size() < 3) return;
    const double least = static_cast<double>(float_attribute(op.attributes, "epsilon", 1e-12F));
    const Ref inner = to.node("Add", {spread, to.scalar(to.type(x).dtype, least)});
    const Ref inverse = to.node("Reciprocal", {to.node("Sqrt", {inner})});
    to.output(2, cast_to(to, inverse, DType::kF32));
  }

  bool centred_;
};

/// alpha * MatMul(a or its transpose, b or its transpose).
class FusedMatMul final : public Composite {
 public:
  std::string_view type() const override { return "FusedMatMul"; }
  std::string_view formula() const override {
    return "out[b,m,n] = alpha * sum_k a'[b,m,k] * b'[b,k,n], a' and b' transposed where transA, "
           "transB say so";
  }
  std::string_view domain() const override { return kMicrosoft; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"alpha", kFloat},
                                   {"transA", kInt},
                                   {"transB", kInt},
                                   {"transBatchA", kInt},
                                   {"transBatchB", kInt}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    for (const char* name : {"transBatchA", "transBatchB"}) {
      if (int_attribute(op.attributes, name, 0) == 0) continue;
      return fail("onnx-attribute",
                  fmt::format("{}: {} is 1 but only 0 is supported; put a Transpose before it",
                              label(op), name));
    }
    OpInstance product = op;
    product.domain = "";
    product.opset = kExpansionOpset;
    for (const std::size_t i : {0U, 1U}) {
      auto& shape = product.inputs[i]->shape;
      if (transposes(op, i)) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    }
    product.constants.assign(2, std::nullopt);
    return find_operator("", "MatMul")->infer(product);
  }
  Status expand(const OpInstance& op, Expansion& to) const override {
    Ref sides[] = {to.input(0), to.input(1)};
    for (const std::size_t i : {0U, 1U}) {
      if (!transposes(op, i)) continue;
      Ints perm;
      for (int axis = 0; axis < op.input(i).rank(); ++axis) perm.push_back(axis);
      std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
      sides[i] = to.node("Transpose", {sides[i]}, {{"perm", perm}});
    }
    Ref y = to.node("MatMul", {sides[0], sides[1]});
    const auto alpha = static_cast<double>(float_attribute(op.attributes, "alpha", 1.0F));
    if (alpha != 1.0) y = to.node("Mul", {y, to.scalar(to.type(y).dtype, alpha)});
    to.output(0, y);
    return to.status();
  }

 private:
  static bool transposes(const OpInstance& op, std::size_t i) {
    return op.input(i).rank() >= 2 &&
           int_attribute(op.attributes, i == 0 ? "transA" : "transB", 0) != 0;
  }
};

}  // namespace

void add_contrib(std::vector<const Operator*>& all) {
  for (const GeluForm::Rule& rule : kGeluForms) all.push_back(new GeluForm(rule));
  all.push_back(new FusedMatMul);
  all.push_back(new RenamedNorm(kMicrosoft, "LayerNormalization", true));
  all.push_back(new RenamedNorm(kMicrosoft, "SimplifiedLayerNormalization", false));
  all.push_back(new RenamedNorm("", "SimplifiedLayerNormalization", false));
  all.push_back(new SkipNorm(true));
  all.push_back(new SkipNorm(false));
}

}  // namespace frit
