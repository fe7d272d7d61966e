// An operator written as others: the nodes that stand in its place.
//
//   Status Celu::expand(const OpInstance& op, Expansion& to) const {
//     const Ref x = to.input(0);
//     const Ref a = to.scalar(to.type(x).dtype, float_attribute(op.attributes, "alpha", 1.0F));
//     to.output(0, to.node("Mul", {a, to.node("Elu", {to.node("Div", {x, a})})}));
//     return to.status();
//   }
//
// Types are inferred as nodes are added, so that an expansion may depend on them. Nodes are of the
// newest opset; they may themselves be operators that expand.
#pragma once

#include <string>
#include <vector>

#include "ops/base/result.h"
#include "ops/instance.h"

namespace frit {

/// The opset of the nodes of expansions: the newest that the importer reads.
inline constexpr int kExpansionOpset = 28;

class Expansion {
 public:
  /// A value: an input of the operator, a constant, or the result of a node. Default: omitted.
  class Ref {
   public:
    Ref() = default;
    explicit operator bool() const { return id_ >= 0; }
    bool operator==(const Ref&) const = default;

   private:
    friend class Expansion;
    explicit Ref(int id) : id_(id) {}
    int id_ = -1;
  };

  /// `op` with its outputs inferred; as many nodes' outputs may be given by output().
  explicit Expansion(const OpInstance& op);

  /// Input i; an omitted Ref where the node has none.
  Ref input(std::size_t i) const;
  Ref constant(Tensor tensor);
  /// Of rank 0, rounded once to `dtype`.
  Ref scalar(DType dtype, double value);
  /// i64[n]: axes, shapes.
  Ref ints(const std::vector<std::int64_t>& values);

  /// FRIT_ASSERTs that `ref` is a value.
  const TensorType& type(Ref ref) const;
  std::vector<std::int64_t> dims(Ref ref) const { return type(ref).dims(); }
  /// Its value where known at build, else nullptr.
  const Tensor* known(Ref ref) const;

  /// A node's only result. After a refusal by its shape rule: an omitted Ref, see status().
  Ref node(const std::string& type, const std::vector<Ref>& inputs, AttributeMap attributes = {},
           const std::string& domain = "");
  /// A node of several results.
  std::vector<Ref> nodes(const std::string& type, std::size_t outputs,
                         const std::vector<Ref>& inputs, AttributeMap attributes = {},
                         const std::string& domain = "");

  /// `ref` is output i of the operator.
  void output(std::size_t i, Ref ref);

  /// The first refusal of a shape rule, under the operator's own label.
  const Status& status() const { return status_; }

  /// For the pass: what was written. Ids of values: first the inputs of the operator.
  struct Value {
    TensorType type;
    std::optional<Tensor> constant;
  };
  struct Node {
    OpInstance op;
    std::vector<int> inputs, outputs;  ///< ids; -1: omitted
  };
  const std::vector<Value>& all_values() const { return values_; }
  const std::vector<Node>& all_nodes() const { return nodes_; }
  /// Id of output i; -1 where the operator gave none.
  int output_id(std::size_t i) const { return i < outputs_.size() ? outputs_[i] : -1; }

 private:
  int add(Value value);

  std::string name_, label_;
  std::vector<std::optional<TensorType>> inputs_;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<int> outputs_;
  Status status_;
};

using Ref = Expansion::Ref;

}  // namespace frit
