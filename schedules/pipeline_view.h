// What a schedule may see and name of a pipeline. Made by generators/compose.
#pragma once

#include <string>
#include <vector>

#include "ops/operator.h"
#include "ops/stage.h"

namespace frit {

/// How a constant input is laid out at build time: one expression per Halide dimension of the
/// packed buffer, innermost first, each `axis`, `axis % m`, `axis / d` or `axis / d % m`.
/// Element (i0,i1,…) of the packed buffer is the source element whose axes satisfy all; where
/// blocks overhang the source (k not a multiple of the block), zero.
struct PackSpec {
  struct Dim {
    std::string axis;          ///< logical axis of the constant ("k", "c", "ry", "rx")
    std::int64_t divisor = 1;  ///< index / divisor …
    std::int64_t modulus = 0;  ///< … % modulus; 0: none
    bool operator==(const Dim&) const = default;
  };
  std::string role;  ///< "w"
  std::vector<Dim> dims;
  bool operator==(const PackSpec&) const = default;
};

struct InputInfo {
  std::string role;  ///< "w", "b", "in_0" …
  Halide::ImageParam param;
  bool is_constant = false;
};

/// Stages are in order of making; the outputs ("out" or "out_0" …) come last.
struct PipelineView {
  std::string anchor;  ///< "conv2d", "softmax", "elementwise" …
  Facts facts;         ///< of the anchor, plus "out_elements"
  std::vector<Stage*> stages;
  std::vector<InputInfo> inputs;

  Stage* stage(const std::string& role) const;  ///< nullptr when there is none
};

}  // namespace frit
