#include "ops/reshape_index.h"

#include <algorithm>

namespace frit {
namespace {

using Halide::Expr;
using Ints = std::vector<std::int64_t>;

/// Row-major position of `index` within axes [begin,end).
Expr linear(const Ints& dims, const Index& index, std::size_t begin, std::size_t end) {
  Expr position;
  for (std::size_t axis = begin; axis < end; ++axis) {
    if (dims[axis] == 1) continue;
    position =
        position.defined() ? position * static_cast<int>(dims[axis]) + index[axis] : index[axis];
  }
  return position.defined() ? position : Expr(0);
}

}  // namespace

std::vector<ReshapeRun> reshape_runs(const Ints& in, const Ints& out) {
  std::vector<ReshapeRun> runs;
  std::size_t i = 0, o = 0;
  while (i < in.size() || o < out.size()) {
    ReshapeRun run{i, i, o, o};
    std::int64_t in_count = 1, out_count = 1;
    // An axis of extent 1 facing a larger one is a run of its own: it has nothing to merge with.
    if (i < in.size() && in[i] == 1 && (o == out.size() || out[o] != 1)) {
      ++run.in_end;
    } else if (o < out.size() && out[o] == 1 && (i == in.size() || in[i] != 1)) {
      ++run.out_end;
    } else {
      in_count = in[run.in_end++];
      out_count = out[run.out_end++];
      while (in_count != out_count) {
        if (in_count < out_count) {
          in_count *= in[run.in_end++];
        } else {
          out_count *= out[run.out_end++];
        }
      }
    }
    i = run.in_end;
    o = run.out_end;
    runs.push_back(run);
  }
  return runs;
}

Index reshape_index(const Ints& in, const Ints& out, const Index& index) {
  Index result(in.size(), Expr(0));
  const auto empty = [](const Ints& dims) {
    return std::find(dims.begin(), dims.end(), 0) != dims.end();
  };
  if (empty(in) || empty(out)) return result;
  for (const ReshapeRun& run : reshape_runs(in, out)) {
    Expr position = linear(out, index, run.out_begin, run.out_end);
    // Peel axes off from the innermost; the outermost takes what is left, without a modulus.
    std::size_t outermost = run.in_begin;
    while (outermost < run.in_end && in[outermost] == 1) ++outermost;
    for (std::size_t axis = run.in_end; axis-- > outermost;) {
      const int extent = static_cast<int>(in[axis]);
      if (extent == 1) continue;
      result[axis] = axis == outermost ? position : position % extent;
      position = position / extent;
    }
  }
  return result;
}

}  // namespace frit
