// Compares an operator's Halide side with the plain-loop reference.
#pragma once

#include "tests/support/op_harness.h"

namespace frit::test {

/// Expects each element of `got` within the bound of NUMERICS.md of what the reference makes of
/// `test` as the model states it, NaN and infinities alike; and the same extents and type.
void expect_as_reference(const OpCase& test, const Tensor& got);

/// Runs `test` dense and, where it asks for halos, with them; expects both as the reference. Also
/// expects the canonical form to infer the types of the stated one.
void expect_as_reference(const OpCase& test);

/// The same for an output that lies with its first axis innermost.
void expect_as_reference_transposed(const OpCase& test);

}  // namespace frit::test
