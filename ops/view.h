// Injective operators as views: an output that is its input's bytes seen with other strides.
//
// The index relation of an operator, as the planner needs it: out[i] lies at
// offset + sum_a i_a * strides_a in the buffer of input 0, when the relation is affine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ops/instance.h"

namespace frit {

struct StridedView {
  std::vector<std::int64_t> strides;  ///< elements, per logical axis of the output
  std::int64_t offset = 0;            ///< from logical index 0 of the input
};

/// Output `output` of the canonical op as a view of input 0 laid out with `input_strides`
/// (Reshape that splits or merges evenly strided axes, Transpose, Slice with positive steps, Split,
/// Identity); nullopt where it is none for these strides.
std::optional<StridedView> strided_view(const OpInstance& op, std::size_t output,
                                        const std::vector<std::int64_t>& input_strides);

/// The inputs as boxes of the output, stacked along one axis: Concat.
struct Stacking {
  int axis = 0;
  std::vector<std::int64_t> begins;  ///< of each input along the axis
};
std::optional<Stacking> stacking(const OpInstance& op);

/// perm where output axis a is input axis perm[a] and nothing else changes (Transpose).
std::optional<std::vector<int>> axis_permutation(const OpInstance& op);

/// True where index a of the output runs along axis a of every input, shifted, cut, extended or
/// stretched (Slice, Split, Pad, Concat, Resize).
bool keeps_axes(const OpInstance& op);

/// True where strides a and b name the same elements: equal on every axis longer than 1.
bool same_elements(const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& a,
                   const std::vector<std::int64_t>& b);

}  // namespace frit
