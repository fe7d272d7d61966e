#include "ops/view.h"

#include <algorithm>

namespace frit {
namespace {

using Dims = std::vector<std::int64_t>;

/// Axes longer than 1, outermost first, neighbours merged where they are evenly strided.
struct Runs {
  Dims extents, strides;
};

Runs merged_runs(const Dims& dims, const Dims& strides) {
  Runs runs;
  for (std::size_t a = 0; a < dims.size(); ++a) {
    if (dims[a] == 1) continue;
    if (!runs.extents.empty() && runs.strides.back() == strides[a] * dims[a]) {
      runs.extents.back() *= dims[a];
      runs.strides.back() = strides[a];
    } else {
      runs.extents.push_back(dims[a]);
      runs.strides.push_back(strides[a]);
    }
  }
  return runs;
}

/// Strides of `to` over the same elements, or nullopt where an axis of `to` spans a break.
std::optional<Dims> reshaped_strides(const Dims& from, const Dims& strides, const Dims& to) {
  Dims result(to.size(), 1);
  if (std::count(from.begin(), from.end(), 0) > 0) return result;
  Runs runs = merged_runs(from, strides);
  std::int64_t inner = 1;  // stride of the next axis of extent 1
  for (std::size_t a = to.size(); a-- > 0;) {
    if (to[a] == 1) {
      result[a] = inner;
      continue;
    }
    while (!runs.extents.empty() && runs.extents.back() == 1) {
      runs.extents.pop_back();
      runs.strides.pop_back();
    }
    if (runs.extents.empty() || runs.extents.back() % to[a] != 0) return std::nullopt;
    result[a] = runs.strides.back();
    runs.extents.back() /= to[a];
    runs.strides.back() *= to[a];
    inner = runs.strides.back();
  }
  return result;
}

std::optional<StridedView> slice_view(const OpInstance& op, const Dims& strides) {
  const Dims starts = ints_attribute(op.attributes, "starts", {});
  const Dims steps = ints_attribute(op.attributes, "steps", {});
  if (starts.size() != strides.size() || steps.size() != strides.size()) return std::nullopt;
  StridedView view;
  for (std::size_t a = 0; a < strides.size(); ++a) {
    if (steps[a] <= 0) return std::nullopt;
    view.strides.push_back(strides[a] * steps[a]);
    view.offset += starts[a] * strides[a];
  }
  return view;
}

std::optional<StridedView> split_view(const OpInstance& op, std::size_t output,
                                      const Dims& strides) {
  const Dims sizes = ints_attribute(op.attributes, "split", {});
  const auto axis = static_cast<std::size_t>(int_attribute(op.attributes, "axis", 0));
  if (axis >= strides.size() || output >= sizes.size()) return std::nullopt;
  StridedView view;
  view.strides = strides;
  for (std::size_t i = 0; i < output; ++i) view.offset += sizes[i] * strides[axis];
  return view;
}

std::optional<StridedView> transpose_view(const OpInstance& op, const Dims& strides) {
  StridedView view;
  for (const std::int64_t axis : ints_attribute(op.attributes, "perm", {})) {
    view.strides.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  if (view.strides.size() != strides.size()) return std::nullopt;
  return view;
}

}  // namespace

std::optional<StridedView> strided_view(const OpInstance& op, std::size_t output,
                                        const Dims& strides) {
  if (!op.domain.empty() || !op.has_input(0) || output >= op.outputs.size()) return std::nullopt;
  if (op.input(0).dtype != op.outputs[output].dtype) return std::nullopt;
  const Dims from = op.input(0).dims();
  if (from.size() != strides.size()) return std::nullopt;
  if (op.type == "Identity") return StridedView{strides, 0};
  if (op.type == "Transpose") return transpose_view(op, strides);
  if (op.type == "Slice") return slice_view(op, strides);
  if (op.type == "Split") return split_view(op, output, strides);
  if (op.type == "Reshape") {
    const auto reshaped = reshaped_strides(from, strides, op.outputs[output].dims());
    if (reshaped) return StridedView{*reshaped, 0};
  }
  return std::nullopt;
}

std::optional<Stacking> stacking(const OpInstance& op) {
  if (!op.domain.empty() || op.type != "Concat") return std::nullopt;
  Stacking result;
  result.axis = static_cast<int>(int_attribute(op.attributes, "axis", 0));
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.has_input(i) || op.input(i).rank() <= result.axis) return std::nullopt;
    result.begins.push_back(begin);
    begin += op.input(i).dims()[static_cast<std::size_t>(result.axis)];
  }
  return result;
}

std::optional<std::vector<int>> axis_permutation(const OpInstance& op) {
  if (!op.domain.empty() || op.type != "Transpose") return std::nullopt;
  std::vector<int> perm;
  for (const std::int64_t axis : ints_attribute(op.attributes, "perm", {})) {
    perm.push_back(static_cast<int>(axis));
  }
  return perm;
}

bool keeps_axes(const OpInstance& op) {
  return op.domain.empty() && (op.type == "Slice" || op.type == "Split" || op.type == "Pad" ||
                               op.type == "Concat" || op.type == "Resize");
}

bool same_elements(const Dims& dims, const Dims& a, const Dims& b) {
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] > 1 && a[axis] != b[axis]) return false;
  }
  return true;
}

}  // namespace frit
