// Runs one operator through Halide's JIT, without planner or composer, for tests of ops/.
//
//   Tensor y = run_one(make_op("Relu", 14, {}, {Tensor::f32({3}, {-1, 0, 2})}));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ops/operator.h"

namespace frit::test {

/// A node and the values of its inputs. Inputs listed in `known` are also constants of the node.
struct OpCase {
  OpInstance op;
  std::vector<std::optional<Tensor>> values;
};

/// `opset` of the default domain. Outputs are not yet inferred.
OpCase make_op(const std::string& type, int opset, AttributeMap attributes,
               std::vector<std::optional<Tensor>> values,
               const std::vector<std::size_t>& known = {});

/// Whether operands carry the halo that the operator's `reach` asks for, as the planner's do.
enum class Halo : std::uint8_t { kNone, kAsReached };

/// Infers, canonicalises, builds, realises each output with Halide's default schedule; of an
/// operator that expands, its nodes one after another.
/// `order` (innermost first) is how the output lies while computing; empty: dense. The result is
/// always dense. FRIT_ASSERTs that the operator exists.
Result<std::vector<Tensor>> run_op(const OpCase& test, const std::vector<int>& order = {},
                                   Halo halo = Halo::kNone);

/// The first output; throws InternalError with the diagnostic's text when there is none.
Tensor run_one(const OpCase& test, const std::vector<int>& order = {});

/// The text of the diagnostic of infer or canonicalise, "" when both succeed.
std::string refusal_of(const OpCase& test);

/// An operand that reads `values` (dense); what the composer makes of an input. With `halo`, the
/// elements around it hold the fill; reading beyond those is an error that Halide reports.
Operand operand_of(const Tensor& values, const Operator::Reach& halo = {});

/// "" when |got - want| <= absolute + relative * |want| everywhere; NaN matches NaN only, an
/// infinity only itself. Else the first place that differs: "at 3: got 1.5, want 1.25".
std::string difference(const Tensor& got, const std::vector<double>& want, double relative,
                       double absolute = 0.0);

/// Values spread over [low, high], the same for each seed, of any dtype.
Tensor random_tensor(DType dtype, std::vector<std::int64_t> dims, double low, double high,
                     unsigned seed);

}  // namespace frit::test
