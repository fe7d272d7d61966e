// If, Loop and Scan taken apart while a model is read: the branch whose condition is known, and
// the body once for each trip whose number is known.
//
//   If(cond)                      the nodes of then_branch or else_branch
//   Loop(M, cond, v…)             for i < M while cond: cond, v…, scans… = body(i, cond, v…)
//   Scan(v…, x…)                  for t < T: v…, scans… = body(v…, x[t]…), along stated axes and
//   ways
//
// What a trip computes from its number and from constants folds as everywhere, so that a condition
// which the body computes from those is known too. Scanned outputs are joined by Concat.
#pragma once

#include <functional>

#include "generators/graph/graph.h"
#include "ops/base/result.h"

namespace frit {

/// Most nodes that the regions of a model may become, a trip counted as one more.
inline constexpr int kMostUnrolled = 1 << 14;

class RegionInliner {
 public:
  /// `settle` infers a node that was just inserted, and folds it where it can; false: it has told
  /// of a fault, and inlining stops.
  RegionInliner(Graph& graph, std::function<bool(NodeId)> settle)
      : graph_(graph), settle_(std::move(settle)) {}

  /// Whether the node is an If, Loop or Scan.
  static bool is_control_flow(const Node& node);

  /// Puts the nodes of its regions in place of node `id`. Errors: "onnx-control-flow" for a
  /// condition or a number of trips that is known only at run time, "onnx-too-large",
  /// "onnx-attribute", "onnx-shape". False: settle has told of a fault.
  Result<bool> inline_node(NodeId id);

 private:
  class Trip;
  Graph& graph_;
  std::function<bool(NodeId)> settle_;
  int unrolled_ = 0;
};

}  // namespace frit
