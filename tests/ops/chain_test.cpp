// Operators inlined into each other, as the composer fuses them: what one makes, NaN and infinities
// among it, must reach the next whatever the compiler believes of the arithmetic between.
#include <gtest/gtest.h>

#include <limits>

#include "ops/halide_type.h"
#include "ops/reference/reference.h"
#include "tests/support/op_harness.h"

namespace frit::test {
namespace {

const float kNaN = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();
using Ints = std::vector<std::int64_t>;

/// Nodes in order; each reads the one before as input `hole` (whose value is absent).
struct Link {
  OpCase node;
  std::size_t hole = 0;
};

OpInstance prepared(const Link& link, const std::optional<TensorType>& before) {
  OpInstance op = link.node.op;
  if (before) op.inputs[link.hole] = *before;
  const Operator* rule = find_operator("", op.type);
  auto outputs = rule->infer(op);
  if (!outputs) throw InternalError(to_text(outputs.error()));
  op.outputs = *outputs;
  if (Status done = rule->canonicalise(op); !done) throw InternalError(to_text(done.error()));
  return op;
}

Tensor run_chain(const std::vector<Link>& chain, bool vectorised) {
  std::vector<std::unique_ptr<StageBuilder>> builders;
  std::optional<Operand> before;
  TensorType type;
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const OpInstance op = prepared(chain[k], before ? std::optional(before->type) : std::nullopt);
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const auto& value = chain[k].node.values[i];
      operands.push_back(value ? operand_of(*value) : before ? *before : Operand());
    }
    type = op.outputs[0];
    std::vector<Halide::Var> axes;
    std::vector<int> order;
    for (int axis = 0; axis < type.rank(); ++axis) {
      axes.emplace_back("d" + std::to_string(axis));
      order.insert(order.begin(), axis);
    }
    const std::string prefix = "epi_" + std::to_string(k);
    builders.push_back(std::make_unique<StageBuilder>(axes, order, type.dims(), prefix, ""));
    find_operator("", op.type)->build(op, operands, *builders.back());
    const Stage* last = builders.back()->stages().back().get();
    before = Operand{.type = type,
                     .at = [last](const Index& at) -> Halide::Expr { return (*last)(at); },
                     .halo_low = {},
                     .halo_high = {},
                     .halo_fill = 0};
  }
  Stage& last = *builders.back()->stages().back();
  if (vectorised) last.func.vectorize(last.axes.back(), 4, Halide::TailStrategy::GuardWithIf);
  std::vector<int> sizes;
  for (const int axis : last.order) {
    sizes.push_back(static_cast<int>(type.dims()[static_cast<std::size_t>(axis)]));
  }
  const Halide::Buffer<float> result = last.func.realize(sizes);
  const auto count = static_cast<std::size_t>(type.elements());
  return Tensor::f32(type.dims(), {result.data(), result.data() + count});
}

std::vector<double> reference_chain(const std::vector<Link>& chain) {
  std::optional<RefTensor> before;
  for (const Link& link : chain) {
    std::vector<RefTensor> values(link.node.values.size());
    std::vector<const RefTensor*> inputs;
    OpInstance op = link.node.op;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& value = link.node.values[i];
      values[i] = value ? RefTensor::from(*value) : *before;
      op.inputs[i] = TensorType(values[i].dtype, values[i].dims);
      inputs.push_back(&values[i]);
    }
    auto outputs = evaluate_reference(op, inputs, RefPrecision::kNaive32);
    if (!outputs) throw InternalError(to_text(outputs.error()));
    before = outputs->at(0);
  }
  return before->real;
}

void expect_chain(const std::vector<Link>& chain) {
  const std::vector<double> want = reference_chain(chain);
  EXPECT_EQ(difference(run_chain(chain, false), want, 1e-5, 1e-6), "") << "scalar";
  EXPECT_EQ(difference(run_chain(chain, true), want, 1e-5, 1e-6), "") << "vectorised";
}

const Tensor kLeft = Tensor::f32({2, 8}, {kInf, kInf, -kInf, kNaN, -kNaN, 3e38F, 2, -2,  //
                                          0, 1, -1, 0.5F, kInf, -0.0F, 100, -100});
const Tensor kRight =
    Tensor::f32({2, 8}, {0, 2, 2, 1, 1, 3e38F, 3, 3, 1, kNaN, 5, 0.5F, -kInf, 1, 1, 1});

OpCase unary(const char* type) { return make_op(type, 20, {}, {std::nullopt}); }

TEST(Chain, ActivationsAfterArithmeticKeepNaNAndInfinity) {
  for (const char* first : {"Mul", "Add", "Div"}) {
    for (const char* second : {"Relu", "Sigmoid", "HardSigmoid", "Tanh", "Exp", "Log", "Abs"}) {
      SCOPED_TRACE(std::string(first) + ", " + second);
      expect_chain({{make_op(first, 14, {}, {kLeft, kRight})}, {unary(second)}});
    }
  }
}

TEST(Chain, ArithmeticAfterFunctionsKeepsInfinity) {
  const Tensor one = Tensor::f32({1}, {1});
  for (const char* first : {"Log", "Exp", "Reciprocal"}) {
    SCOPED_TRACE(first);
    expect_chain(
        {{make_op(first, 13, {}, {kLeft})}, {make_op("Add", 14, {}, {std::nullopt, one})}});
  }
}

// Each step rounds to its type: (x + y) + z is not x + (y + z), nor are products.
TEST(Chain, SumsAndProductsOfHalvesKeepTheirOrder) {
  const Ints dims = {16, 16};
  for (const char* type : {"Add", "Mul"}) {
    for (const DType dtype : {DType::kF16, DType::kBF16}) {
      SCOPED_TRACE(type);
      const Tensor x = random_tensor(dtype, dims, -3, 3, 1), y = random_tensor(dtype, dims, -3, 3, 2),
                   z = random_tensor(dtype, dims, -3, 3, 3);
      expect_chain({{make_op(type, 14, {}, {x, y})},
                    {make_op(type, 14, {}, {std::nullopt, z})},
                    {make_op("Cast", 13, {{"to", std::int64_t{1}}}, {std::nullopt})}});
    }
  }
}

TEST(Chain, ExtremesAfterArithmeticKeepNaN) {
  const Tensor one = Tensor::f32({1}, {1});
  for (const char* type : {"Max", "Min"}) {
    SCOPED_TRACE(type);
    expect_chain({{make_op("Mul", 14, {}, {kLeft, kRight})},
                  {make_op(type, 13, {}, {one, std::nullopt}), 1}});
  }
  for (const char* type : {"ReduceMax", "ReduceMin"}) {
    SCOPED_TRACE(type);
    expect_chain({{make_op("Mul", 14, {}, {kLeft, kRight})},
                  {make_op(type, 13, {{"axes", Ints{0}}}, {std::nullopt})}});
  }
}

// A masked score must stay -inf on its way into the row maximum and the difference.
TEST(Chain, MaskThenSoftmax) {
  const Tensor scores = random_tensor(DType::kF32, {3, 8}, -5, 5, 1);
  auto bytes = std::make_shared<std::vector<std::byte>>(24, std::byte{1});
  for (const std::size_t i : {0U, 3U, 9U, 16U, 17U, 18U, 19U, 20U, 21U, 22U, 23U}) {
    (*bytes)[i] = std::byte{0};  // the last row is masked altogether: NaN
  }
  const Tensor mask(DType::kBool, {3, 8}, bytes);
  const Tensor nothing = Tensor::f32({}, {-kInf});
  for (const char* type : {"Softmax", "LogSoftmax"}) {
    SCOPED_TRACE(type);
    expect_chain({{make_op("Where", 16, {}, {mask, scores, nothing})}, {unary(type)}});
  }
}

TEST(Chain, ReductionsThenActivations) {
  for (const char* first : {"ReduceSum", "ReduceMean", "ReduceL2"}) {
    for (const char* second : {"Relu", "Sigmoid"}) {
      SCOPED_TRACE(std::string(first) + ", " + second);
      expect_chain({{make_op(first, 12, {{"axes", Ints{0}}}, {kLeft})}, {unary(second)}});
    }
  }
}

}  // namespace
}  // namespace frit::test
