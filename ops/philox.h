// The random stream: a pure function of (seed, element), so that random operators fuse, run in any
// order and repeat.
//
// Philox2x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11):
// counter = (element's row-major number, stream), key = seed. Its two words of 32 bits make one
// element:
//   uniform  (first / 2^8) / 2^24 in float32, ((first, second) / 2^11) / 2^53 in float64
//   normal   sqrt(-2 log(u)) cos(2 pi v), u = (first / 2^8 + 1) / 2^24, v = (second / 2^8) / 2^24
// The key of a node is its `seed` attribute (the bits of the float; an integer's two halves, one
// xor the other), or where it has none the FNV-1a hash of its name: runs of a package repeat.
#pragma once

#include <Halide.h>

#include <cstdint>

#include "ops/instance.h"

namespace frit {

struct RandomWords {
  Halide::Expr first, second;  ///< uint32
};

/// Words of element `element` (uint32).
RandomWords philox(const Halide::Expr& element, std::uint32_t key);

/// In [0, 1), of float32 or float64.
Halide::Expr uniform_of(Halide::Type type, const RandomWords& words);
/// Mean 0, deviation 1.
Halide::Expr normal_of(Halide::Type type, const RandomWords& words);

/// The key of a node, by its attribute `seed` or its name.
std::uint32_t random_key(const OpInstance& op);

}  // namespace frit
