#include "ops/matmul.h"

#include <fmt/format.h>

#include <array>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using Ints = std::vector<std::int64_t>;

/// Extents of a product; m or n is -1 where its operand has rank 1.
struct Product {
  Ints batch_a, batch_b, batch;
  std::int64_t m = -1, n = -1, k = 0, k_of_b = 0;

  std::int64_t batches() const {
    std::int64_t product = 1;
    for (const std::int64_t extent : batch) product *= extent;
    return product;
  }
  Ints out() const {
    Ints dims = batch;
    if (m >= 0) dims.push_back(m);
    if (n >= 0) dims.push_back(n);
    return dims;
  }
  /// Output axis that schedules know as "m". All rows meet the same right-hand side if that has no
  /// batch; then they are interchangeable, and where m is too short to fill a tile the longest
  /// batch axis is m (tokens of [tokens,1,width] times [width,width]).
  std::size_t row_axis() const {
    constexpr std::int64_t kTileRows = 8;
    std::size_t row = batch.size();
    if (!batch_b.empty() || n < 0 || m < 0 || m >= kTileRows) return row;
    std::int64_t longest = m;
    for (std::size_t axis = 0; axis < batch.size(); ++axis) {
      if (batch[axis] <= longest) continue;
      longest = batch[axis];
      row = axis;
    }
    return row;
  }
};

Result<Product> product_of(const OpInstance& op) {
  const Ints a = op.input(0).dims(), b = op.input(1).dims();
  const auto mismatch = [&](const std::string& why) {
    return fail("onnx-shape",
                fmt::format("{}: {} times {} {}; correct the model or pass --shape", label(op),
                            to_text(op.input(0)), to_text(op.input(1)), why));
  };
  if (a.empty() || b.empty())
    return mismatch("has an operand of rank 0, which has no axis to sum over");
  Product product;
  product.k = a.back();
  if (a.size() > 1) {
    product.m = a[a.size() - 2];
    product.batch_a.assign(a.begin(), a.end() - 2);
  }
  product.k_of_b = b.size() > 1 ? b[b.size() - 2] : b[0];
  if (b.size() > 1) {
    product.n = b.back();
    product.batch_b.assign(b.begin(), b.end() - 2);
  }
  if (product.k != product.k_of_b) {
    return mismatch(
        fmt::format("sums over {} on the left but {} on the right", product.k, product.k_of_b));
  }
  auto batch = broadcast_dims(product.batch_a, product.batch_b);
  if (!batch) {
    return mismatch(fmt::format("has batches {} and {}, which do not broadcast",
                                dims_text(product.batch_a), dims_text(product.batch_b)));
  }
  product.batch = *std::move(batch);
  return product;
}

Product checked_product(const OpInstance& op) {
  auto product = product_of(op);
  FRIT_ASSERT(product.has_value(), "a product that infer accepted");
  return *std::move(product);
}

/// Index of an operand's batch axes for the output's batch index: broadcast axes read element 0.
Index batch_index(const Index& out, std::size_t out_rank, const Ints& own) {
  Index index;
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    index.push_back(own[axis] == 1 ? Expr(0) : out[out_rank - own.size() + axis]);
  }
  return index;
}

class MatMul final : public Operator {
 public:
  std::string_view type() const override { return "MatMul"; }
  std::string_view formula() const override {
    return "out[b,m,n] = sum_k a[b,m,k] * b[b,k,n], leading axes broadcast; rank 1: a row, a "
           "column";
  }
  const Attributes& attributes() const override { return no_attributes(); }
  OpKind kind(const OpInstance&) const override { return OpKind::kReduction; }
  std::string anchor(const OpInstance&) const override { return "matmul"; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "its left operand", product_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    FRIT_TRY(check_constant_shape(op, 0, "its left operand"));
    FRIT_TRY(check_constant_shape(op, 1, "its right operand"));
    auto product = product_of(op);
    if (!product) return fail(std::move(product).error());
    FRIT_TRY(check_size(op, product->out()));
    return std::vector{TensorType(op.input(0).dtype, product->out())};
  }

  std::vector<std::string> axis_names(const OpInstance& op) const override {
    const Product product = checked_product(op);
    std::vector<std::string> names;
    for (std::size_t axis = 0; axis < product.batch.size(); ++axis)
      names.push_back(fmt::format("b{}", axis));
    if (product.m >= 0) names.push_back("m");
    if (product.n >= 0) names.push_back("n");
    const std::size_t row = product.row_axis();
    if (row < product.batch.size()) std::swap(names[row], names[product.batch.size()]);
    return names;
  }

  Facts facts(const OpInstance& op) const override {
    const Product product = checked_product(op);
    Facts facts = Operator::facts(op);
    const std::size_t row = product.row_axis();
    const std::int64_t own_m = product.m < 0 ? 1 : product.m;
    const std::int64_t m = row < product.batch.size() ? product.batch[row] : own_m;
    facts["m"] = m;
    facts["n"] = product.n < 0 ? 1 : product.n;
    facts["k"] = product.k;
    facts["batch"] = m == own_m ? product.batches() : product.batches() / m * own_m;
    facts["rank"] = op.outputs.at(0).rank();
    return facts;
  }

  std::vector<std::string> constant_axes(const OpInstance& op, std::size_t input) const override {
    if (constant_role(op, input) == "w") return {"k", "n"};
    return Operator::constant_axes(op, input);
  }

  std::string constant_role(const OpInstance& op, std::size_t input) const override {
    return input == 1 && op.input(1).rank() == 2 ? "w" : "";
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Product product = checked_product(op);
    const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
    const Halide::Type sum_type = compute_type(result_type);
    Stage& acc = stages.stage("acc");
    acc() = Halide::Internal::make_zero(sum_type);
    reduction_domain({"k"}, {product.k}, acc.reduction);
    const Expr k = acc.reduction.at("k");

    const Index out = stages.index();
    const std::size_t batch_rank = product.batch.size();
    Index a_at = batch_index(out, batch_rank, product.batch_a);
    Index b_at = batch_index(out, batch_rank, product.batch_b);
    if (product.m >= 0) a_at.push_back(out[batch_rank]);
    a_at.push_back(k);
    b_at.push_back(k);
    if (product.n >= 0) b_at.push_back(out.back());
    acc() += cast(sum_type, operands[0].at(a_at)) * cast(sum_type, operands[1].at(b_at));
    if (sum_type != result_type) {
      const Expr sum = acc();
      stages.stage("narrow")() = cast(result_type, sum);
    }
  }

  Counts counts(const OpInstance& op) const override {
    Counts counts;
    counts.flop = 2 * op.outputs.at(0).elements() * checked_product(op).k;
    return counts;
  }
};

}  // namespace

std::span<const DType> product_types() {
  static constexpr std::array kTypes = {DType::kF16, DType::kBF16, DType::kF32, DType::kF64,
                                        DType::kI32, DType::kI64,  DType::kU32, DType::kU64};
  return kTypes;
}

void add_matmul(std::vector<const Operator*>& all) {
  static const MatMul matmul;
  all.push_back(&matmul);
}

}  // namespace frit
