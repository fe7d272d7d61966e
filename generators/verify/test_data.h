// Inputs for verification: seeded random data and corner data, the same bytes on every platform.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "generators/graph/graph.h"
#include "ops/base/tensor.h"

namespace frit {

/// splitmix64. No std::distribution, whose results differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// In [0,1), 53 bits.
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// In [low, high], both included.
  std::int64_t integer(std::int64_t low, std::int64_t high);
  bool chance(double probability) { return uniform() < probability; }
  template <class T>
  const T& pick(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(
        integer(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }

 private:
  std::uint64_t state_;
};

enum class DataKind : std::uint8_t {
  kRandom,  ///< floats in [-1,1); integers in [0,4); bools
  kZeros,
  kOnes,
  kMinusZero,  ///< floats: -0.0
  kLarge,      ///< floats of either sign, about 1e4
  kSmall,      ///< floats of either sign, about 1e-6
  kSpecial,    ///< random, with NaN, +Inf, -Inf and -0 in about 1 of 16 elements
};

/// "random", "zeros" …
std::string_view name_of(DataKind kind);
/// All but kRandom.
const std::vector<DataKind>& corner_kinds();

/// The same for equal type, kind and seed. `never_zero`: integers are 1 where they would be 0.
Tensor test_tensor(const TensorType& type, DataKind kind, std::uint64_t seed,
                   bool never_zero = false);

/// Graph inputs of integers that a divisor of integers is computed from: ONNX leaves x / 0 open, so
/// data to judge by must not ask for it.
std::set<ValueId> divisor_inputs(const Graph& graph);

}  // namespace frit
