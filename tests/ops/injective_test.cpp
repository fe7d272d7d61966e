// Transpose, Slice, Concat, Pad, Expand, Tile, Gather, Split, DepthToSpace, SpaceToDepth: exact
// values of CASES.md, random forms against the reference, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "ops/split.h"
#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kFarEnd = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kFarStart = std::numeric_limits<std::int64_t>::min();

std::vector<float> floats(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

Tensor counting(Ints dims) {
  std::vector<float> values(static_cast<std::size_t>(TensorType(DType::kF32, dims).elements()));
  std::iota(values.begin(), values.end(), 0.0F);
  return Tensor::f32(std::move(dims), values);
}

Tensor list(const Ints& values) {
  return Tensor::i64({static_cast<std::int64_t>(values.size())}, values);
}

TEST(Transpose, EveryPermutationOfThreeAxes) {
  Ints perm = {0, 1, 2};
  do {
    SCOPED_TRACE(dims_text(perm));
    expect_as_reference(make_op("Transpose", 13, {{"perm", perm}}, {counting({2, 7, 3})}));
  } while (std::next_permutation(perm.begin(), perm.end()));
  expect_as_reference(make_op("Transpose", 13, {}, {counting({2, 7, 3, 1})}));
  expect_as_reference(make_op("Transpose", 13, {}, {counting({})}));
}

TEST(Transpose, TwoInARowCompose) {
  const Tensor once =
      run_one(make_op("Transpose", 13, {{"perm", Ints{1, 0, 2}}}, {counting({2, 3, 5})}));
  const Tensor twice = run_one(make_op("Transpose", 13, {{"perm", Ints{0, 2, 1}}}, {once}));
  const Tensor direct =
      run_one(make_op("Transpose", 13, {{"perm", Ints{1, 2, 0}}}, {counting({2, 3, 5})}));
  EXPECT_EQ(twice.dims(), direct.dims());
  EXPECT_EQ(floats(twice), floats(direct));
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  EXPECT_EQ(refusal_of(make_op("Transpose", 13, {{"perm", Ints{0, 0}}}, {counting({2, 3})})),
            "Transpose 'node': perm is [0,0] but its input f32[2,3] needs each of its axes once; "
            "correct the attribute [onnx-attribute]");
}

struct SliceCase {
  Ints starts, ends, axes, steps;
};

TEST(Slice, EveryKindOfRangeAsTheReference) {
  const std::vector<SliceCase> cases = {
      {{1, 2}, {3, 7}, {0, 1}, {1, 1}},
      {{1}, {kFarEnd}, {1}, {1}},
      {{-3}, {-1}, {1}, {1}},
      {{-1}, {kFarStart}, {1}, {-1}},
      {{kFarEnd}, {kFarStart}, {-1}, {-2}},
      {{0}, {9}, {1}, {4}},
      {{7}, {1}, {1}, {-3}},
      {{3}, {3}, {1}, {1}},
      {{5}, {2}, {1}, {1}},
      {{0, 0}, {1, 9}, {-2, -1}, {kFarEnd, 1}},
      {{1}, {0}, {0}, {kFarStart}},
  };
  for (const SliceCase& c : cases) {
    SCOPED_TRACE(dims_text(c.starts) + dims_text(c.ends) + dims_text(c.axes) + dims_text(c.steps));
    expect_as_reference(
        make_op("Slice", 13, {},
                {counting({4, 9}), list(c.starts), list(c.ends), list(c.axes), list(c.steps)},
                {1, 2, 3, 4}));
  }
}

TEST(Slice, BackwardsFromBeforeTheFirstTakesTheFirst) {
  const OpCase test =
      make_op("Slice", 13, {}, {counting({9}), list({-20}), list({-30}), std::nullopt, list({-1})},
              {1, 2, 4});
  EXPECT_THAT(floats(run_one(test)), ElementsAre(0));
}

TEST(Slice, AttributesBeforeOpset10) {
  expect_as_reference(make_op(
      "Slice", 1, {{"starts", Ints{1, -7}}, {"ends", Ints{3, kFarEnd}}, {"axes", Ints{0, 1}}},
      {counting({4, 9})}));
  expect_as_reference(
      make_op("Slice", 9, {{"starts", Ints{1}}, {"ends", Ints{3}}}, {counting({4, 9})}));
}

TEST(Slice, OptionalAxesAndSteps) {
  expect_as_reference(make_op("Slice", 13, {}, {counting({4, 9}), list({1}), list({3})}, {1, 2}));
  expect_as_reference(make_op("Slice", 13, {},
                              {counting({4, 9}), list({8}), list({2}), std::nullopt, list({-1})},
                              {1, 2, 4}));
  expect_as_reference(make_op("Slice", 13, {},
                              {counting({0, 9}), list({-1}), list({-9}), list({0}), list({-1})},
                              {1, 2, 3, 4}));
}

TEST(Slice, RefusesACanonicalFormThatReadsOutside) {
  const auto refusal = [](const Ints& starts, const Ints& ends, const Ints& steps) {
    return refusal_of(make_op("Slice", 13, {{"starts", starts}, {"ends", ends}, {"steps", steps}},
                              {counting({4})}));
  };
  EXPECT_EQ(refusal({3}, {-1}, {-1}), "");
  EXPECT_EQ(refusal({-1}, {4}, {1}),
            "Slice 'node': starts, ends and steps are [-1], [4], [1] but its input is f32[4]; give "
            "one value of each per axis, inside it [onnx-attribute]");
  EXPECT_NE(refusal({0}, {5}, {1}), "");
  EXPECT_NE(refusal({0}, {4}, {0}), "");
  EXPECT_NE(refusal({0, 0}, {4}, {1}), "");
}

TEST(Slice, Refusals) {
  EXPECT_EQ(refusal_of(make_op("Slice", 13, {}, {counting({4}), list({0}), list({2})}, {1})),
            "Slice 'node': input 2 (ends) is computed at run time but must be known when building; "
            "pin it with --const or make it an initializer [onnx-not-constant]");
  EXPECT_EQ(refusal_of(make_op("Slice", 13, {},
                               {counting({4}), list({0}), list({2}), list({0}), list({0})},
                               {1, 2, 3, 4})),
            "Slice 'node': its step of axis 0 is 0, which never ends; correct the model "
            "[onnx-attribute]");
  EXPECT_EQ(
      refusal_of(make_op("Slice", 13, {}, {counting({4}), list({0, 1}), list({2, 3})}, {1, 2})),
      "Slice 'node': starts [0,1], ends [2,3], axes absent and steps absent must have the same "
      "length, at most the rank of its input f32[4]; correct the model [onnx-shape]");
}

TEST(Concat, EveryAxisAndOddCount) {
  for (const std::int64_t axis : {0, 1, 2, -1}) {
    SCOPED_TRACE(axis);
    const auto part = [&](std::int64_t extent, unsigned seed) {
      Ints dims = {2, 3, 5};
      dims[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)] = extent;
      return random_tensor(DType::kF32, dims, -1, 1, seed);
    };
    const OpCase three =
        make_op("Concat", 13, {{"axis", axis}}, {part(1, 1), part(7, 2), part(3, 3)});
    expect_as_reference(three);
    expect_as_reference_transposed(three);
    expect_as_reference(make_op("Concat", 13, {{"axis", axis}}, {part(4, 1)}));
    expect_as_reference(
        make_op("Concat", 13, {{"axis", axis}}, {part(0, 1), part(2, 2), part(0, 3), part(1, 4)}));
  }
}

TEST(Concat, DefaultAxisOfOldOpsetsAndIntegers) {
  const Tensor a = Tensor::i64({2, 1}, {1, 2}), b = Tensor::i64({2, 2}, {3, 4, 5, 6});
  EXPECT_THAT(run_one(make_op("Concat", 1, {}, {a, b})).to_ints(), ElementsAre(1, 3, 4, 2, 5, 6));
}

TEST(Concat, RefusesOtherExtents) {
  EXPECT_EQ(
      refusal_of(
          make_op("Concat", 13, {{"axis", std::int64_t{1}}}, {counting({2, 3}), counting({3, 3})})),
      "Concat 'node': inputs 0 and 1 are f32[2,3] and f32[3,3] but may differ at axis 1 only; "
      "correct the model or pass --shape [onnx-shape]");
}

OpCase pad(const Tensor& in, const Ints& pads, const std::string& mode) {
  return make_op("Pad", 13, {{"mode", mode}}, {in, list(pads), Tensor::f32({}, {7})}, {1, 2});
}

TEST(Pad, EveryModeAsTheReference) {
  for (const char* mode : {"constant", "edge", "reflect"}) {
    SCOPED_TRACE(mode);
    for (const Ints& pads :
         {Ints{0, 0, 0, 0}, Ints{1, 2, 3, 1}, Ints{0, 4, 0, 0}, Ints{2, 0, 0, 4}}) {
      SCOPED_TRACE(dims_text(pads));
      expect_as_reference(pad(counting({4, 9}), pads, mode));
    }
  }
}

TEST(Pad, NegativePadsCrop) {
  for (const Ints& pads : {Ints{-1, 0, 0, -2}, Ints{-1, 2, 1, -3}, Ints{-2, -9, -2, 0}}) {
    SCOPED_TRACE(dims_text(pads));
    expect_as_reference(pad(counting({4, 9}), pads, "constant"));
  }
  EXPECT_THAT(floats(run_one(pad(counting({4}), {-1, 2}, "edge"))), ElementsAre(1, 2, 3, 3, 3));
  EXPECT_THAT(floats(run_one(pad(counting({4}), {2, -1}, "reflect"))), ElementsAre(2, 1, 0, 1, 2));
}

TEST(Pad, ReflectsMoreThanOnceWherePadsAreLong) {
  EXPECT_THAT(floats(run_one(pad(counting({3}), {5, 4}, "reflect"))),
              ElementsAre(1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2));
  EXPECT_THAT(floats(run_one(pad(counting({3}), {2, 4}, "wrap"))),
              ElementsAre(1, 2, 0, 1, 2, 0, 1, 2, 0));
}

TEST(Pad, AttributesAndAxes) {
  expect_as_reference(
      make_op("Pad", 2, {{"pads", Ints{0, 1, 2, 0}}, {"value", -3.0F}}, {counting({2, 3})}));
  expect_as_reference(
      make_op("Pad", 18, {}, {counting({2, 3}), list({1, 2}), std::nullopt, list({-1})}, {1, 3}));
  expect_as_reference(make_op(
      "Pad", 13, {},
      {random_tensor(DType::kI64, {3}, -9, 9, 1), list({1, 1}), Tensor::i64({}, {5})}, {1, 2}));
}

TEST(Pad, OfNothingIsItsValue) {
  EXPECT_THAT(floats(run_one(pad(Tensor::f32({0}, {}), {1, 1}, "constant"))), ElementsAre(7, 7));
}

TEST(Pad, Refusals) {
  EXPECT_EQ(refusal_of(pad(counting({4}), {-3, -2}, "constant")),
            "Pad 'node': pads (-3,-2) leave -1 elements of axis 0 of its input f32[4], too few for "
            "mode constant; correct pads [onnx-shape]");
  EXPECT_EQ(refusal_of(pad(counting({4}), {1}, "constant")),
            "Pad 'node': pads is [1] but 1 axes of its input f32[4] need two values each; correct "
            "the model [onnx-attribute]");
  EXPECT_EQ(
      refusal_of(pad(counting({4}), {1, 1}, "mirror")),
      "Pad 'node': mode is \"mirror\" but must be constant, edge, reflect or wrap; correct the "
      "attribute [onnx-attribute]");
}

TEST(Expand, BroadcastsBothWays) {
  for (const Ints& shape : {Ints{2, 3, 4}, Ints{1}, Ints{5, 2, 1, 4}, Ints{2, 0, 4}}) {
    SCOPED_TRACE(dims_text(shape));
    const Tensor in = random_tensor(DType::kF32, {2, 1, 4}, -1, 1, 1);
    expect_as_reference(make_op("Expand", 13, {}, {in, list(shape)}, {1}));
  }
}

TEST(Tile, Repeats) {
  for (const Ints& repeats : {Ints{1, 1}, Ints{2, 3}, Ints{7, 1}, Ints{0, 2}}) {
    SCOPED_TRACE(dims_text(repeats));
    expect_as_reference(make_op("Tile", 13, {}, {counting({2, 3}), list(repeats)}, {1}));
  }
}

TEST(Gather, PicksRowsNotTheFirst) {
  std::vector<float> values(16);
  std::iota(values.begin(), values.end(), 1.0F);
  const Tensor data = Tensor::f32({4, 4}, values), index = list({2});
  for (const std::vector<std::size_t>& known :
       {std::vector<std::size_t>{}, std::vector<std::size_t>{1}}) {
    const Tensor y = run_one(make_op("Gather", 13, {}, {data, index}, known));
    EXPECT_THAT(floats(y), ElementsAre(9, 10, 11, 12));
  }
}

TEST(Gather, EveryAxisConstantAndAtRunTime) {
  for (const std::int64_t axis : {0, 1, -1}) {
    for (const bool known : {false, true}) {
      SCOPED_TRACE(std::to_string(axis) + (known ? " constant" : " at run time"));
      const std::vector<std::size_t> constants =
          known ? std::vector<std::size_t>{1} : std::vector<std::size_t>{};
      const Tensor data = counting({3, 4, 5});
      expect_as_reference(make_op("Gather", 13, {{"axis", axis}},
                                  {data, Tensor::i64({2, 2}, {-1, 0, 2, -3})}, constants));
      expect_as_reference(
          make_op("Gather", 13, {{"axis", axis}}, {data, Tensor::i64({}, {-2})}, constants));
      expect_as_reference(make_op("Gather", 13, {{"axis", axis}},
                                  {data, Tensor::of<std::int32_t>(DType::kI32, {1}, {1})},
                                  constants));
    }
  }
}

TEST(Gather, RunTimeIndicesBeyondTheAxisStayInside) {
  const Tensor y =
      run_one(make_op("Gather", 13, {}, {counting({4}), list({9, -9, 1LL << 40, kFarStart})}));
  EXPECT_THAT(floats(y), ElementsAre(3, 0, 3, 0));
}

TEST(Gather, RefusesAConstantIndexOutside) {
  EXPECT_EQ(refusal_of(make_op("Gather", 13, {}, {counting({4}), list({4})}, {1})),
            "Gather 'node': index 4 is outside axis 0 of its input f32[4]; correct the indices "
            "[onnx-shape]");
}

/// The slices that replace a Split, each run on its own.
std::vector<Tensor> run_split(OpCase test, std::size_t outputs) {
  const Operator* rule = find_operator("", "Split");
  test.op.outputs.resize(outputs);
  auto types = rule->infer(test.op);
  if (!types) throw InternalError(to_text(types.error()));
  test.op.outputs = *types;
  if (!rule->canonicalise(test.op)) throw InternalError("Split has no canonical form");
  std::vector<Tensor> parts;
  for (const OpInstance& slice : split_as_slices(test.op)) {
    parts.push_back(run_one(OpCase{slice, {test.values[0]}}));
    EXPECT_EQ(parts.back().type(), slice.outputs[0]);
  }
  return parts;
}

TEST(Split, BecomesSlicesWhateverTheOpset) {
  const Tensor in = counting({2, 5});
  const auto attribute =
      run_split(make_op("Split", 11, {{"axis", std::int64_t{1}}, {"split", Ints{2, 3}}}, {in}), 2);
  EXPECT_THAT(floats(attribute[0]), ElementsAre(0, 1, 5, 6));
  EXPECT_THAT(floats(attribute[1]), ElementsAre(2, 3, 4, 7, 8, 9));
  const auto input =
      run_split(make_op("Split", 13, {{"axis", std::int64_t{-1}}}, {in, list({4, 0, 1})}, {1}), 3);
  EXPECT_EQ(input[1].elements(), 0);
  EXPECT_THAT(floats(input[2]), ElementsAre(4, 9));
  const auto equal = run_split(make_op("Split", 11, {}, {in}), 2);
  EXPECT_THAT(floats(equal[1]), ElementsAre(5, 6, 7, 8, 9));
  const auto uneven = run_split(
      make_op("Split", 18, {{"axis", std::int64_t{1}}, {"num_outputs", std::int64_t{3}}}, {in}), 3);
  EXPECT_THAT(floats(uneven[2]), ElementsAre(4, 9));
}

TEST(Split, RefusesPartsThatDoNotAddUp) {
  EXPECT_EQ(
      refusal_of(make_op("Split", 11, {{"split", Ints{2, 2}}}, {counting({5})})),
      "Split 'node': its parts [2,2] have 4 elements together but axis 0 of its input f32[5] has "
      "5; correct the model or pass --shape [onnx-shape]");
}

TEST(DepthSpace, PlacesEachChannelInItsBlock) {
  const auto run = [](const char* mode, const Tensor& in) {
    return run_one(make_op("DepthToSpace", 13,
                           {{"blocksize", std::int64_t{2}}, {"mode", std::string(mode)}}, {in}));
  };
  const Tensor in = counting({1, 8, 1, 2});  // channel c holds 2c, 2c+1
  EXPECT_THAT(floats(run("DCR", in)),
              ElementsAre(0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15));
  EXPECT_THAT(floats(run("CRD", in)),
              ElementsAre(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15));
}

TEST(DepthSpace, SpaceToDepthUndoesDCR) {
  const Tensor in = counting({2, 12, 3, 5});
  const AttributeMap block = {{"blocksize", std::int64_t{2}}};
  const Tensor there = run_one(make_op("DepthToSpace", 13, block, {in}));
  EXPECT_EQ(there.dims(), (Ints{2, 3, 6, 10}));
  EXPECT_EQ(floats(run_one(make_op("SpaceToDepth", 13, block, {there}))), floats(in));
}

TEST(DepthSpace, AsTheReference) {
  for (const char* mode : {"DCR", "CRD"}) {
    expect_as_reference(make_op("DepthToSpace", 13,
                                {{"blocksize", std::int64_t{2}}, {"mode", std::string(mode)}},
                                {counting({2, 12, 3, 5})}));
  }
  expect_as_reference(
      make_op("SpaceToDepth", 13, {{"blocksize", std::int64_t{3}}}, {counting({1, 2, 6, 9})}));
}

TEST(DepthSpace, RefusesWhatDoesNotDivide) {
  EXPECT_EQ(
      refusal_of(
          make_op("DepthToSpace", 13, {{"blocksize", std::int64_t{2}}}, {counting({1, 6, 2, 2})})),
      "DepthToSpace 'node': its input is f32[1,6,2,2], which blocks of 2 do not divide; correct "
      "blocksize or pass --shape [onnx-shape]");
}

}  // namespace
}  // namespace frit::test
