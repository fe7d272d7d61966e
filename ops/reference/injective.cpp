// Operators that move elements without changing them.
//
// Each builds a map from output element to input element (or kFill) and `take` copies value and
// error through it, so that the copying is written once for every type.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

using Map = std::vector<std::int64_t>;
constexpr std::int64_t kFill = -1;

struct Fill {
  double real = 0.0;
  double bound = 0.0;
  std::int64_t integer = 0;
};

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

// Appends x[map[i]] to y.
void take(const RefTensor& x, const Map& map, const Fill& fill, RefTensor& y) {
  const bool real = is_float(x.dtype);
  for (const std::int64_t from : map) {
    const auto i = static_cast<std::size_t>(from);
    if (real) {
      y.real.push_back(from == kFill ? fill.real : x.real[i]);
    } else {
      y.integer.push_back(from == kFill ? fill.integer : x.integer[i]);
    }
  }
  if (x.bound.empty() && fill.bound == 0.0) return;
  for (const std::int64_t from : map) {
    y.bound.push_back(from == kFill ? fill.bound : bound_at(x, static_cast<std::size_t>(from)));
  }
}

Outputs taken(const RefTensor& x, Dims dims, const Map& map, const Fill& fill = {}) {
  RefTensor y;
  y.dtype = x.dtype;
  y.dims = std::move(dims);
  take(x, map, fill, y);
  return one(std::move(y));
}

// The map of "output index -> offset + sum index*stride".
Result<Map> strided_map(const Call& call, const Dims& dims, const Dims& strides,
                        std::int64_t offset) {
  const std::optional<std::int64_t> count = count_of(dims);
  if (!count) return call.refuse(fmt::format("its result {} is too large", dims_text(dims)));
  Map map(static_cast<std::size_t>(*count));
  walk(dims, std::array<Dims, 1>{strides},
       [&](std::size_t i, const std::array<std::int64_t, 1>& at) { map[i] = offset + at[0]; });
  return map;
}

Outputs reshaped(const Call& call, Dims dims) {
  const std::optional<std::int64_t> count = count_of(dims);
  if (count != call.in(0).elements()) {
    return call.refuse(fmt::format("{} does not have the elements of {}", dims_text(dims),
                                   dims_text(call.in(0).dims)));
  }
  RefTensor y = call.in(0);
  y.dims = std::move(dims);
  return one(std::move(y));
}

Outputs reshape(const Call& call) {
  const Result<std::optional<Dims>> wanted = ints_parameter(call, "shape", 1);
  if (!wanted) return refused(wanted.error());
  if (!*wanted) return call.refuse("has neither a shape input nor a shape attribute");
  Dims dims = **wanted;
  const Dims& from = call.in(0).dims;
  const bool copy_zero =
      call.attr("allowzero", std::int64_t{0}) == 0 && !has_attribute(call.op.attributes, "shape");
  const std::int64_t total = call.in(0).elements();
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 0 && copy_zero) {
      if (axis >= from.size()) return call.refuse("copies an extent that the input does not have");
      dims[axis] = from[axis];
    }
    if (dims[axis] == -1) {
      if (open) return call.refuse("has more than one -1 in its shape");
      open = axis;
    } else if (dims[axis] < 0 || __builtin_mul_overflow(known, dims[axis], &known)) {
      return call.refuse(fmt::format("its shape {} is not possible", dims_text(dims)));
    }
  }
  if (open) {
    if (known == 0 || total % known != 0) {
      return call.refuse(
          fmt::format("no extent for -1 makes {} fit {} elements", dims_text(dims), total));
    }
    dims[*open] = total / known;
  }
  return reshaped(call, std::move(dims));
}

Outputs squeeze(const Call& call) {
  const Result<std::optional<Dims>> wanted = ints_parameter(call, "axes", 1);
  if (!wanted) return refused(wanted.error());
  const Dims& from = call.in(0).dims;
  std::vector<bool> drop(from.size());
  for (std::size_t axis = 0; axis < from.size(); ++axis) drop[axis] = !*wanted && from[axis] == 1;
  if (*wanted) {
    const auto axes = axes_of(call, **wanted, from.size());
    if (!axes) return refused(axes.error());
    for (const std::size_t axis : *axes) drop[axis] = true;
  }
  Dims dims;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (!drop[axis]) dims.push_back(from[axis]);
  }
  return reshaped(call, std::move(dims));
}

Outputs unsqueeze(const Call& call) {
  const Result<std::optional<Dims>> wanted = ints_parameter(call, "axes", 1);
  if (!wanted) return refused(wanted.error());
  if (!*wanted) return call.refuse("has no axes");
  const Dims& from = call.in(0).dims;
  const std::size_t rank = from.size() + (*wanted)->size();
  const auto axes = axes_of(call, **wanted, rank);
  if (!axes) return refused(axes.error());
  if (axes->size() != (*wanted)->size()) return call.refuse("names an axis twice");
  Dims dims;
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const bool added = std::binary_search(axes->begin(), axes->end(), axis);
    dims.push_back(added ? 1 : from[next++]);
  }
  return reshaped(call, std::move(dims));
}

Outputs flatten(const Call& call) {
  const Dims& from = call.in(0).dims;
  const auto rank = static_cast<std::int64_t>(from.size());
  std::int64_t axis = call.attr("axis", std::int64_t{1});
  if (axis < -rank || axis > rank)
    return call.refuse(fmt::format("axis {} is outside rank {}", axis, rank));
  if (axis < 0) axis += rank;
  Dims dims{1, 1};
  for (std::int64_t i = 0; i < rank; ++i)
    dims[i < axis ? 0 : 1] *= from[static_cast<std::size_t>(i)];
  return reshaped(call, std::move(dims));
}

Outputs transpose(const Call& call) {
  const RefTensor& x = call.in(0);
  const std::size_t rank = x.dims.size();
  Dims reversed;
  for (std::size_t axis = rank; axis-- > 0;) reversed.push_back(static_cast<std::int64_t>(axis));
  const Dims perm = ints_attribute(call.op.attributes, "perm", reversed);
  Dims sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  std::reverse(reversed.begin(), reversed.end());
  if (sorted != reversed) {
    return call.refuse(fmt::format("perm {} is no permutation of {} axes", dims_text(perm), rank));
  }
  const Dims own = dense_strides(x.dims);
  Dims dims;
  Dims strides;
  for (const std::int64_t axis : perm) {
    dims.push_back(x.dims[static_cast<std::size_t>(axis)]);
    strides.push_back(own[static_cast<std::size_t>(axis)]);
  }
  const Result<Map> map = strided_map(call, dims, strides, 0);
  if (!map) return refused(map.error());
  return taken(x, dims, *map);
}

// One axis of a Slice: begin, then `count` elements `step` apart.
struct Run {
  std::int64_t begin = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

// numpy's rule, but for a negative step a start before the first element is the first, as ONNX says
// (and ONNX Runtime does), where numpy takes nothing. `resolved` (canonical form): an end of -1
// with a negative step is "before the first".
Run run_of(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t extent,
           bool resolved) {
  if (!resolved && start < 0) start = start < -extent ? -1 : start + extent;
  if (!resolved && end < 0) end = end < -extent ? -1 : end + extent;
  Run run;
  run.step = step;
  if (step > 0) {
    run.begin = std::clamp<std::int64_t>(start, 0, extent);
    const std::int64_t stop = std::clamp<std::int64_t>(end, 0, extent);
    if (stop > run.begin) run.count = (stop - run.begin - 1) / step + 1;
  } else {
    run.begin = std::clamp<std::int64_t>(start, extent == 0 ? -1 : 0, extent - 1);
    const std::int64_t stop = std::clamp<std::int64_t>(end, -1, extent - 1);
    // -step would overflow for the smallest integer; such a step takes one element anyhow
    const std::int64_t down = step < -extent ? extent + 1 : -step;
    run.step = -down;
    if (run.begin > stop) run.count = (run.begin - stop - 1) / down + 1;
  }
  return run;
}

Outputs slice(const Call& call) {
  const RefTensor& x = call.in(0);
  const std::size_t rank = x.dims.size();
  const auto starts = ints_parameter(call, "starts", 1);
  if (!starts) return refused(starts.error());
  const auto ends = ints_parameter(call, "ends", 2);
  if (!ends) return refused(ends.error());
  const auto axes = ints_parameter(call, "axes", 3);
  if (!axes) return refused(axes.error());
  const auto steps = ints_parameter(call, "steps", 4);
  if (!steps) return refused(steps.error());
  if (!*starts || !*ends) return call.refuse("has no starts or no ends");
  const std::size_t count = (*starts)->size();
  if ((*ends)->size() != count || (*axes && (*axes)->size() != count) ||
      (*steps && (*steps)->size() != count) || count > rank) {
    return call.refuse("its starts, ends, axes and steps differ in length");
  }
  const bool resolved = has_attribute(call.op.attributes, "steps");
  const Dims own = dense_strides(x.dims);
  Dims dims = x.dims;
  Dims strides = own;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto axis = axis_of(call, *axes ? (**axes)[i] : static_cast<std::int64_t>(i), rank);
    if (!axis) return refused(axis.error());
    const std::int64_t step = *steps ? (**steps)[i] : 1;
    if (step == 0) return call.refuse("has a step of 0");
    const Run run = run_of((**starts)[i], (**ends)[i], step, x.dims[*axis], resolved);
    dims[*axis] = run.count;
    strides[*axis] = own[*axis] * run.step;
    offset += own[*axis] * run.begin;
  }
  const Result<Map> map = strided_map(call, dims, strides, offset);
  if (!map) return refused(map.error());
  return taken(x, dims, *map);
}

Outputs concat(const Call& call) {
  const RefTensor& first = call.in(0);
  // before opset 4 the axis may be left out: it is 1 then
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{1}), first.dims.size());
  if (!axis) return refused(axis.error());
  RefTensor y;
  y.dtype = first.dtype;
  y.dims = first.dims;
  y.dims[*axis] = 0;
  bool bounded = false;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.has(i)) return call.refuse(fmt::format("input {} is missing", i));
    FRIT_TRY(same_dtype(call, 0, i));
    Dims others = call.in(i).dims;
    if (others.size() != y.dims.size()) return call.refuse("its inputs differ in rank");
    y.dims[*axis] += others[*axis];
    others[*axis] = first.dims[*axis];
    if (others != first.dims) {
      return call.refuse(fmt::format("input {} is {} but input 0 is {}", i,
                                     dims_text(call.in(i).dims), dims_text(first.dims)));
    }
    bounded = bounded || !call.in(i).bound.empty();
  }
  if (!count_of(y.dims)) return call.refuse("its result is too large");
  std::int64_t outer = 1;
  for (std::size_t k = 0; k < *axis; ++k) outer *= y.dims[k];
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const RefTensor* x : call.inputs) {
      const std::int64_t row = x->elements() / outer;
      for (std::int64_t j = o * row; j < (o + 1) * row; ++j) {
        const auto from = static_cast<std::size_t>(j);
        if (is_float(y.dtype)) {
          y.real.push_back(x->real[from]);
        } else {
          y.integer.push_back(x->integer[from]);
        }
        if (bounded) y.bound.push_back(bound_at(*x, from));
      }
    }
  }
  return one(std::move(y));
}

Outputs split(const Call& call) {
  const RefTensor& x = call.in(0);
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{0}), x.dims.size());
  if (!axis) return refused(axis.error());
  const auto given = ints_parameter(call, "split", 1);
  if (!given) return refused(given.error());
  const std::int64_t extent = x.dims[*axis];
  Dims sizes;
  if (*given) {
    sizes = **given;
  } else {
    const auto parts = static_cast<std::int64_t>(std::max<std::size_t>(call.op.outputs.size(), 1));
    const std::int64_t count = call.attr("num_outputs", parts);
    if (count < 1 || count > std::max<std::int64_t>(extent, 1)) {
      return call.refuse(fmt::format("cannot split {} into {} parts", extent, count));
    }
    const std::int64_t chunk = (extent + count - 1) / count;
    std::int64_t left = extent;
    for (std::int64_t i = 0; i < count; ++i, left -= sizes.back()) {
      sizes.push_back(std::min(chunk, left));
    }
  }
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > extent - sum) sum = extent + 1;
    if (sum > extent) break;
    sum += size;
  }
  if (sum != extent) {
    return call.refuse(fmt::format("parts {} do not add up to {}", dims_text(sizes), extent));
  }
  const Dims strides = dense_strides(x.dims);
  std::vector<RefTensor> outputs;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    Dims dims = x.dims;
    dims[*axis] = size;
    const Result<Map> map = strided_map(call, dims, strides, begin * strides[*axis]);
    if (!map) return refused(map.error());
    begin += size;
    outputs.push_back(std::move((*taken(x, dims, *map))[0]));
  }
  return outputs;
}

Outputs expand(const Call& call) {
  const RefTensor& x = call.in(0);
  const auto wanted = ints_parameter(call, "shape", 1);
  if (!wanted) return refused(wanted.error());
  if (!*wanted) return call.refuse("has no shape");
  Dims dims = **wanted;
  if (dims.size() < x.dims.size()) dims.insert(dims.begin(), x.dims.size() - dims.size(), 1);
  const std::size_t lead = dims.size() - x.dims.size();
  for (std::size_t axis = 0; axis < x.dims.size(); ++axis) {
    if (dims[lead + axis] == 1) dims[lead + axis] = x.dims[axis];
  }
  const std::optional<Dims> strides = stretched_strides(x.dims, dims);
  if (!strides) {
    return call.refuse(
        fmt::format("{} does not broadcast to {}", dims_text(x.dims), dims_text(dims)));
  }
  const Result<Map> map = strided_map(call, dims, *strides, 0);
  if (!map) return refused(map.error());
  return taken(x, dims, *map);
}

Outputs tile(const Call& call) {
  const RefTensor& x = call.in(0);
  const auto repeats = ints_parameter(call, "repeats", 1);
  if (!repeats) return refused(repeats.error());
  if (!*repeats || (*repeats)->size() != x.dims.size()) {
    return call.refuse("has not one repeat for each axis");
  }
  // axis a seen as two: the copies (stride 0) and the original
  const Dims own = dense_strides(x.dims);
  Dims dims;
  Dims doubled;
  Dims strides;
  for (std::size_t axis = 0; axis < x.dims.size(); ++axis) {
    const std::int64_t copies = (**repeats)[axis];
    if (!count_of({copies, x.dims[axis]})) return call.refuse("has an impossible repeat");
    dims.push_back(copies * x.dims[axis]);
    doubled.insert(doubled.end(), {copies, x.dims[axis]});
    strides.insert(strides.end(), {0, own[axis]});
  }
  const Result<Map> map = strided_map(call, doubled, strides, 0);
  if (!map) return refused(map.error());
  return taken(x, dims, *map);
}

Outputs gather(const Call& call) {
  const RefTensor& x = call.in(0);
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{0}), x.dims.size());
  if (!axis) return refused(axis.error());
  const Result<Dims> indices = ints_input(call, 1);
  if (!indices) return refused(indices.error());
  const std::int64_t extent = x.dims[*axis];
  Dims dims(x.dims.begin(), x.dims.begin() + static_cast<std::ptrdiff_t>(*axis));
  dims.insert(dims.end(), call.in(1).dims.begin(), call.in(1).dims.end());
  dims.insert(dims.end(), x.dims.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, x.dims.end());
  if (!count_of(dims)) return call.refuse("its result is too large");
  std::int64_t outer = 1;
  for (std::size_t k = 0; k < *axis; ++k) outer *= x.dims[k];
  const std::int64_t inner = dense_strides(x.dims)[*axis];
  const bool empty = *count_of(dims) == 0;
  Map map;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t index : *indices) {
      if (index < -extent || index >= extent) {
        return call.refuse(fmt::format("index {} is outside extent {}", index, extent));
      }
      if (index < 0) index += extent;
      for (std::int64_t i = 0; !empty && i < inner; ++i) {
        map.push_back((o * extent + index) * inner + i);
      }
    }
  }
  return taken(x, dims, map);
}

// ---- Pad

// Input coordinate read by output coordinate `at` (before the begin pad is taken off: in the
// input's own coordinates), or kFill.
std::int64_t source_of(std::int64_t at, std::int64_t extent, const std::string& mode) {
  if (at >= 0 && at < extent) return at;
  if (mode == "edge") return std::clamp<std::int64_t>(at, 0, extent - 1);
  if (mode == "wrap") return ((at % extent) + extent) % extent;
  if (mode != "reflect") return kFill;
  const std::int64_t period = 2 * (extent - 1);
  if (period == 0) return 0;
  const std::int64_t folded = ((at % period) + period) % period;
  return folded < extent ? folded : period - folded;
}

// Begin and end per axis of x, from the attribute (opset < 11, canonical) or inputs 1 and 3.
Result<Dims> pads_of(const Call& call) {
  const std::size_t rank = call.in(0).dims.size();
  const auto given = ints_parameter(call, "pads", 1);
  if (!given) return tl::unexpected<Diagnostic>(given.error());
  if (!*given) return call.refuse("has no pads");
  std::vector<std::size_t> axes;
  if (call.has(3)) {
    const Result<Dims> listed = ints_input(call, 3);
    if (!listed) return listed;
    for (const std::int64_t axis : *listed) {
      const auto normal = axis_of(call, axis, rank);
      if (!normal) return tl::unexpected<Diagnostic>(normal.error());
      axes.push_back(*normal);
    }
  } else {
    for (std::size_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  if ((*given)->size() != 2 * axes.size()) {
    return call.refuse(fmt::format("has {} pads for {} axes", (*given)->size(), axes.size()));
  }
  Dims pads(2 * rank, 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    pads[axes[i]] = (**given)[i];
    pads[rank + axes[i]] = (**given)[axes.size() + i];
    if (std::max(std::abs(pads[axes[i]]), std::abs(pads[rank + axes[i]])) > kMostElements) {
      return call.refuse("has a pad that is too large");
    }
  }
  return pads;
}

Result<Fill> fill_of(const Call& call) {
  Fill fill;
  if (call.has(2)) {
    FRIT_TRY(same_dtype(call, 0, 2));
    const RefTensor& value = call.in(2);
    if (count_of(value.dims) != 1) return call.refuse("its constant_value is not a scalar");
    fill.real = number_at(value, 0);
    fill.bound = bound_at(value, 0);
    if (!value.integer.empty()) fill.integer = value.integer[0];
  } else {
    fill.real = static_cast<double>(call.attr("value", 0.0f));
    fill.integer = std::isfinite(fill.real) && std::fabs(fill.real) < 0x1p62
                       ? static_cast<std::int64_t>(fill.real)
                       : 0;
  }
  return fill;
}

Outputs pad(const Call& call) {
  const RefTensor& x = call.in(0);
  const std::size_t rank = x.dims.size();
  const Result<Dims> pads = pads_of(call);
  if (!pads) return refused(pads.error());
  const Result<Fill> fill = fill_of(call);
  if (!fill) return refused(fill.error());
  const std::string mode = string_attribute(call.op.attributes, "mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap") {
    return call.refuse("mode is \"" + mode + "\"");
  }
  Dims dims;
  std::vector<Map> sources(rank);
  const Dims own = dense_strides(x.dims);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    dims.push_back(x.dims[axis] + (*pads)[axis] + (*pads)[rank + axis]);
    if (dims[axis] > 0 && x.dims[axis] == 0 && mode != "constant") {
      return call.refuse("repeats the border of an empty axis");
    }
    if (!count_of(dims))
      return call.refuse(fmt::format("its result {} is not possible", dims_text(dims)));
    for (std::int64_t i = 0; i < dims[axis]; ++i) {
      const std::int64_t from = source_of(i - (*pads)[axis], x.dims[axis], mode);
      sources[axis].push_back(from == kFill ? kFill : from * own[axis]);
    }
  }
  Map map{0};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    Map next;
    next.reserve(map.size() * sources[axis].size());
    for (const std::int64_t base : map) {
      for (const std::int64_t step : sources[axis]) {
        next.push_back(base == kFill || step == kFill ? kFill : base + step);
      }
    }
    map = std::move(next);
  }
  return taken(x, dims, map, *fill);
}

}  // namespace

std::span<const Entry> injective_entries() {
  static constexpr Entry kEntries[] = {
      {"Reshape", 1, 2, reshape},     {"Squeeze", 1, 2, squeeze},
      {"Unsqueeze", 1, 2, unsqueeze}, {"Flatten", 1, 1, flatten},
      {"Transpose", 1, 1, transpose}, {"Slice", 1, 5, slice},
      {"Concat", 1, 1 << 20, concat}, {"Split", 1, 2, split},
      {"Expand", 1, 2, expand},       {"Tile", 1, 2, tile},
      {"Gather", 2, 2, gather},       {"Pad", 1, 4, pad},
  };
  return kEntries;
}

}  // namespace frit::ref
