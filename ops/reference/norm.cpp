// BatchNormalization, LayerNormalization and RMSNormalization.
#include <fmt/format.h>

#include <algorithm>

#include "ops/reference/call.h"
#include "ops/reference/rows.h"
#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

// ---- BatchNormalization: y = (x - mean[c]) / sqrt(var[c] + epsilon) * scale[c] + bias[c]

// A kernel may compute a*x + (bias - a*mean) with a folded: about 20 roundings' worth of S in all
// (sqrt and division within 4 ulp each), taken as 24 eps.
constexpr double kBatchNorm = 24.0 * kEps;

struct Channel {
  double scale = 0.0, bias = 0.0, mean = 0.0, var = 0.0;
};

template <class T>
T batch_normalised(T x, const Channel& c, float epsilon) {
  const T deviation = std::sqrt(static_cast<T>(c.var) + static_cast<T>(epsilon));
  return (x - static_cast<T>(c.mean)) / deviation * static_cast<T>(c.scale) +
         static_cast<T>(c.bias);
}

// Errors of the four parameters themselves (a model may compute them) are taken to first order.
double batch_bound(double x, double spread, const Channel& c, const Channel& error, float epsilon) {
  const double inner = c.var + static_cast<double>(epsilon);
  const double factor = c.scale / std::sqrt(inner);
  const double size = std::fabs(factor * x) + std::fabs(factor * c.mean) + std::fabs(c.bias);
  const double relative =
      (c.scale == 0.0 ? 0.0 : error.scale / std::fabs(c.scale)) + 0.5 * error.var / inner;
  const double absolute = c.scale == 0.0 ? error.scale / std::sqrt(inner) : 0.0;
  return std::fabs(factor) * (spread + error.mean) + error.bias + kBatchNorm * size +
         (relative * std::fabs(factor) + absolute) * std::fabs(x - c.mean) + kSubnormal;
}

// By the batch's own mean and variance, which the running ones take in.
Outputs batch_norm_training(const Call& call) {
  Steps steps(call);
  RefTensor wide = call.in(0);
  const DType dtype = wide.dtype;
  if (dtype != DType::kF64)
    wide.dtype = call.in(3).dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  const RefTensor* x = steps.keep(std::move(wide));
  Dims axes;
  for (std::size_t axis = 0; axis < x->dims.size(); ++axis) {
    if (axis != 1) axes.push_back(static_cast<std::int64_t>(axis));
  }
  const RefTensor* list = steps.ints(axes);
  const RefTensor* mean = steps.run("ReduceMean", {x, list});
  const RefTensor* centred = steps.run("Sub", {x, mean});
  const RefTensor* var = steps.run("ReduceMean", {steps.run("Mul", {centred, centred}), list});
  FRIT_TRY(steps.status());
  std::vector<RefTensor> own{*mean, *var};
  for (RefTensor& moment : own) moment.dims = {x->dims[1]};
  const RefTensor* y =
      steps.run("BatchNormalization", {x, &call.in(1), &call.in(2), &own[0], &own[1]},
                {{"epsilon", call.attr("epsilon", 1e-5F)}});
  const auto momentum = static_cast<double>(call.attr("momentum", 0.9F));
  std::vector<const RefTensor*> results{y};
  for (const std::size_t i : {0U, 1U}) {
    RefTensor before = call.in(3 + i);
    before.dtype = x->dtype;
    const RefTensor* kept =
        steps.run("Mul", {steps.keep(std::move(before)), steps.scalar(x->dtype, momentum)});
    const RefTensor* taken = steps.run("Mul", {&own[i], steps.scalar(x->dtype, 1.0 - momentum)});
    results.push_back(steps.run("Add", {kept, taken}));
  }
  Outputs outputs = steps.outputs(results);
  if (!outputs) return outputs;
  outputs->at(0).dtype = dtype;
  for (const std::size_t i : {1U, 2U}) outputs->at(i).dtype = call.in(2 + i).dtype;
  return outputs;
}

Outputs batch_norm(const Call& call) {
  const RefTensor& x = call.in(0);
  if (x.dims.size() < 2) return call.refuse("input " + dims_text(x.dims) + " has no channel axis");
  const bool trains = call.op.opset >= 14 && call.attr("training_mode", std::int64_t{0}) != 0;
  for (std::size_t i = 0; i < 5; ++i) {
    FRIT_TRY(need_float(call, i));
    if (i > 0 && call.in(i).dims != Dims{x.dims[1]}) {
      return call.refuse(fmt::format("input {} is {} but input 0 has {} channels", i,
                                     dims_text(call.in(i).dims), x.dims[1]));
    }
  }
  if (trains) return batch_norm_training(call);
  const float epsilon = call.attr("epsilon", 1e-5f);
  RefTensor y = x;
  if (call.bounded()) y.bound.resize(y.real.size(), 0.0);
  const auto channels = static_cast<std::size_t>(x.dims[1]);
  std::size_t plane = 1;
  for (std::size_t axis = 2; axis < x.dims.size(); ++axis)
    plane *= static_cast<std::size_t>(x.dims[axis]);
  for (std::size_t i = 0; i < y.real.size(); ++i) {
    const std::size_t k = i / plane % channels;
    const Channel c{call.in(1).real[k], call.in(2).real[k], call.in(3).real[k], call.in(4).real[k]};
    if (call.naive()) {
      y.real[i] = static_cast<double>(batch_normalised(static_cast<float>(x.real[i]), c, epsilon));
      continue;
    }
    y.real[i] = batch_normalised(x.real[i], c, epsilon);
    if (!call.bounded()) continue;
    const Channel error{bound_at(call.in(1), k), bound_at(call.in(2), k), bound_at(call.in(3), k),
                        bound_at(call.in(4), k)};
    y.bound[i] = batch_bound(x.real[i], bound_at(x, i), c, error, epsilon);
  }
  return one(std::move(y));
}

// ---- LayerNormalization: (x - mean) / sqrt(var + epsilon) * scale + bias over axes axis…
// RMSNormalization is the same with a mean of 0 (not centred) and no bias.

template <class T>
struct Moments {
  T mean = T(0);
  T inverse = T(0);  ///< 1 / sqrt(var + epsilon)
};

template <class T>
Moments<T> moments_of(const std::vector<T>& row, float epsilon, bool centred) {
  Moments<T> m;
  if (centred) {
    for (const T value : row) m.mean += value;
    m.mean /= static_cast<T>(row.size());
  }
  T var = T(0);
  for (const T value : row) var += (value - m.mean) * (value - m.mean);
  var /= static_cast<T>(row.size());
  m.inverse = T(1) / std::sqrt(var + static_cast<T>(epsilon));
  return m;
}

// Absolute error of the mean and relative error of 1/sqrt(var + epsilon), for two passes. In the
// second the mean's error cancels to first order, because the deviations sum to zero.
struct MomentError {
  double mean = 0.0;
  double inverse = 0.0;
};

MomentError moment_error(const std::vector<double>& row, const std::vector<double>& bound,
                         const Moments<double>& m, float epsilon, bool centred) {
  const auto count = static_cast<double>(row.size());
  const double factor = sum_factor(static_cast<std::int64_t>(row.size()));
  double size = 0.0, carried = 0.0, var = 0.0, var_carried = 0.0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double spread = bound.empty() ? 0.0 : bound[j];
    const double d = std::fabs(row[j] - m.mean);
    size += std::fabs(row[j]);
    carried += spread;
    var += d * d;
    const double d_error = spread + kEps * d;
    var_carried += 2.0 * d * d_error + d_error * d_error + kEps * d * d;
  }
  MomentError error;
  if (centred) error.mean = (carried + factor * size) / count + kFunction * std::fabs(m.mean);
  const double var_error =
      (var_carried + factor * var) / count + error.mean * error.mean + kFunction * var / count;
  const double inner = var / count + static_cast<double>(epsilon);
  const double least = inner - var_error;
  error.inverse = least > 0.0 ? std::sqrt(inner / least) - 1.0 + 2.0 * kFunction : kUnknown;
  return error;
}

// Scale and bias, which broadcast to the input.
struct Affine {
  const RefTensor* tensor = nullptr;
  std::vector<std::size_t> at;  ///< its element for each element of the input
  double value(std::size_t j, double otherwise) const {
    return tensor == nullptr ? otherwise : tensor->real[at[j]];
  }
  double bound(std::size_t j) const { return tensor == nullptr ? 0.0 : bound_at(*tensor, at[j]); }
};

Result<Affine> affine_of(const Call& call, std::size_t i) {
  const Dims& dims = call.in(0).dims;
  Affine affine;
  if (!call.has(i)) return affine;
  FRIT_TRY(need_float(call, i));
  const std::optional<Dims> strides = stretched_strides(call.in(i).dims, dims);
  if (!strides) {
    return call.refuse(fmt::format("input {} is {} but the data are {}", i,
                                   dims_text(call.in(i).dims), dims_text(dims)));
  }
  affine.tensor = &call.in(i);
  walk(dims, std::array<Dims, 1>{*strides},
       [&](std::size_t, const std::array<std::int64_t, 1>& at) {
         affine.at.push_back(static_cast<std::size_t>(at[0]));
       });
  return affine;
}

double element_bound(double d, double spread, const Moments<double>& m, const MomentError& error,
                     double scale, double scale_error, double bias, double bias_error) {
  const double d_error = spread + error.mean + kEps * std::fabs(d);
  const double normal = std::fabs(d) * m.inverse;
  const double normal_error =
      m.inverse * d_error * (1.0 + error.inverse) + normal * (error.inverse + kEps);
  const double product = normal * std::fabs(scale);
  return normal_error * (std::fabs(scale) + scale_error) + normal * scale_error + bias_error +
         2.0 * kEps * (product + std::fabs(bias)) + kTiny;
}

struct LayerNorm {
  Rows rows;
  Affine scale, bias;
  float epsilon = 1e-5f;
  bool centred = true;
  RefTensor y, mean, inverse;
};

template <class T>
void layer_rows(const Call& call, LayerNorm& n) {
  const RefTensor& x = call.in(0);
  std::vector<T> row(n.rows.offset.size());
  std::vector<double> bounds(x.bound.empty() ? 0 : row.size());
  for (std::size_t r = 0; r < n.rows.origin.size(); ++r) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::size_t at = n.rows.origin[r] + n.rows.offset[j];
      row[j] = static_cast<T>(x.real[at]);
      if (!bounds.empty()) bounds[j] = x.bound[at];
    }
    const Moments<T> m = moments_of(row, n.epsilon, n.centred);
    n.mean.real[r] = static_cast<double>(m.mean);
    n.inverse.real[r] = static_cast<double>(m.inverse);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::size_t at = n.rows.origin[r] + n.rows.offset[j];
      const T normal = (row[j] - m.mean) * m.inverse * static_cast<T>(n.scale.value(at, 1.0));
      n.y.real[at] = static_cast<double>(normal + static_cast<T>(n.bias.value(at, 0.0)));
    }
    if constexpr (std::is_same_v<T, double>) {
      if (!call.bounded()) continue;
      const MomentError error = moment_error(row, bounds, m, n.epsilon, n.centred);
      n.mean.bound[r] = error.mean;
      n.inverse.bound[r] = m.inverse * error.inverse;
      for (std::size_t j = 0; j < row.size(); ++j) {
        const std::size_t at = n.rows.origin[r] + n.rows.offset[j];
        n.y.bound[at] = element_bound(row[j] - m.mean, bounds.empty() ? 0.0 : bounds[j], m, error,
                                      n.scale.value(at, 1.0), n.scale.bound(at),
                                      n.bias.value(at, 0.0), n.bias.bound(at));
      }
    }
  }
}

Outputs row_norm(const Call& call, bool centred) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& x = call.in(0);
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{-1}), x.dims.size());
  if (!axis) return refused(axis.error());
  std::vector<std::size_t> axes;
  for (std::size_t a = *axis; a < x.dims.size(); ++a) axes.push_back(a);
  LayerNorm n;
  n.rows = rows_of(x.dims, axes);
  n.epsilon = call.attr("epsilon", 1e-5f);
  n.centred = centred;
  Result<Affine> scale = affine_of(call, 1);
  if (!scale) return refused(scale.error());
  Result<Affine> bias = affine_of(call, 2);
  if (!bias) return refused(bias.error());
  n.scale = std::move(*scale);
  n.bias = std::move(*bias);
  n.y = x;
  n.y.bound.assign(call.bounded() ? x.real.size() : 0, 0.0);
  n.mean.dims = n.inverse.dims = n.rows.kept_ones;
  n.mean.dtype = n.inverse.dtype = DType::kF32;
  for (RefTensor* moments : {&n.mean, &n.inverse}) {
    moments->real.assign(n.rows.origin.size(), 0.0);
    moments->bound.assign(call.bounded() ? n.rows.origin.size() : 0, 0.0);
  }
  if (call.naive()) {
    layer_rows<float>(call, n);
  } else {
    layer_rows<double>(call, n);
  }
  std::vector<RefTensor> outputs;
  outputs.push_back(std::move(n.y));
  if (call.op.outputs.size() > 1) outputs.push_back(std::move(n.mean));
  if (call.op.outputs.size() > 2) outputs.push_back(std::move(n.inverse));
  return outputs;
}

Outputs layer_norm(const Call& call) { return row_norm(call, true); }
Outputs rms_norm(const Call& call) { return row_norm(call, false); }

}  // namespace

std::span<const Entry> norm_entries() {
  static constexpr Entry kEntries[] = {{"BatchNormalization", 5, 5, batch_norm},
                                       {"LayerNormalization", 2, 3, layer_norm},
                                       {"RMSNormalization", 2, 2, rms_norm}};
  return kEntries;
}

}  // namespace frit::ref
