// Grows a random graph node by node; the makers of random_*.cpp propose nodes to it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generators/verify/random_graph.h"
#include "generators/verify/test_data.h"

namespace frit {

/// An input of a proposed node: a value of the graph, or a constant still to be added.
struct Proposed {
  ValueId id = kNone;
  std::optional<Tensor> constant;
  Proposed(ValueId value) : id(value) {}                    // NOLINT: reads as an input list
  Proposed(Tensor tensor) : constant(std::move(tensor)) {}  // NOLINT
};

class RandomBuilder {
 public:
  RandomBuilder(std::uint64_t seed, const RandomGraphOptions& options);

  Random& random() { return random_; }
  const RandomGraphOptions& options() const { return options_; }
  int node_count() const { return static_cast<int>(graph_.nodes().size()); }

  void add_input(const std::vector<std::int64_t>& dims);
  /// The outputs of the new node, or nothing when it was not taken (see random_graph.h).
  std::optional<std::vector<ValueId>> add(const std::string& type,
                                          const std::vector<Proposed>& inputs,
                                          AttributeMap attributes = {}, std::size_t outputs = 1);
  /// The only output of the new node.
  std::optional<ValueId> add_one(const std::string& type, const std::vector<Proposed>& inputs,
                                 AttributeMap attributes = {});

  /// A float value to go on from: often the newest.
  ValueId any_real();
  /// A float value of this rank, if any.
  std::optional<ValueId> real_of_rank(std::size_t rank);
  /// A float value that satisfies `fits`, if any.
  std::optional<ValueId> real_where(
      const std::function<bool(const std::vector<std::int64_t>&)>& fits);
  std::optional<ValueId> any_bool();
  const std::vector<std::int64_t>& dims(ValueId id) const { return values_.at(id).dims; }

  /// A constant with elements in [low, high).
  Tensor floats(const std::vector<std::int64_t>& dims, double low, double high);
  Tensor scalar(float value) { return Tensor::f32({}, {value}); }
  Tensor ints(const std::vector<std::int64_t>& values);
  /// An axis of a value, at times counted from the end.
  std::int64_t any_axis(std::size_t rank);

  RandomGraph finish();

 private:
  bool acceptable(const RefTensor& tensor) const;
  std::string next_name(const char* prefix);

  RandomGraphOptions options_;
  Random random_;
  Graph graph_;
  RefValues values_;
  RefValues inputs_;
  std::vector<ValueId> reals_, bools_;
  int names_ = 0;
};

/// A way to add nodes: returns false when it added nothing.
struct RandomMaker {
  int weight = 1;
  bool (*make)(RandomBuilder&) = nullptr;
};

const std::vector<RandomMaker>& random_pointwise_makers();
const std::vector<RandomMaker>& random_reduction_makers();
const std::vector<RandomMaker>& random_move_makers();
/// Several nodes that passes recognise together: hard-swish, layer norm, GELU, shape arithmetic.
const std::vector<RandomMaker>& random_pattern_makers();

}  // namespace frit
