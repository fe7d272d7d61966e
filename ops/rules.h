// What the shape and type rules of all operators share: the checks and the wording of refusals.
//
// Every message opens with the node ("Add 'add_1'", or "Add" when it has no name), states the two
// facts that disagree and ends with the next step.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ops/base/result.h"
#include "ops/instance.h"

namespace frit {

/// "Relu 'relu_1'"
std::string label(const OpInstance& op);

/// Error "onnx-type" unless the node has between `least` and `most` inputs, the first `least` of
/// them present.
Status check_inputs(const OpInstance& op, std::size_t least, std::size_t most);

/// Error "onnx-type" unless input i (called `name` in messages) has one of `allowed`.
Status check_dtype(const OpInstance& op, std::size_t i, const std::string& name,
                   std::span<const DType> allowed);

/// Error "onnx-type" unless inputs i and j have the same element type.
Status check_same_dtype(const OpInstance& op, std::size_t i, std::size_t j);

/// ONNX multidirectional broadcasting of all inputs listed, symbols kept. Error "onnx-shape".
Result<std::vector<Extent>> broadcast_inputs(const OpInstance& op,
                                             std::span<const std::size_t> inputs);

/// Axes from attribute or input values: non-negative, sorted, no axis twice. Error
/// "onnx-attribute".
Result<std::vector<std::int64_t>> normal_axes(const OpInstance& op,
                                              const std::vector<std::int64_t>& axes, int rank);

/// Error "onnx-not-constant" where input i is present but its value is unknown; nullptr when
/// absent.
Result<const Tensor*> constant_input(const OpInstance& op, std::size_t i, const std::string& name);

/// The same, and error "onnx-type" where it holds no integers.
Result<const Tensor*> integer_input(const OpInstance& op, std::size_t i, const std::string& name);

/// The float32, float64, float16, bfloat16 types.
std::span<const DType> float_types();
/// Floats and integers.
std::span<const DType> numeric_types();
/// Integers.
std::span<const DType> integer_types();
/// Floats and signed integers.
std::span<const DType> signed_types();
/// All, bool included.
std::span<const DType> all_types();

}  // namespace frit
