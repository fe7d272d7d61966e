// Reshape and its kin: resolved shapes, index maths cut into runs, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/reshape_index.h"
#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

Tensor values(const Ints& dims) { return random_tensor(DType::kF32, dims, -1, 1, 1); }

Tensor list(const Ints& numbers) {
  return Tensor::i64({static_cast<std::int64_t>(numbers.size())}, numbers);
}

TEST(Reshape, ZeroCopiesAndMinusOneTakesTheRest) {
  const std::vector<std::pair<Ints, Ints>> cases = {
      {{2, 3, 4}, {4, 3, 2}},
      {{2, 3, 4}, {0, -1}},
      {{2, 3, 4}, {-1}},
      {{2, 3, 4}, {2, 12}},
      {{2, 3, 4}, {6, 4}},
      {{2, 3, 4}, {0, 0, 2, 2}},
      {{1, 1, 1}, {}},
      {{}, {1, 1}},
      {{1, 480, 1, 40}, {0, 480, -1}},
      {{8, 9}, {2, 36}},
      {{1, 6, 1}, {3, 1, 2, 1}},
      {{0, 3}, {3, 0, 5}},
      {{7, 31}, {31, 7}},
  };
  for (const auto& [in, shape] : cases) {
    SCOPED_TRACE(dims_text(in) + " to " + dims_text(shape));
    const bool empty = !in.empty() && in[0] == 0;
    const AttributeMap attributes = {{"allowzero", std::int64_t{empty}}};
    const OpCase test = make_op("Reshape", 14, attributes, {values(in), list(shape)}, {1});
    expect_as_reference(test);
    expect_as_reference_transposed(test);
  }
}

TEST(Reshape, SqueezeUnsqueezeFlatten) {
  const Tensor in = values({1, 3, 1, 5});
  expect_as_reference(make_op("Squeeze", 11, {{"axes", Ints{0, -2}}}, {in}));
  expect_as_reference(make_op("Squeeze", 13, {}, {in, list({2})}, {1}));
  expect_as_reference(make_op("Squeeze", 13, {}, {in}));
  expect_as_reference(make_op("Unsqueeze", 11, {{"axes", Ints{0, 4}}}, {values({3, 2, 5})}));
  expect_as_reference(make_op("Unsqueeze", 13, {}, {values({3, 2}), list({-1, 1})}, {1}));
  for (const std::int64_t axis : {0, 1, 2, 3, 4, -1}) {
    expect_as_reference(make_op("Flatten", 13, {{"axis", axis}}, {in}));
  }
}

std::string runs_text(const Ints& in, const Ints& out) {
  std::string text;
  for (const ReshapeRun& run : reshape_runs(in, out)) {
    text += std::to_string(run.in_end - run.in_begin) + ":" +
            std::to_string(run.out_end - run.out_begin) + " ";
  }
  return text;
}

TEST(ReshapeRuns, LeaveOtherAxesAlone) {
  EXPECT_EQ(runs_text({2, 3, 4, 5}, {2, 3, 20}), "1:1 1:1 2:1 ");
  EXPECT_EQ(runs_text({1, 480, 1, 40}, {1, 480, 40}), "1:1 1:1 1:0 1:1 ");
  EXPECT_EQ(runs_text({6, 4}, {2, 3, 4}), "1:2 1:1 ");
  EXPECT_EQ(runs_text({4, 6}, {8, 3}), "2:2 ");
  EXPECT_EQ(runs_text({}, {1, 1}), "0:1 0:1 ");
}

TEST(ReshapeIndex, NeedsNoArithmeticOnAxesThatStay) {
  const Halide::Var n("n"), c("c"), x("x");
  const Index index = reshape_index({2, 3, 4, 5}, {2, 3, 20}, {n, c, x});
  EXPECT_TRUE(index[0].same_as(Halide::Expr(n)) || Halide::Internal::equal(index[0], n));
  EXPECT_TRUE(Halide::Internal::equal(index[1], c));
  EXPECT_TRUE(Halide::Internal::equal(index[2], x / 5));
  EXPECT_TRUE(Halide::Internal::equal(index[3], x % 5));
}

TEST(Reshape, Refusals) {
  const auto refusal = [](const Ints& in, const Ints& shape) {
    return refusal_of(make_op("Reshape", 14, {}, {values(in), list(shape)}, {1}));
  };
  EXPECT_EQ(refusal({2, 3}, {4}),
            "Reshape 'node': it turns f32[2,3] (6 elements) into [4] (4 elements); "
            "correct the shape or pass --shape [onnx-shape]");
  EXPECT_EQ(refusal({2, 3}, {-1, -1}),
            "Reshape 'node': its shape [-1,-1] has -1 more than once; correct "
            "the shape or pass --shape [onnx-shape]");
  EXPECT_EQ(refusal({2, 3}, {4, -1}),
            "Reshape 'node': its shape [4,-1] leaves no whole extent for -1: its "
            "input is f32[2,3], 6 elements; correct the shape or pass --shape "
            "[onnx-shape]");
  EXPECT_EQ(refusal_of(make_op("Squeeze", 13, {}, {values({2, 3}), list({0})}, {1})),
            "Squeeze 'node': it removes axis 0 but its input f32[2,3] has 2 elements there, not 1; "
            "correct axes or pass --shape [onnx-shape]");
  EXPECT_EQ(
      refusal_of(make_op("Reshape", 14, {}, {values({2, 3}), list({6})})),
      "Reshape 'node': input 1 (shape) is computed at run time but must be known when building; "
      "pin it with --const or make it an initializer [onnx-not-constant]");
}

}  // namespace
}  // namespace frit::test
