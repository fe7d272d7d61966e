// What planning reads of a graph, looked up once: operators, kinds, users, post-dominators.
//
// Nodes are named by position (index into Graph::nodes(), a topological order).
#pragma once

#include <map>
#include <vector>

#include "generators/graph/graph.h"
#include "ops/base/result.h"

namespace frit {

struct NodeFacts {
  const Node* node = nullptr;
  const Operator* rule = nullptr;
  OpInstance op;
  OpKind kind = OpKind::kOpaque;
  std::string anchor;     ///< Operator::anchor
  bool channels = false;  ///< a convolution or pool: axes n, channels, space
  bool layout = false;    ///< an Identity of insert_layouts: must copy
  Counts counts;
};

class GraphFacts {
 public:
  /// Error "plan-unsupported": a node without an operator, or a value with an open extent.
  static Result<GraphFacts> of(const Graph& graph);

  const Graph& graph() const { return *graph_; }
  int size() const { return static_cast<int>(nodes_.size()); }
  const NodeFacts& at(int position) const { return nodes_[static_cast<std::size_t>(position)]; }
  int position(NodeId id) const { return position_.at(id); }
  /// Position of the node that makes `value`, -1 for graph inputs and constants.
  int producer(ValueId value) const;
  /// Positions of the nodes that read `value`, ascending, each once.
  const std::vector<int>& users(ValueId value) const {
    return users_[static_cast<std::size_t>(value)];
  }
  /// First node through which every way from `position` to a graph output passes; size() where the
  /// ways never meet again.
  int post_dominator(int position) const {
    return post_dominator_[static_cast<std::size_t>(position)];
  }
  /// Nodes on ways from `from` to `to`, without `from`, with `to`, ascending.
  std::vector<int> between(int from, int to) const;

 private:
  void find_post_dominators();

  const Graph* graph_ = nullptr;
  std::vector<NodeFacts> nodes_;
  std::map<NodeId, int> position_;
  std::vector<std::vector<int>> users_;
  std::vector<int> post_dominator_;
};

/// "'conv1' (Conv)"
std::string label(const Node& node);

}  // namespace frit
