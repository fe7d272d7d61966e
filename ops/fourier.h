// The discrete Fourier transform of rows, as nodes of an expansion.
//
// Lengths up to 64 are one product with a table. A longer N = P*Q takes P-point transforms, a
// turn of each element and Q-point transforms (Cooley and Tukey), so about N*(P+Q) products; one
// without a divisor up to 64 is a convolution of a power of two (Bluestein). Tables are computed in
// double and rounded once.
#pragma once

#include "ops/expansion.h"

namespace frit {

struct FourierRows {
  bool inverse = false;    ///< e^(+2 pi j k n / N) in place of e^(-…)
  double scale = 1.0;      ///< of the result
  std::int64_t kept = -1;  ///< first results only; -1: all N
};

/// x: [rows, N, 1] real or [rows, N, 2] (real, imaginary), f32 or f64, N >= 1. Result: [rows, kept,
/// 2].
Ref fourier_rows(Expansion& to, Ref x, const FourierRows& rows);

}  // namespace frit
