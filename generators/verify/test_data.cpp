#include "generators/verify/test_data.h"

#include <algorithm>
#include <array>
#include <limits>

#include "ops/reference/reference.h"

namespace frit {

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

std::int64_t Random::integer(std::int64_t low, std::int64_t high) {
  const std::uint64_t choices = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(choices == 0 ? next() : next() % choices);
}

std::string_view name_of(DataKind kind) {
  switch (kind) {
    case DataKind::kRandom:
      return "random";
    case DataKind::kZeros:
      return "zeros";
    case DataKind::kOnes:
      return "ones";
    case DataKind::kMinusZero:
      return "minus-zero";
    case DataKind::kLarge:
      return "large";
    case DataKind::kSmall:
      return "small";
    case DataKind::kSpecial:
      return "special";
  }
  return "";
}

const std::vector<DataKind>& corner_kinds() {
  static const std::vector<DataKind> kinds{DataKind::kZeros, DataKind::kOnes,  DataKind::kMinusZero,
                                           DataKind::kLarge, DataKind::kSmall, DataKind::kSpecial};
  return kinds;
}

namespace {

double special_value(Random& random) {
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  static constexpr std::array<double, 4> kValues{std::numeric_limits<double>::quiet_NaN(),
                                                 kInfinite, -kInfinite, -0.0};
  return kValues[static_cast<std::size_t>(random.integer(0, 3))];
}

double real_value(DataKind kind, Random& random) {
  const double base = random.uniform(-1.0, 1.0);
  switch (kind) {
    case DataKind::kRandom:
      return base;
    case DataKind::kZeros:
      return 0.0;
    case DataKind::kOnes:
      return 1.0;
    case DataKind::kMinusZero:
      return -0.0;
    case DataKind::kLarge:
      return base * 1e4;
    case DataKind::kSmall:
      return base * 1e-6;
    case DataKind::kSpecial:
      return random.chance(1.0 / 16.0) ? special_value(random) : base;
  }
  return base;
}

std::int64_t integer_value(DType dtype, DataKind kind, Random& random) {
  if (kind == DataKind::kZeros || kind == DataKind::kMinusZero) return 0;
  if (kind == DataKind::kOnes) return 1;
  return random.integer(0, dtype == DType::kBool || dtype == DType::kI2 ? 1 : 3);
}

}  // namespace

Tensor test_tensor(const TensorType& type, DataKind kind, std::uint64_t seed, bool never_zero) {
  Random random(seed ^ (static_cast<std::uint64_t>(kind) << 56));
  RefTensor tensor;
  tensor.dtype = type.dtype;
  tensor.dims = type.dims();
  for (std::int64_t i = 0; i < type.elements(); ++i) {
    if (is_float(type.dtype)) {
      tensor.real.push_back(real_value(kind, random));
    } else {
      const std::int64_t value = integer_value(type.dtype, kind, random);
      tensor.integer.push_back(never_zero && value == 0 ? 1 : value);
    }
  }
  return tensor.to_tensor();
}

std::set<ValueId> divisor_inputs(const Graph& graph) {
  std::set<ValueId> wanted;  // values that a divisor depends on
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    const auto is_wanted = [&](ValueId output) { return wanted.contains(output); };
    if (std::any_of(node->outputs.begin(), node->outputs.end(), is_wanted)) {
      wanted.insert(node->inputs.begin(), node->inputs.end());
    }
    const bool divides = node->domain.empty() && (node->type == "Div" || node->type == "Mod");
    if (divides && node->inputs.size() == 2 && !is_float(graph.value(node->inputs[1]).type.dtype)) {
      wanted.insert(node->inputs[1]);
    }
  }
  std::set<ValueId> inputs;
  for (const ValueId input : graph.inputs) {
    const bool integer = !is_float(graph.value(input).type.dtype);
    if (integer && wanted.contains(input)) inputs.insert(input);
  }
  return inputs;
}

}  // namespace frit
