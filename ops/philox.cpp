#include "ops/philox.h"

#include <bit>

#include "ops/halide_type.h"
#include "ops/math.h"

namespace frit {

using Halide::cast;
using Halide::Expr;

namespace {

constexpr std::uint32_t kMultiplier = 0xd256d193;
constexpr std::uint32_t kWeyl = 0x9e3779b9;
constexpr int kRounds = 10;

Expr wide(const Expr& x) { return cast<std::uint64_t>(x); }

}  // namespace

RandomWords philox(const Expr& element, std::uint32_t key) {
  Expr left = element, right = Expr(std::uint32_t{0});
  for (int round = 0; round < kRounds; ++round) {
    const Expr product = wide(left) * wide(Expr(kMultiplier));
    left = cast<std::uint32_t>(product >> 32) ^ right ^ Expr(key);
    right = cast<std::uint32_t>(product);
    key += kWeyl;
  }
  return {left, right};
}

// Of integers below 2^24 and 2^53, exactly.
Expr uniform_of(Halide::Type type, const RandomWords& words) {
  if (type != Halide::Float(64)) {
    return cast<float>(cast<int>(words.first >> 8)) * Expr(0x1p-24F);
  }
  const Expr both = (wide(words.first) << 32) | wide(words.second);
  return cast<double>(cast<std::int64_t>(both >> 11)) * Expr(0x1p-53);
}

Expr normal_of(Halide::Type type, const RandomWords& words) {
  const auto number = [&](double value) { return constant_of(type, value); };
  const auto part = [&](const Expr& word) { return cast(type, cast<int>(word >> 8)); };
  const Expr u = (part(words.first) + number(1.0)) * number(0x1p-24);
  const Expr turn = part(words.second) * number(0x1p-24 * 6.283185307179586);
  return Halide::sqrt(number(-2.0) * math::log(u)) * math::cos(turn);
}

std::uint32_t random_key(const OpInstance& op) {
  const auto seed = op.attributes.find("seed");
  if (seed != op.attributes.end()) {
    if (const auto* real = std::get_if<float>(&seed->second)) {
      return std::bit_cast<std::uint32_t>(*real);
    }
    if (const auto* whole = std::get_if<std::int64_t>(&seed->second)) {
      const auto bits = static_cast<std::uint64_t>(*whole);
      return static_cast<std::uint32_t>(bits) ^ static_cast<std::uint32_t>(bits >> 32);
    }
  }
  std::uint32_t hash = 2166136261;
  for (const char letter : op.name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619;
  }
  return hash;
}

}  // namespace frit
