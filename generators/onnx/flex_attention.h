// FlexAttention's modifiers are graphs that stand in its attributes: they are written between the
// two halves of the node.
//
//   Y = FlexAttention(Q, K, V) <score_mod: s -> f(s), prob_mod: p -> g(p)>   becomes
//   scores = FlexAttentionScores(Q, K);  f's nodes;  Softmax;  g's nodes;
//   Y = FlexAttentionValues(probabilities, V)
#pragma once

#include "ops/base/result.h"

namespace onnx {
class ModelProto;
}

namespace frit {

/// Rewrites the nodes of the model's graph that have a modifier. Error "onnx-attribute": one that
/// has not one input and one output.
Status inline_flex_attention(onnx::ModelProto& model);

}  // namespace frit
