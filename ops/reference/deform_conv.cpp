// DeformConv and the columns that it is expanded into.
//
// Error model: as GridSample's: positions err by a few eps of their size, and bilinear samples have
// a slope of at most twice the largest element.
#include <fmt/format.h>

#include <algorithm>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

struct Window {
  Dims kernel, strides, pads, dilations;
  std::int64_t offset_groups = 1;
};

struct Value {
  double value = 0.0, bound = 0.0;
};

Result<Window> window_of(const Call& call, const Dims& kernel) {
  const AttributeMap& attributes = call.op.attributes;
  Window w;
  w.kernel = ints_attribute(attributes, "kernel_shape", kernel);
  w.strides = ints_attribute(attributes, "strides", {1, 1});
  w.pads = ints_attribute(attributes, "pads", {0, 0, 0, 0});
  w.dilations = ints_attribute(attributes, "dilations", {1, 1});
  w.offset_groups = call.attr("offset_group", std::int64_t{1});
  FRIT_TRY(check_list(call, "kernel_shape", w.kernel, 2, 1));
  FRIT_TRY(check_list(call, "strides", w.strides, 2, 1));
  FRIT_TRY(check_list(call, "pads", w.pads, 4, 0));
  FRIT_TRY(check_list(call, "dilations", w.dilations, 2, 1));
  if (call.in(0).dims.size() != 4 || w.offset_groups < 1 ||
      call.in(0).dims[1] % w.offset_groups != 0) {
    return call.refuse("the shape of its input");
  }
  return w;
}

// The columns [n, c, tap, y, x] of x by offsets and, unless nullptr, a mask.
class Columns {
 public:
  Columns(const Call& call, const Window& w, const RefTensor& offset, const RefTensor* mask)
      : w_(w), x_(call.in(0)), offset_(offset), mask_(mask) {
    for (const double value : x_.real) {
      if (std::isfinite(value)) largest_ = std::max(largest_, std::fabs(value));
    }
  }

  Dims dims() const {
    return {x_.dims[0], x_.dims[1], w_.kernel[0] * w_.kernel[1], offset_.dims[2], offset_.dims[3]};
  }

  Value at(std::int64_t n, std::int64_t c, std::int64_t tap, std::int64_t y, std::int64_t x) const {
    const std::int64_t group = c / (x_.dims[1] / w_.offset_groups);
    const std::int64_t taps = w_.kernel[0] * w_.kernel[1];
    const std::int64_t slot = group * taps + tap;
    const std::array<std::int64_t, 2> out{y, x}, r{tap / w_.kernel[1], tap % w_.kernel[1]};
    std::array<double, 2> position{};
    double error = 0.0;
    for (std::size_t a = 0; a < 2; ++a) {
      const auto moved = index(offset_, n, slot * 2 + static_cast<std::int64_t>(a), y, x);
      const auto base =
          static_cast<double>(out[a] * w_.strides[a] + r[a] * w_.dilations[a] - w_.pads[a]);
      position[a] = base + offset_.real[moved];
      error += bound_at(offset_, moved) + 4.0 * kEps * (std::fabs(base) + std::fabs(position[a]));
    }
    Value sample = sampled(n, c, position);
    sample.bound += 2.0 * largest_ * error;
    if (mask_ == nullptr) return sample;
    const auto m = index(*mask_, n, slot, y, x);
    const double factor = mask_->real[m];
    return {sample.value * factor,
            sample.bound * std::fabs(factor) +
                (std::fabs(sample.value) + sample.bound) * (bound_at(*mask_, m) + kEps)};
  }

 private:
  static std::size_t index(const RefTensor& t, std::int64_t n, std::int64_t c, std::int64_t y,
                           std::int64_t x) {
    return static_cast<std::size_t>(((n * t.dims[1] + c) * t.dims[2] + y) * t.dims[3] + x);
  }

  Value sampled(std::int64_t n, std::int64_t c, const std::array<double, 2>& position) const {
    const auto below = [](double at) { return std::isnan(at) ? 0.0 : std::floor(at); };
    const double top = below(position[0]), left = below(position[1]);
    Value sum;
    double size = 0.0;
    for (const int dy : {0, 1}) {
      for (const int dx : {0, 1}) {
        const double row = top + dy, column = left + dx;
        if (!(row >= 0 && row < static_cast<double>(x_.dims[2]) && column >= 0 &&
              column < static_cast<double>(x_.dims[3]))) {
          continue;
        }
        const double weight =
            (1.0 - std::fabs(position[0] - row)) * (1.0 - std::fabs(position[1] - column));
        const auto from =
            index(x_, n, c, static_cast<std::int64_t>(row), static_cast<std::int64_t>(column));
        sum.value += weight * x_.real[from];
        size += std::fabs(weight * x_.real[from]);
        sum.bound += weight * bound_at(x_, from);
      }
    }
    sum.bound += 8.0 * kEps * size;
    return sum;
  }

  const Window& w_;
  const RefTensor& x_;
  const RefTensor& offset_;
  const RefTensor* mask_;
  double largest_ = 0.0;
};

Outputs deform_columns(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const auto w = window_of(call, {});
  if (!w) return tl::unexpected<Diagnostic>(w.error());
  const Columns columns(call, *w, call.in(1), call.has(2) ? &call.in(2) : nullptr);
  const Dims dims = columns.dims();
  Result<RefTensor> y = make(call, call.in(0).dtype, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  std::size_t to = 0;
  for (std::int64_t n = 0; n < dims[0]; ++n) {
    for (std::int64_t c = 0; c < dims[1]; ++c) {
      for (std::int64_t tap = 0; tap < dims[2]; ++tap) {
        for (std::int64_t row = 0; row < dims[3]; ++row) {
          for (std::int64_t column = 0; column < dims[4]; ++column, ++to) {
            const Value value = columns.at(n, c, tap, row, column);
            y->real[to] = value.value;
            if (call.bounded()) y->bound[to] = value.bound;
          }
        }
      }
    }
  }
  return one(std::move(*y));
}

// One element of the result.
Value convolved(const Call& call, const Columns& columns, std::int64_t n, std::int64_t k,
                std::int64_t row, std::int64_t column) {
  const RefTensor& w = call.in(1);
  const std::int64_t groups = call.attr("group", std::int64_t{1});
  const std::int64_t group = k / (w.dims[0] / groups), taps = w.dims[2] * w.dims[3];
  Value sum;
  double size = 0.0;
  float narrow = 0.0F;
  for (std::int64_t c = 0; c < w.dims[1]; ++c) {
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const Value x = columns.at(n, group * w.dims[1] + c, tap, row, column);
      const auto at = static_cast<std::size_t>((k * w.dims[1] + c) * taps + tap);
      sum.value += x.value * w.real[at];
      narrow += static_cast<float>(x.value) * static_cast<float>(w.real[at]);
      size += std::fabs(x.value * w.real[at]);
      sum.bound += x.bound * (std::fabs(w.real[at]) + bound_at(w, at)) +
                   std::fabs(x.value) * bound_at(w, at);
    }
  }
  if (call.has(3)) {
    const auto at = static_cast<std::size_t>(k);
    sum.value += call.in(3).real[at];
    narrow += static_cast<float>(call.in(3).real[at]);
    size += std::fabs(call.in(3).real[at]);
    sum.bound += bound_at(call.in(3), at);
  }
  sum.bound += (sum_factor(w.dims[1] * taps + 1) + 2.0 * kEps) * size;
  if (call.naive()) sum.value = static_cast<double>(narrow);
  return sum;
}

Outputs deform_conv(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& w = call.in(1);
  const std::int64_t groups = call.attr("group", std::int64_t{1});
  if (w.dims.size() != 4 || groups < 1 || w.dims[0] % groups != 0) {
    return call.refuse("the shape of its weights");
  }
  const auto window = window_of(call, {w.dims[2], w.dims[3]});
  if (!window) return tl::unexpected<Diagnostic>(window.error());
  const Columns columns(call, *window, call.in(2), call.has(4) ? &call.in(4) : nullptr);
  const Dims dims = {call.in(0).dims[0], w.dims[0], columns.dims()[3], columns.dims()[4]};
  Result<RefTensor> y = make(call, call.in(0).dtype, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  std::size_t to = 0;
  for (std::int64_t n = 0; n < dims[0]; ++n) {
    for (std::int64_t k = 0; k < dims[1]; ++k) {
      for (std::int64_t row = 0; row < dims[2]; ++row) {
        for (std::int64_t column = 0; column < dims[3]; ++column, ++to) {
          const Value value = convolved(call, columns, n, k, row, column);
          y->real[to] = value.value;
          if (call.bounded()) y->bound[to] = value.bound;
        }
      }
    }
  }
  return one(std::move(*y));
}

constexpr Entry kEntries[] = {{"DeformConv", 3, 5, deform_conv},
                              {"frit.DeformColumns", 2, 3, deform_columns}};

}  // namespace

std::span<const Entry> deform_conv_entries() { return kEntries; }

}  // namespace frit::ref
