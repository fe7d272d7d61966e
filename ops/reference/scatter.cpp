// Scatter, ScatterElements, ScatterND: updates one after another, in row-major order.
#include <algorithm>
#include <cmath>
#include <string>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

enum class How : std::uint8_t { kSet, kAdd, kMultiply, kGreatest, kLeast };

std::optional<How> how_of(const Call& call) {
  const std::string name = string_attribute(call.op.attributes, "reduction", "none");
  if (name == "none") return How::kSet;
  if (name == "add") return How::kAdd;
  if (name == "mul") return How::kMultiply;
  if (name == "max") return How::kGreatest;
  if (name == "min") return How::kLeast;
  return std::nullopt;
}

std::int64_t combined(DType dtype, How how, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const bool less = dtype == DType::kU64 ? x < y : a < b;
  switch (how) {
    case How::kSet:
      return b;
    case How::kAdd:
      return wrapped(dtype, static_cast<std::int64_t>(x + y));
    case How::kMultiply:
      return wrapped(dtype, static_cast<std::int64_t>(x * y));
    case How::kGreatest:
      return less ? b : a;
    case How::kLeast:
      return less ? a : b;
  }
  return b;
}

double extreme(double a, double b, bool greatest) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
  return greatest ? std::max(a, b) : std::min(a, b);
}

class Scatter {
 public:
  Scatter(const Call& call, How how) : call_(call), how_(how), y_(call.in(0)) {
    const bool bounded = call.bounded() && is_float(y_.dtype);
    if (bounded && y_.bound.empty()) y_.bound.assign(y_.real.size(), 0.0);
  }

  void write(std::int64_t to, std::int64_t from) {
    const RefTensor& updates = call_.in(2);
    const auto t = static_cast<std::size_t>(to), f = static_cast<std::size_t>(from);
    if (y_.real.empty()) {
      y_.integer[t] = combined(y_.dtype, how_, y_.integer[t], updates.integer[f]);
      return;
    }
    const double old = y_.real[t], update = updates.real[f];
    const double old_error = bound_at(y_, t), error = bound_at(updates, f);
    double value = update, bound = error;
    if (how_ == How::kAdd) {
      value = old + update;
      bound = old_error + error + 2.0 * kEps * (std::fabs(old) + std::fabs(update));
    } else if (how_ == How::kMultiply) {
      value = old * update;
      bound = old_error * (std::fabs(update) + error) + std::fabs(old) * error +
              kEps * std::fabs(value);
    } else if (how_ != How::kSet) {
      value = extreme(old, update, how_ == How::kGreatest);
      bound = std::max(old_error, error);
    }
    y_.real[t] = call_.naive() ? static_cast<double>(static_cast<float>(value)) : value;
    if (!y_.bound.empty()) y_.bound[t] = bound;
  }

  Outputs take() { return one(std::move(y_)); }

 private:
  const Call& call_;
  How how_;
  RefTensor y_;
};

std::int64_t position(std::int64_t index, std::int64_t extent) {
  if (index < 0) index = index < -extent ? 0 : index + extent;
  return std::clamp<std::int64_t>(index, 0, extent - 1);
}

Outputs scatter_elements(const Call& call) {
  const Dims& dims = call.in(0).dims;
  const Dims& picked = call.in(2).dims;
  FRIT_TRY(same_dtype(call, 0, 2));
  const auto how = how_of(call);
  if (!how) return call.refuse("its reduction is not known");
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{0}), dims.size());
  if (!axis) return refused(axis.error());
  const Result<Dims> indices = ints_input(call, 1);
  if (!indices) return refused(indices.error());
  if (call.in(1).dims != picked || picked.size() != dims.size()) {
    return call.refuse("its indices, updates and input differ in extents");
  }
  Scatter result(call, *how);
  const Dims strides = dense_strides(dims);
  Dims others = strides;
  others[*axis] = 0;
  walk(picked, std::array<Dims, 1>{others}, [&](std::size_t i, const auto& at) {
    const std::int64_t place = position((*indices)[i], dims[*axis]);
    result.write(at[0] + place * strides[*axis], static_cast<std::int64_t>(i));
  });
  return result.take();
}

Outputs scatter_nd(const Call& call) {
  const Dims& dims = call.in(0).dims;
  const Dims& picked = call.in(1).dims;
  FRIT_TRY(same_dtype(call, 0, 2));
  const auto how = how_of(call);
  if (!how) return call.refuse("its reduction is not known");
  const Result<Dims> indices = ints_input(call, 1);
  if (!indices) return refused(indices.error());
  if (picked.empty() || picked.back() < 1 ||
      picked.back() > static_cast<std::int64_t>(dims.size())) {
    return call.refuse("its indices do not fit its input");
  }
  const std::int64_t tuple = picked.back();
  const Dims strides = dense_strides(dims);
  std::int64_t slice = 1;
  for (auto axis = static_cast<std::size_t>(tuple); axis < dims.size(); ++axis) slice *= dims[axis];
  const std::int64_t count = static_cast<std::int64_t>(indices->size()) / tuple;
  if (count * slice != call.in(2).elements()) return call.refuse("its updates do not fit");
  Scatter result(call, *how);
  for (std::int64_t i = 0; slice > 0 && i < count; ++i) {
    std::int64_t to = 0;
    for (std::int64_t j = 0; j < tuple; ++j) {
      const auto axis = static_cast<std::size_t>(j);
      to +=
          position((*indices)[static_cast<std::size_t>(i * tuple + j)], dims[axis]) * strides[axis];
    }
    for (std::int64_t e = 0; e < slice; ++e) result.write(to + e, i * slice + e);
  }
  return result.take();
}

}  // namespace

std::span<const Entry> scatter_entries() {
  static constexpr Entry kEntries[] = {{"Scatter", 3, 3, scatter_elements},
                                       {"ScatterElements", 3, 3, scatter_elements},
                                       {"ScatterND", 3, 3, scatter_nd}};
  return kEntries;
}

}  // namespace frit::ref
