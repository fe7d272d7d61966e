// MaxPool, AveragePool and the global pools, over one to three spatial axes.
//
// A padded position is no element: it never wins a maximum and adds nothing to a mean; it counts in
// the divisor only where count_include_pad asks for it and it lies inside the explicit pads.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

using Triple = std::array<std::int64_t, 3>;

// Always three spatial axes (leading ones of extent 1).
struct Window {
  std::size_t spatial = 0;
  std::int64_t planes = 0;
  Triple in{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1};
  Triple before{0, 0, 0}, after{0, 0, 0}, out{1, 1, 1};
  bool include_pad = false;
};

// The elements under one window, and how many positions the divisor counts.
struct Taps {
  std::vector<std::size_t> elements;
  std::int64_t divisor = 0;
};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// One axis of the output: extent, and the pads as auto_pad makes them.
Status place_axis(const Call& call, Window& w, std::size_t a, const std::string& mode, bool ceil) {
  const std::int64_t reach = (w.kernel[a] - 1) * w.dilation[a] + 1;
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    w.out[a] = ceil_div(w.in[a], w.stride[a]);
    const std::int64_t total =
        std::max<std::int64_t>((w.out[a] - 1) * w.stride[a] + reach - w.in[a], 0);
    w.before[a] = mode == "SAME_UPPER" ? total / 2 : ceil_div(total, 2);
    w.after[a] = total - w.before[a];
    return {};
  }
  if (mode == "VALID") {
    w.before[a] = w.after[a] = 0;
  } else if (mode != "NOTSET") {
    return call.refuse("auto_pad is \"" + mode + "\"");
  }
  const std::int64_t room = w.in[a] + w.before[a] + w.after[a] - reach;
  w.out[a] = 0;
  if (room == -1 && w.in[a] == 0) return {};  // one short of an output, of nothing: none
  if (room < 0) {
    return call.refuse(fmt::format("a window reaching {} does not fit {}", reach, w.in[a]));
  }
  w.out[a] = (ceil ? ceil_div(room, w.stride[a]) : room / w.stride[a]) + 1;
  // a last window that would start in the padding after the data is dropped
  if (ceil && (w.out[a] - 1) * w.stride[a] >= w.in[a] + w.before[a]) --w.out[a];
  return {};
}

Result<Window> window_of(const Call& call) {
  const Dims& dims = call.in(0).dims;
  if (dims.size() < 3 || dims.size() > 5) {
    return call.refuse("input " + dims_text(dims) + ": one to three spatial axes are known");
  }
  const AttributeMap& attributes = call.op.attributes;
  Window w;
  w.spatial = dims.size() - 2;
  w.planes = dims[0] * dims[1];
  w.include_pad = call.attr("count_include_pad", std::int64_t{0}) != 0;
  const Dims ones(w.spatial, 1);
  const Dims kernel = ints_attribute(attributes, "kernel_shape", {});
  const Dims strides = ints_attribute(attributes, "strides", ones);
  const Dims dilations = ints_attribute(attributes, "dilations", ones);
  const Dims pads = ints_attribute(attributes, "pads", Dims(2 * w.spatial, 0));
  FRIT_TRY(check_list(call, "kernel_shape", kernel, w.spatial, 1));
  FRIT_TRY(check_list(call, "strides", strides, w.spatial, 1));
  FRIT_TRY(check_list(call, "dilations", dilations, w.spatial, 1));
  FRIT_TRY(check_list(call, "pads", pads, 2 * w.spatial, 0));
  const std::string mode = string_attribute(attributes, "auto_pad", "NOTSET");
  const bool ceil = call.attr("ceil_mode", std::int64_t{0}) != 0;
  for (std::size_t axis = 0; axis < w.spatial; ++axis) {
    const std::size_t a = axis + 3 - w.spatial;
    w.in[a] = dims[axis + 2];
    w.kernel[a] = kernel[axis];
    w.stride[a] = strides[axis];
    w.dilation[a] = dilations[axis];
    w.before[a] = pads[axis];
    w.after[a] = pads[w.spatial + axis];
    FRIT_TRY(place_axis(call, w, a, mode, ceil));
  }
  return w;
}

// Coordinates of one axis under output position o that lie inside the data; `counted` adds the
// positions that lie inside data and pads.
std::vector<std::int64_t> axis_taps(const Window& w, std::size_t a, std::int64_t o,
                                    std::int64_t& counted) {
  std::vector<std::int64_t> taps;
  counted = 0;
  const std::int64_t base = o * w.stride[a] - w.before[a];
  const std::int64_t end = w.in[a] + w.after[a];
  // only taps below `end` matter: a kernel may be far larger than the data
  for (std::int64_t r = 0; r < w.kernel[a]; ++r) {
    const std::int64_t at = base + r * w.dilation[a];
    if (at >= end) break;
    ++counted;
    if (at >= 0 && at < w.in[a]) taps.push_back(at);
  }
  return taps;
}

// Visits the output positions of a plane in order: f(position, taps).
template <class F>
void each_position(const Window& w, F f) {
  std::array<std::vector<std::vector<std::int64_t>>, 3> axis;
  std::array<std::vector<std::int64_t>, 3> counted;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::int64_t o = 0; o < w.out[a]; ++o) {
      std::int64_t count = 0;
      axis[a].push_back(axis_taps(w, a, o, count));
      counted[a].push_back(count);
    }
  }
  Taps taps;
  std::size_t position = 0;
  for (std::size_t oz = 0; oz < axis[0].size(); ++oz) {
    for (std::size_t oy = 0; oy < axis[1].size(); ++oy) {
      for (std::size_t ox = 0; ox < axis[2].size(); ++ox) {
        taps.elements.clear();
        for (const std::int64_t z : axis[0][oz]) {
          for (const std::int64_t y : axis[1][oy]) {
            for (const std::int64_t x : axis[2][ox]) {
              taps.elements.push_back(static_cast<std::size_t>((z * w.in[1] + y) * w.in[2] + x));
            }
          }
        }
        taps.divisor = w.include_pad ? counted[0][oz] * counted[1][oy] * counted[2][ox]
                                     : static_cast<std::int64_t>(taps.elements.size());
        f(position++, taps);
      }
    }
  }
}

Dims out_dims(const Call& call, const Window& w) {
  Dims dims{call.in(0).dims[0], call.in(0).dims[1]};
  for (std::size_t a = 3 - w.spatial; a < 3; ++a) dims.push_back(w.out[a]);
  return dims;
}

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

// ---- Maximum, with the flat index of the winner where the node asks for it.

struct Winner {
  double value = -kUnknown;
  double bound = 0.0;
  std::size_t element = 0;
};

// The first of the largest elements of one window; a NaN wins.
Winner winner_of(const RefTensor& x, std::size_t plane, const Taps& taps) {
  Winner winner;
  if (!taps.elements.empty()) winner.element = taps.elements[0];
  for (const std::size_t element : taps.elements) {
    const double value = number_at(x, plane + element);
    winner.bound = std::max(winner.bound, bound_at(x, plane + element));
    if (std::isnan(winner.value) || !(value > winner.value || std::isnan(value))) continue;
    winner.value = value;
    winner.element = element;
  }
  return winner;
}

// The same element counted with the first spatial axis fastest.
std::size_t column_major_of(const Window& w, std::size_t element) {
  const auto e = static_cast<std::int64_t>(element);
  const std::int64_t x = e % w.in[2], y = e / w.in[2] % w.in[1], z = e / w.in[2] / w.in[1];
  return static_cast<std::size_t>(z + w.in[0] * (y + w.in[1] * x));
}

Outputs max_over(const Call& call, const Window& w, const Dims& dims) {
  const RefTensor& x = call.in(0);
  Result<RefTensor> y = make(call, x.dtype, dims);
  if (!y) return refused(y.error());
  Result<RefTensor> index = make(call, DType::kI64, dims);
  if (!index) return refused(index.error());
  if (!x.bound.empty()) y->bound.assign(y->real.size(), 0.0);
  const double least = x.dtype == DType::kI8 ? -128.0 : x.dtype == DType::kU8 ? 0.0 : -kUnknown;
  const auto in_size = static_cast<std::size_t>(w.in[0] * w.in[1] * w.in[2]);
  const auto out_size = static_cast<std::size_t>(w.out[0] * w.out[1] * w.out[2]);
  const bool column_major = call.attr("storage_order", std::int64_t{0}) != 0;
  each_position(w, [&](std::size_t position, const Taps& taps) {
    for (std::size_t p = 0; p < static_cast<std::size_t>(w.planes); ++p) {
      const Winner winner = winner_of(x, p * in_size, taps);
      const std::size_t to = p * out_size + position;
      const std::size_t element =
          column_major ? column_major_of(w, winner.element) : winner.element;
      if (y->real.empty()) {
        y->integer[to] = static_cast<std::int64_t>(std::max(winner.value, least));
      } else {
        y->real[to] = winner.value;
      }
      if (!y->bound.empty()) y->bound[to] = winner.bound;
      index->integer[to] = static_cast<std::int64_t>(p * in_size + element);
    }
  });
  std::vector<RefTensor> outputs;
  outputs.push_back(std::move(*y));
  if (call.op.outputs.size() > 1) outputs.push_back(std::move(*index));
  return outputs;
}

Outputs max_pool(const Call& call) {
  const DType dtype = call.in(0).dtype;
  if (dtype != DType::kI8 && dtype != DType::kU8) FRIT_TRY(need_float(call, 0));
  const Result<Window> w = window_of(call);
  if (!w) return refused(w.error());
  const Dims dims = out_dims(call, *w);
  if (!count_of(dims)) return call.refuse("its result is too large");
  return max_over(call, *w, dims);
}

// Only the places: what MaxPool of two outputs expands into.
Outputs max_pool_indices(const Call& call) {
  OpInstance op = call.op;
  op.outputs.resize(2);
  auto both = max_pool(Call{op, call.inputs, call.precision});
  if (!both) return both;
  return one(std::move(both->at(1)));
}

// ---- The inverse: values at their places, zeros elsewhere.

Outputs max_unpool(const Call& call) {
  const RefTensor& x = call.in(0);
  const AttributeMap& attributes = call.op.attributes;
  const Dims kernel = ints_attribute(attributes, "kernel_shape", {});
  const std::size_t rank = kernel.size();
  const Dims strides = ints_attribute(attributes, "strides", Dims(rank, 1));
  const Dims pads = ints_attribute(attributes, "pads", Dims(2 * rank, 0));
  if (x.dims.size() != rank + 2 || call.in(1).dims != x.dims) return call.refuse("its shapes");
  FRIT_TRY(check_list(call, "strides", strides, rank, 1));
  FRIT_TRY(check_list(call, "pads", pads, 2 * rank, 0));
  Dims inferred = x.dims;
  for (std::size_t a = 0; a < rank; ++a) {
    inferred[a + 2] = (x.dims[a + 2] - 1) * strides[a] + kernel[a] - pads[a] - pads[rank + a];
  }
  const auto stated = ints_parameter(call, "output_shape", 2);
  if (!stated) return refused(stated.error());
  const Dims dims = stated->value_or(inferred);
  if (!count_of(inferred) || dims.size() != inferred.size()) return call.refuse("its shapes");
  Result<RefTensor> y = make(call, x.dtype, dims);
  if (!y) return refused(y.error());
  if (!x.bound.empty()) y->bound.assign(y->real.size(), 0.0);
  const Dims strides_out = dense_strides(dims), strides_in = dense_strides(inferred);
  for (std::size_t i = 0; i < x.real.size(); ++i) {
    const std::int64_t place = call.in(1).integer[i];
    if (place < 0 || place >= *count_of(inferred)) continue;
    std::int64_t to = 0;
    for (std::size_t a = 0; a < dims.size(); ++a) {
      to += place / strides_in[a] % inferred[a] * strides_out[a];
    }
    y->real[static_cast<std::size_t>(to)] = x.real[i];
    if (!x.bound.empty()) y->bound[static_cast<std::size_t>(to)] = x.bound[i];
  }
  return one(std::move(*y));
}

// ---- Norm: (sum of |x|^p)^(1/p)

Outputs norm_over(const Call& call, const Window& w, const Dims& dims) {
  const RefTensor& x = call.in(0);
  const auto p = static_cast<double>(call.attr("p", std::int64_t{2}));
  if (p < 1.0) return call.refuse("its p");
  Result<RefTensor> y = make(call, x.dtype, dims);
  if (!y) return refused(y.error());
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  const auto in_size = static_cast<std::size_t>(w.in[0] * w.in[1] * w.in[2]);
  const auto out_size = static_cast<std::size_t>(w.out[0] * w.out[1] * w.out[2]);
  each_position(w, [&](std::size_t position, const Taps& taps) {
    const auto n = static_cast<std::int64_t>(taps.elements.size());
    for (std::size_t plane = 0; plane < static_cast<std::size_t>(w.planes); ++plane) {
      double sum = 0.0, bound = 0.0;
      float sum32 = 0.0F;
      for (const std::size_t element : taps.elements) {
        const std::size_t from = plane * in_size + element;
        const double term = std::pow(std::fabs(x.real[from]), p);
        sum += term;
        sum32 += static_cast<float>(term);
        bound += std::pow(std::fabs(x.real[from]) + bound_at(x, from), p) - term;
      }
      const std::size_t to = plane * out_size + position;
      y->real[to] = std::pow(call.naive() ? static_cast<double>(sum32) : sum, 1.0 / p);
      if (!call.bounded()) continue;
      // d(s^(1/p)) <= (ds)^(1/p), and ds/s of the root where s is larger.
      const double off = bound + (sum_factor(n) + p * kFunction) * sum +
                         static_cast<double>(n) * kTiny;  // a power may be flushed
      y->bound[to] = (sum > off ? off / sum / p * 2.0 * y->real[to] : std::pow(off, 1.0 / p)) +
                     kFunction * y->real[to];
    }
  });
  return one(std::move(*y));
}

/// `over` of the windows that a float pool's attributes state.
Outputs over_windows(const Call& call, Outputs (*over)(const Call&, const Window&, const Dims&)) {
  FRIT_TRY(need_float(call, 0));
  const Result<Window> w = window_of(call);
  if (!w) return refused(w.error());
  const Dims dims = out_dims(call, *w);
  if (!count_of(dims)) return call.refuse("its result is too large");
  return over(call, *w, dims);
}

Outputs lp_pool(const Call& call) { return over_windows(call, norm_over); }

// ---- Mean

struct Total {
  double sum = 0.0, size = 0.0, bound = 0.0;
  float sum32 = 0.0f;
};

Total total_of(const RefTensor& x, std::size_t plane, const Taps& taps) {
  Total total;
  for (const std::size_t element : taps.elements) {
    const std::size_t from = plane + element;
    total.sum += x.real[from];
    total.size += std::fabs(x.real[from]);
    total.bound += bound_at(x, from);
    total.sum32 += static_cast<float>(x.real[from]);
  }
  return total;
}

Outputs mean_over(const Call& call, const Window& w, const Dims& dims) {
  const RefTensor& x = call.in(0);
  Result<RefTensor> y = make(call, x.dtype, dims);
  if (!y) return refused(y.error());
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  const auto in_size = static_cast<std::size_t>(w.in[0] * w.in[1] * w.in[2]);
  const auto out_size = static_cast<std::size_t>(w.out[0] * w.out[1] * w.out[2]);
  each_position(w, [&](std::size_t position, const Taps& taps) {
    const auto divisor = static_cast<double>(taps.divisor);
    const double factor = sum_factor(static_cast<std::int64_t>(taps.elements.size()));
    for (std::size_t p = 0; p < static_cast<std::size_t>(w.planes); ++p) {
      const Total total = total_of(x, p * in_size, taps);
      const std::size_t to = p * out_size + position;
      y->real[to] = call.naive() ? static_cast<double>(total.sum32 / static_cast<float>(divisor))
                                 : total.sum / divisor;
      if (!call.bounded()) continue;
      y->bound[to] = (total.bound + factor * total.size) / divisor +
                     kFunction * std::fabs(y->real[to]) + kSubnormal;
    }
  });
  return one(std::move(*y));
}

Outputs average_pool(const Call& call) { return over_windows(call, mean_over); }

// ---- Global pools: one window over everything spatial, any rank from 2 on.

Result<Window> whole_window(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const Dims& dims = call.in(0).dims;
  if (dims.size() < 2) return call.refuse("input " + dims_text(dims) + " has no channel axis");
  Window w;
  w.planes = dims[0] * dims[1];
  for (std::size_t axis = 2; axis < dims.size(); ++axis) w.in[2] *= dims[axis];
  w.kernel = w.in;
  return w;
}

Outputs global_average(const Call& call) {
  const Result<Window> w = whole_window(call);
  if (!w) return refused(w.error());
  Dims dims(call.in(0).dims.size(), 1);
  std::copy_n(call.in(0).dims.begin(), 2, dims.begin());
  return mean_over(call, *w, dims);
}

Outputs global_norm(const Call& call) {
  const Result<Window> w = whole_window(call);
  if (!w) return refused(w.error());
  Dims dims(call.in(0).dims.size(), 1);
  std::copy_n(call.in(0).dims.begin(), 2, dims.begin());
  return norm_over(call, *w, dims);
}

Outputs global_max(const Call& call) {
  const Result<Window> w = whole_window(call);
  if (!w) return refused(w.error());
  Dims dims(call.in(0).dims.size(), 1);
  std::copy_n(call.in(0).dims.begin(), 2, dims.begin());
  return max_over(call, *w, dims);
}

}  // namespace

std::span<const Entry> pool_entries() {
  static constexpr Entry kEntries[] = {
      {"LpPool", 1, 1, lp_pool},
      {"MaxPool", 1, 1, max_pool},
      {"frit.MaxPoolIndices", 1, 1, max_pool_indices},
      {"MaxUnpool", 2, 3, max_unpool},
      {"AveragePool", 1, 1, average_pool},
      {"GlobalAveragePool", 1, 1, global_average},
      {"GlobalLpPool", 1, 1, global_norm},
      {"GlobalMaxPool", 1, 1, global_max},
  };
  return kEntries;
}

}  // namespace frit::ref
