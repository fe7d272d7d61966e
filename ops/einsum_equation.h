// The equation of an Einsum, with its ellipses spelled out as labels.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ops/base/result.h"
#include "ops/instance.h"

namespace frit {

/// Axes of one operand or of the result, outermost first: a letter's code, or for an axis of an
/// ellipsis a number above all letters.
using EinsumLabels = std::vector<int>;

struct EinsumEquation {
  std::vector<EinsumLabels> operands;  ///< a label may repeat: a diagonal
  EinsumLabels result;                 ///< each label once
  std::map<int, std::int64_t> extents;
};

/// Axes of an ellipsis align from the right. Extents of one label are equal, or 1 and stretched.
/// Without "->" the result has the ellipsis, then the letters that stand once, in order of code.
/// Errors: "onnx-attribute" (an equation that cannot be read, or not of so many operands),
/// "onnx-shape" (ranks or extents that do not fit it).
Result<EinsumEquation> einsum_equation_of(const OpInstance& op);

}  // namespace frit
