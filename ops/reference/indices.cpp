// What picks or places elements by position or index: GatherElements, GatherND, Trilu,
// ReverseSequence, TensorScatter. Run-time indices out of range are clamped, as the kernels do.
#include <algorithm>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

// Element `from` of x, with its bound, becomes element `to` of y.
void put(const RefTensor& x, std::int64_t from, RefTensor& y, std::size_t to) {
  const auto i = static_cast<std::size_t>(from);
  if (is_float(x.dtype)) {
    y.real[to] = x.real[i];
  } else {
    y.integer[to] = x.integer[i];
  }
  if (!x.bound.empty()) {
    y.bound.resize(static_cast<std::size_t>(y.elements()), 0.0);
    y.bound[to] = x.bound[i];
  }
}

std::int64_t position(std::int64_t index, std::int64_t extent) {
  if (index < 0) index = index < -extent ? 0 : index + extent;
  return std::clamp<std::int64_t>(index, 0, extent - 1);
}

// Coordinates of element number `at`.
Dims coordinates(const Dims& dims, std::int64_t at) {
  Dims result(dims.size());
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    result[axis] = at % dims[axis];
    at /= dims[axis];
  }
  return result;
}

std::int64_t number_of(const Dims& dims, const Dims& at) {
  std::int64_t number = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) number = number * dims[axis] + at[axis];
  return number;
}

Outputs gather_elements(const Call& call) {
  const RefTensor& x = call.in(0);
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{0}), x.dims.size());
  if (!axis) return refused(axis.error());
  const Result<Dims> indices = ints_input(call, 1);
  if (!indices) return refused(indices.error());
  if (call.in(1).dims.size() != x.dims.size()) return call.refuse("its inputs differ in rank");
  Result<RefTensor> y = make(call, x.dtype, call.in(1).dims);
  if (!y) return refused(y.error());
  for (std::size_t i = 0; i < indices->size(); ++i) {
    Dims at = coordinates(y->dims, static_cast<std::int64_t>(i));
    at[*axis] = position((*indices)[i], x.dims[*axis]);
    put(x, number_of(x.dims, at), *y, i);
  }
  return one(std::move(*y));
}

Outputs gather_nd(const Call& call) {
  const RefTensor& x = call.in(0);
  const Result<Dims> indices = ints_input(call, 1);
  if (!indices) return refused(indices.error());
  const Dims& picked = call.in(1).dims;
  const std::int64_t batch = call.attr("batch_dims", std::int64_t{0});
  if (picked.empty() || batch < 0 ||
      batch + picked.back() > static_cast<std::int64_t>(x.dims.size())) {
    return call.refuse("its indices have more coordinates than its input has axes");
  }
  const std::int64_t tuple = picked.back();
  Dims dims(picked.begin(), picked.end() - 1);
  const std::size_t prefix = dims.size();
  dims.insert(dims.end(), x.dims.begin() + batch + tuple, x.dims.end());
  Result<RefTensor> y = make(call, x.dtype, dims);
  if (!y) return refused(y.error());
  const std::int64_t count = y->elements();
  for (std::int64_t i = 0; i < count; ++i) {
    const Dims out = coordinates(dims, i);
    Dims at(out.begin(), out.begin() + batch);
    const std::int64_t row =
        number_of({picked.begin(), picked.end() - 1},
                  {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(prefix)});
    for (std::int64_t j = 0; j < tuple; ++j) {
      at.push_back(position((*indices)[static_cast<std::size_t>(row * tuple + j)],
                            x.dims[static_cast<std::size_t>(batch + j)]));
    }
    at.insert(at.end(), out.begin() + static_cast<std::ptrdiff_t>(prefix), out.end());
    put(x, number_of(x.dims, at), *y, static_cast<std::size_t>(i));
  }
  return one(std::move(*y));
}

Outputs trilu(const Call& call) {
  const RefTensor& x = call.in(0);
  if (x.dims.size() < 2) return call.refuse("its input has less than two axes");
  std::int64_t k = 0;
  if (call.has(1)) {
    const Result<Dims> given = ints_input(call, 1);
    if (!given) return refused(given.error());
    if (given->size() != 1) return call.refuse("its k is not one number");
    k = std::clamp<std::int64_t>((*given)[0], -kMostElements, kMostElements);
  }
  const bool upper = call.attr("upper", std::int64_t{1}) != 0;
  Result<RefTensor> y = make(call, x.dtype, x.dims);
  if (!y) return refused(y.error());
  const std::int64_t columns = x.dims[x.dims.size() - 1], rows = x.dims[x.dims.size() - 2];
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    const std::int64_t diagonal = i % columns - i / columns % rows;
    if (upper ? diagonal >= k : diagonal <= k) put(x, i, *y, static_cast<std::size_t>(i));
  }
  return one(std::move(*y));
}

Outputs reverse_sequence(const Call& call) {
  const RefTensor& x = call.in(0);
  const auto batch = axis_of(call, call.attr("batch_axis", std::int64_t{1}), x.dims.size());
  if (!batch) return refused(batch.error());
  const auto time = axis_of(call, call.attr("time_axis", std::int64_t{0}), x.dims.size());
  if (!time) return refused(time.error());
  const Result<Dims> lengths = ints_input(call, 1);
  if (!lengths) return refused(lengths.error());
  if (static_cast<std::int64_t>(lengths->size()) != x.dims[*batch]) {
    return call.refuse("has another number of lengths than of sequences");
  }
  Result<RefTensor> y = make(call, x.dtype, x.dims);
  if (!y) return refused(y.error());
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    Dims at = coordinates(x.dims, i);
    const std::int64_t length = std::clamp<std::int64_t>(
        (*lengths)[static_cast<std::size_t>(at[*batch])], 0, x.dims[*time]);
    if (at[*time] < length) at[*time] = length - 1 - at[*time];
    put(x, number_of(x.dims, at), *y, static_cast<std::size_t>(i));
  }
  return one(std::move(*y));
}

Outputs tensor_scatter(const Call& call) {
  const RefTensor& update = call.in(1);
  RefTensor y = call.in(0);
  FRIT_TRY(same_dtype(call, 0, 1));
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{-2}), y.dims.size());
  if (!axis) return refused(axis.error());
  Dims written(static_cast<std::size_t>(y.dims[0]), 0);
  if (call.has(2)) {
    const Result<Dims> given = ints_input(call, 2);
    if (!given) return refused(given.error());
    if (given->size() != written.size()) return call.refuse("has not one index for each sample");
    written = *given;
  }
  const bool circular = string_attribute(call.op.attributes, "mode", "linear") == "circular";
  const std::int64_t extent = y.dims[*axis];
  for (std::int64_t i = 0; i < update.elements(); ++i) {
    Dims at = coordinates(update.dims, i);
    const std::int64_t first = written[static_cast<std::size_t>(at[0])];
    at[*axis] += circular ? first % extent + extent : std::clamp(first, -extent, extent);
    if (circular) at[*axis] %= extent;
    if (at[*axis] < 0 || at[*axis] >= extent) continue;
    const auto to = static_cast<std::size_t>(number_of(y.dims, at));
    if (!y.bound.empty()) y.bound[to] = 0.0;
    put(update, i, y, to);
  }
  return one(std::move(y));
}

}  // namespace

std::span<const Entry> index_entries() {
  static constexpr Entry kEntries[] = {
      {"GatherElements", 2, 2, gather_elements},
      {"GatherND", 2, 2, gather_nd},
      {"Trilu", 1, 2, trilu},
      {"ReverseSequence", 2, 2, reverse_sequence},
      {"TensorScatter", 2, 3, tensor_scatter},
  };
  return kEntries;
}

}  // namespace frit::ref
