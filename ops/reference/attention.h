// Steps that the references of all forms of attention share.
#pragma once

#include "ops/reference/steps.h"

namespace frit::ref {

/// [b,s,heads*d] as [b,heads,s,d]; one of rank 4 as it is.
const RefTensor* heads_of(Steps& steps, const RefTensor* x, std::int64_t heads);
/// [b,h,s,e] as [b,s,h*e]
const RefTensor* heads_joined(Steps& steps, const RefTensor* x);
/// [b,g,t,d] with each head repeated, so that there are `heads`.
const RefTensor* heads_repeated(Steps& steps, const RefTensor* x, std::int64_t heads);
/// (q sqrt(scale)) (k sqrt(scale))^T
const RefTensor* scores_of(Steps& steps, const RefTensor* q, const RefTensor* k, double scale);
const RefTensor* capped(Steps& steps, const RefTensor* scores, double cap);
/// Over the last axis, computed in `dtype`, of the type of `scores`.
const RefTensor* softmax_of(Steps& steps, const RefTensor* scores, DType dtype);

/// What is added to scores: starts as zeros.
class Bias {
 public:
  Bias(DType dtype, Dims scores);
  bool used() const { return used_; }
  /// Forbids what `seen(index)` does not allow, for every index of the scores.
  template <class F>
  void forbid_unless(F seen) {
    used_ = true;
    each([&](std::size_t at, const Dims& index) {
      if (!seen(index)) tensor_.real[at] = -kUnknown;
    });
  }
  /// Adds a mask that broadcasts, or, with `padded`, ends in -inf.
  void add(const RefTensor& mask, bool padded);
  const RefTensor& tensor() const { return tensor_; }
  /// `scores` with -inf, whatever they are, where the bias is.
  RefTensor hidden(const RefTensor& scores) const;
  /// `x` with zeros where a row of the bias is all -inf.
  RefTensor cleared(const RefTensor& x) const;

 private:
  template <class F>
  void each(F f) {
    Dims index(tensor_.dims.size(), 0);
    for (std::size_t at = 0; at < tensor_.real.size(); ++at) {
      f(at, index);
      for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < tensor_.dims[axis]) break;
        index[axis] = 0;
      }
    }
  }

  RefTensor tensor_;
  bool used_ = false;
};

}  // namespace frit::ref
