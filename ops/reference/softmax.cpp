// Softmax and LogSoftmax.
//
// Opset <= 12 flattens at `axis` and normalises over all axes from there on; later ones over `axis`
// alone. The canonical attribute `axes` names them and overrides both.
#include <algorithm>
#include <numeric>

#include "ops/reference/call.h"
#include "ops/reference/rows.h"

namespace frit::ref {
namespace {

Result<std::vector<std::size_t>> normalised_axes(const Call& call) {
  const std::size_t rank = call.in(0).dims.size();
  const Dims listed = ints_attribute(call.op.attributes, "axes", {});
  if (!listed.empty()) return axes_of(call, listed, rank);
  const bool coerced = call.op.opset <= 12;
  const std::int64_t given = call.attr("axis", std::int64_t{coerced ? 1 : -1});
  if (coerced && given == static_cast<std::int64_t>(rank)) return std::vector<std::size_t>{};
  const Result<std::size_t> axis = axis_of(call, given, rank);
  if (!axis) return tl::unexpected<Diagnostic>(axis.error());
  std::vector<std::size_t> axes{*axis};
  if (coerced) {
    for (std::size_t next = *axis + 1; next < rank; ++next) axes.push_back(next);
  }
  return axes;
}

// One row: shifted by its maximum, so that no exp overflows. A NaN or +inf makes the row NaN.
template <class T>
void normalise(std::vector<T>& row, bool log) {
  T most = -std::numeric_limits<T>::infinity();
  for (const T value : row) most = value > most || std::isnan(value) ? value : most;
  T sum = T(0);
  for (T& value : row) {
    value -= most;
    sum += std::exp(value);
  }
  const T log_sum = std::log(sum);
  for (T& value : row) value = log ? value - log_sum : std::exp(value) / sum;
}

// Relative error of each exp(x - max), and of their sum with it: the input's own error, the
// rounding of the difference, 4 ulp, and for an online maximum one rescaling more.
struct RowError {
  std::vector<double> term;
  double sum = 0.0;
};

RowError row_error(const std::vector<double>& x, const std::vector<double>& bound) {
  const double most = *std::max_element(x.begin(), x.end());
  const double widest = bound.empty() ? 0.0 : *std::max_element(bound.begin(), bound.end());
  RowError error;
  double total = 0.0;
  double weighted = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double gap = most - x[j];
    const double exact = std::exp(-gap);
    // an exp of -inf is exactly 0
    const double own = exact == 0.0 ? 0.0 : 2.0 * kFunction + kEps * gap;
    error.term.push_back(own + (bound.empty() ? 0.0 : bound[j]));
    total += exact;
    weighted += exact * own;
  }
  error.sum = weighted / total + widest + sum_factor(static_cast<std::int64_t>(x.size()));
  return error;
}

double row_bound(bool log, double y, double term, double sum) {
  if (log) return term + sum + 2.0 * kFunction * std::fabs(y) + kTiny;
  return y * (std::expm1(term + sum) + kFunction) + kTiny;
}

template <class T>
void normalise_all(const Call& call, const Rows& rows, bool log, RefTensor& y) {
  const RefTensor& x = call.in(0);
  std::vector<T> row(rows.offset.size());
  std::vector<double> values(row.size());
  std::vector<double> bounds(x.bound.empty() ? 0 : row.size());
  for (const std::size_t origin : rows.origin) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::size_t at = origin + rows.offset[j];
      values[j] = x.real[at];
      row[j] = static_cast<T>(x.real[at]);
      if (!bounds.empty()) bounds[j] = x.bound[at];
    }
    normalise(row, log);
    for (std::size_t j = 0; j < row.size(); ++j) {
      y.real[origin + rows.offset[j]] = static_cast<double>(row[j]);
    }
    if (!call.bounded() || row.empty()) continue;
    const RowError error = row_error(values, bounds);
    for (std::size_t j = 0; j < row.size(); ++j) {
      y.bound[origin + rows.offset[j]] =
          row_bound(log, static_cast<double>(row[j]), error.term[j], error.sum);
    }
  }
}

Outputs softmax(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const auto axes = normalised_axes(call);
  if (!axes) return tl::unexpected<Diagnostic>(axes.error());
  const Rows rows = rows_of(call.in(0).dims, *axes);
  RefTensor y = call.in(0);
  y.bound.assign(call.bounded() ? y.real.size() : 0, 0.0);
  const bool log = call.op.type == "LogSoftmax";
  if (call.naive()) {
    normalise_all<float>(call, rows, log, y);
  } else {
    normalise_all<double>(call, rows, log, y);
  }
  return one(std::move(y));
}

}  // namespace

std::span<const Entry> softmax_entries() {
  static constexpr Entry kEntries[] = {{"Softmax", 1, 1, softmax}, {"LogSoftmax", 1, 1, softmax}};
  return kEntries;
}

}  // namespace frit::ref
