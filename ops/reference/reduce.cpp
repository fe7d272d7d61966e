// Reduce*: axes by attribute or input, none meaning all (or, with noop_with_empty_axes, nothing).
//
// Over nothing: sum 0, product 1, maximum -inf, minimum +inf, mean NaN; integers give the identity
// of their type's range.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ops/reference/call.h"
#include "ops/reference/rows.h"

namespace frit::ref {
namespace {

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

// One element under reduction.
struct Item {
  double value = 0.0;
  double bound = 0.0;
};
using Row = std::vector<Item>;

double row_sum(const Row& row) {
  double sum = 0.0;
  for (const Item& item : row) sum += item.value;
  return sum;
}

// Errors of a sum: those of its terms and 4 eps sqrt(n) S.
double sum_bound(const Row& row) {
  double size = 0.0;
  double bound = 0.0;
  for (const Item& item : row) {
    size += std::fabs(item.value);
    bound += item.bound;
  }
  return bound + sum_factor(static_cast<std::int64_t>(row.size())) * size;
}

template <class F>
Row mapped(const Row& row, F f) {
  Row result;
  result.reserve(row.size());
  for (const Item& item : row) result.push_back(f(item));
  return result;
}

Item absolute(Item item) { return {std::fabs(item.value), item.bound}; }
Item square(Item item) {
  const double y = item.value * item.value;
  return {y, 2.0 * std::fabs(item.value) * item.bound + item.bound * item.bound + kEps * y};
}

// Each rule: the value in double, in float (running result rounded), and the error.
struct Sum {
  static double value(const Row& row) { return row_sum(row); }
  static float value32(const std::vector<float>& row) {
    return std::accumulate(row.begin(), row.end(), 0.0f);
  }
  static double error(const Row& row, double) { return sum_bound(row); }
};
struct Mean {
  static double value(const Row& row) { return row_sum(row) / static_cast<double>(row.size()); }
  static float value32(const std::vector<float>& row) {
    return Sum::value32(row) / static_cast<float>(row.size());
  }
  static double error(const Row& row, double y) {
    return sum_bound(row) / static_cast<double>(row.size()) + kFunction * std::fabs(y) + kSubnormal;
  }
};
struct Max {
  static double value(const Row& row) {
    double best = -kUnknown;
    for (const Item& item : row)
      best = item.value > best || std::isnan(item.value) ? item.value : best;
    return best;
  }
  static float value32(const std::vector<float>& row) {
    float best = -std::numeric_limits<float>::infinity();
    for (const float item : row) best = item > best || std::isnan(item) ? item : best;
    return best;
  }
  static double error(const Row& row, double) {
    double bound = 0.0;
    for (const Item& item : row) bound = std::max(bound, item.bound);
    return bound;
  }
};
struct Min {
  static double value(const Row& row) {
    return -Max::value(mapped(row, [](Item item) { return Item{-item.value, item.bound}; }));
  }
  static float value32(const std::vector<float>& row) {
    float best = std::numeric_limits<float>::infinity();
    for (const float item : row) best = item < best || std::isnan(item) ? item : best;
    return best;
  }
  static double error(const Row& row, double y) { return Max::error(row, y); }
};
struct Prod {
  static double value(const Row& row) {
    double product = 1.0;
    for (const Item& item : row) product *= item.value;
    return product;
  }
  static float value32(const std::vector<float>& row) {
    float product = 1.0f;
    for (const float item : row) product *= item;
    return product;
  }
  static double error(const Row& row, double y) {
    double outer = 1.0;
    for (const Item& item : row) outer *= std::fabs(item.value) + item.bound;
    return outer - std::fabs(y) + kEps * static_cast<double>(row.size()) * outer + kTiny;
  }
};
struct L1 {
  static double value(const Row& row) { return row_sum(mapped(row, absolute)); }
  static float value32(const std::vector<float>& row) {
    float sum = 0.0f;
    for (const float item : row) sum += std::fabs(item);
    return sum;
  }
  static double error(const Row& row, double) { return sum_bound(mapped(row, absolute)); }
};
struct SumSquare {
  static double value(const Row& row) { return row_sum(mapped(row, square)); }
  static float value32(const std::vector<float>& row) {
    float sum = 0.0f;
    for (const float item : row) sum += item * item;
    return sum;
  }
  static double error(const Row& row, double) {
    return sum_bound(mapped(row, square)) + kSubnormal;
  }
};
// Error of f(s) where s >= 0 is a sum with error e and f is increasing.
template <class F>
double through(F f, double s, double e) {
  const double y = f(s);
  return std::max(std::fabs(f(s + e) - y), std::fabs(f(std::max(s - e, 0.0)) - y));
}
struct L2 {
  static double value(const Row& row) { return std::sqrt(SumSquare::value(row)); }
  static float value32(const std::vector<float>& row) { return std::sqrt(SumSquare::value32(row)); }
  static double error(const Row& row, double y) {
    const auto root = [](double s) { return std::sqrt(s); };
    return through(root, SumSquare::value(row), SumSquare::error(row, 0.0)) + kFunction * y + kTiny;
  }
};
struct LogSum {
  static double value(const Row& row) { return std::log(row_sum(row)); }
  static float value32(const std::vector<float>& row) { return std::log(Sum::value32(row)); }
  static double error(const Row& row, double y) {
    const auto log = [](double s) { return std::log(s); };
    const double sum = row_sum(row), bound = sum_bound(row);
    if (bound > 0.0 && std::fabs(sum) <= bound) return kDoubtful;
    return through(log, sum, bound) + kFunction * std::fabs(y) + kTiny;
  }
};
// max + log(sum(exp(x - max))); the terms err by 4 ulp and by the rounding of x - max.
struct LogSumExp {
  static double value(const Row& row) {
    const double most = Max::value(row);
    if (!std::isfinite(most)) return most;
    double sum = 0.0;
    for (const Item& item : row) sum += std::exp(item.value - most);
    return most + std::log(sum);
  }
  static float value32(const std::vector<float>& row) {
    const float most = Max::value32(row);
    if (!std::isfinite(most)) return most;
    float sum = 0.0f;
    for (const float item : row) sum += std::exp(item - most);
    return most + std::log(sum);
  }
  static double error(const Row& row, double y) {
    const double most = Max::value(row);
    double widest = 0.0;
    for (const Item& item : row)
      widest = std::max(widest, (most - item.value) * std::exp(item.value - most));
    const double relative = sum_factor(static_cast<std::int64_t>(row.size())) + kFunction +
                            kEps * widest * static_cast<double>(row.size());
    return Max::error(row, y) + relative +
           (kFunction + kEps) * (std::fabs(y) + std::fabs(y - most)) + kTiny;
  }
};

// Integers, exact.
std::int64_t reduced(std::string_view type, DType dtype, const std::vector<std::int64_t>& row) {
  const auto add = [](std::uint64_t a, std::int64_t b) {
    return a + static_cast<std::uint64_t>(b);
  };
  const auto sum =
      static_cast<std::int64_t>(std::accumulate(row.begin(), row.end(), std::uint64_t{0}, add));
  if (type == "ReduceSum") return sum;
  if (type == "ReduceMean") {
    return row.empty() ? 0 : sum / static_cast<std::int64_t>(row.size());
  }
  if (type == "ReduceMax" || type == "ReduceMin") {
    const bool most = type == "ReduceMax";
    const int bits = 8 * size_bytes(dtype);
    const bool is_unsigned = dtype == DType::kU8 || dtype == DType::kU16 || dtype == DType::kU32 ||
                             dtype == DType::kU64 || dtype == DType::kBool;
    const std::int64_t top =
        dtype == DType::kBool ? 1
        : dtype == DType::kU64
            ? -1
            : static_cast<std::int64_t>((std::uint64_t{1} << (is_unsigned ? bits : bits - 1)) - 1);
    const std::int64_t bottom = is_unsigned ? 0 : -top - 1;
    std::int64_t best = most ? bottom : top;
    for (const std::int64_t item : row) {
      const bool smaller = dtype == DType::kU64
                               ? static_cast<std::uint64_t>(best) < static_cast<std::uint64_t>(item)
                               : best < item;
      if (smaller == most && best != item) best = item;
    }
    return best;
  }
  std::uint64_t result = type == "ReduceProd" ? 1 : 0;
  for (const std::int64_t item : row) {
    const auto bits = static_cast<std::uint64_t>(item);
    if (type == "ReduceProd") result *= bits;
    if (type == "ReduceL1") result += item < 0 ? 0 - bits : bits;
    if (type == "ReduceSumSquare" || type == "ReduceL2") result += bits * bits;
  }
  if (type == "ReduceL2") {
    return static_cast<std::int64_t>(std::sqrt(static_cast<double>(result)));
  }
  return static_cast<std::int64_t>(result);
}

struct Shape {
  Rows rows;
  Dims dims;  ///< of the result
};

Result<Shape> shape_of(const Call& call) {
  const Dims& dims = call.in(0).dims;
  const auto listed = ints_parameter(call, "axes", 1);
  if (!listed) return tl::unexpected<Diagnostic>(listed.error());
  Dims wanted = *listed ? **listed : Dims{};
  // an empty list reduces everything, unless the node says that it reduces nothing
  const bool nothing = call.attr("noop_with_empty_axes", std::int64_t{0}) != 0;
  if (wanted.empty() && !nothing) {
    wanted.resize(dims.size());
    std::iota(wanted.begin(), wanted.end(), 0);
  }
  const auto axes = axes_of(call, wanted, dims.size());
  if (!axes) return tl::unexpected<Diagnostic>(axes.error());
  Shape shape{rows_of(dims, *axes), {}};
  const bool keep = call.attr("keepdims", std::int64_t{1}) != 0;
  shape.dims = keep ? shape.rows.kept_ones : shape.rows.kept;
  return shape;
}

template <class Rule>
void reduce_rows(const Call& call, const Rows& rows, RefTensor& y) {
  const RefTensor& x = call.in(0);
  Row row(rows.offset.size());
  std::vector<float> row32(rows.offset.size());
  if (call.bounded()) y.bound.assign(y.real.size(), 0.0);
  for (std::size_t r = 0; r < rows.origin.size(); ++r) {
    if (call.naive()) {
      for (std::size_t j = 0; j < row32.size(); ++j) {
        row32[j] = static_cast<float>(x.real[rows.origin[r] + rows.offset[j]]);
      }
      y.real[r] = static_cast<double>(Rule::value32(row32));
      continue;
    }
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::size_t at = rows.origin[r] + rows.offset[j];
      row[j] = {x.real[at], bound_at(x, at)};
    }
    y.real[r] = Rule::value(row);
    if (call.bounded()) y.bound[r] = Rule::error(row, y.real[r]);
  }
}

template <class Rule>
Outputs reduce(const Call& call) {
  const Result<Shape> shape = shape_of(call);
  if (!shape) return refused(shape.error());
  const RefTensor& x = call.in(0);
  Result<RefTensor> y = make(call, x.dtype, shape->dims);
  if (!y) return refused(y.error());
  const Rows& rows = shape->rows;
  if (is_float(x.dtype)) {
    reduce_rows<Rule>(call, rows, *y);
    return one(std::move(*y));
  }
  if (call.op.type == "ReduceLogSum" || call.op.type == "ReduceLogSumExp") {
    return call.refuse("takes a logarithm of integers");
  }
  std::vector<std::int64_t> row(rows.offset.size());
  if (!x.bound.empty()) y->bound.assign(y->integer.size(), kUnknown);
  for (std::size_t r = 0; r < rows.origin.size(); ++r) {
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = x.integer[rows.origin[r] + rows.offset[j]];
    y->integer[r] = wrapped(x.dtype, reduced(call.op.type, x.dtype, row));
  }
  return one(std::move(*y));
}

}  // namespace

std::span<const Entry> reduce_entries() {
  static constexpr Entry kEntries[] = {
      {"ReduceSum", 1, 2, reduce<Sum>},       {"ReduceMean", 1, 2, reduce<Mean>},
      {"ReduceMax", 1, 2, reduce<Max>},       {"ReduceMin", 1, 2, reduce<Min>},
      {"ReduceProd", 1, 2, reduce<Prod>},     {"ReduceL1", 1, 2, reduce<L1>},
      {"ReduceL2", 1, 2, reduce<L2>},         {"ReduceSumSquare", 1, 2, reduce<SumSquare>},
      {"ReduceLogSum", 1, 2, reduce<LogSum>}, {"ReduceLogSumExp", 1, 2, reduce<LogSumExp>},
  };
  return kEntries;
}

}  // namespace frit::ref
