// ArrayFeatureExtractor, Binarizer, CenterCropPad, Compress, EyeLike, OneHot; Pad with a value that
// is computed at run time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "ops/reference/reference.h"
#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

Tensor counting(Ints dims) {
  std::vector<float> values(static_cast<std::size_t>(TensorType(DType::kF32, dims).elements()));
  std::iota(values.begin(), values.end(), 1.0F);
  return Tensor::f32(std::move(dims), values);
}

Tensor list(const Ints& values) {
  return Tensor::i64({static_cast<std::int64_t>(values.size())}, values);
}

Tensor bools(const std::vector<std::uint8_t>& values) {
  return Tensor::of(DType::kBool, {static_cast<std::int64_t>(values.size())}, values);
}

OpCase ml(OpCase test) {
  test.op.domain = "ai.onnx.ml";
  return test;
}

TEST(OneHot, NegativeIndicesCountFromOpset11On) {
  const Tensor indices = list({0, -1, 2, 3, -4}), values = Tensor::f32({2}, {5, 7});
  const auto hot = [&](int opset) {
    return make_op("OneHot", opset, {}, {indices, Tensor::i64({}, {3}), values}, {1});
  };
  EXPECT_THAT(run_one(hot(11)).to_doubles(),
              ElementsAre(7, 5, 5, 5, 5, 7, 5, 5, 7, 5, 5, 5, 5, 5, 5));
  EXPECT_THAT(run_one(hot(9)).to_doubles(),
              ElementsAre(7, 5, 5, 5, 5, 5, 5, 5, 7, 5, 5, 5, 5, 5, 5));
  expect_as_reference(hot(11));
  expect_as_reference(hot(9));
}

TEST(OneHot, EveryAxisAndIndicesOfFloats) {
  for (const std::int64_t axis : {0, 1, 2, -1, -2}) {
    SCOPED_TRACE(axis);
    expect_as_reference(make_op(
        "OneHot", 11, {{"axis", axis}},
        {random_tensor(DType::kF32, {3, 5}, -8, 8, 1), Tensor::f32({1}, {7}), list({-1, 1})}, {1}));
  }
  expect_as_reference(
      make_op("OneHot", 11, {}, {Tensor::i64({}, {1}), Tensor::i64({}, {17}), bools({0, 1})}, {1}));
}

TEST(CenterCropPad, CropsAndPadsAboutTheMiddle) {
  EXPECT_THAT(
      run_one(make_op("CenterCropPad", 18, {}, {counting({5}), list({2})}, {1})).to_doubles(),
      ElementsAre(2, 3));
  EXPECT_THAT(
      run_one(make_op("CenterCropPad", 18, {}, {counting({2}), list({5})}, {1})).to_doubles(),
      ElementsAre(0, 1, 2, 0, 0));
}

TEST(CenterCropPad, AsTheReference) {
  for (const Ints& shape : {Ints{3, 7}, Ints{8, 2}, Ints{5, 4}, Ints{0, 9}, Ints{17, 1}}) {
    SCOPED_TRACE(dims_text(shape));
    expect_as_reference(make_op("CenterCropPad", 18, {}, {counting({5, 4}), list(shape)}, {1}));
  }
  expect_as_reference(make_op("CenterCropPad", 18, {{"axes", Ints{-1, 0}}},
                              {counting({5, 4, 3}), list({6, 2})}, {1}));
}

TEST(Compress, WithAndWithoutAxis) {
  const Tensor x = counting({3, 2});
  const auto picked = [&](AttributeMap attributes, const std::vector<std::uint8_t>& condition) {
    const OpCase test = make_op("Compress", 11, std::move(attributes), {x, bools(condition)}, {1});
    expect_as_reference(test);
    return run_one(test).to_doubles();
  };
  EXPECT_THAT(picked({{"axis", std::int64_t{0}}}, {0, 1, 1}), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(picked({{"axis", std::int64_t{-1}}}, {0, 1}), ElementsAre(2, 4, 6));
  EXPECT_THAT(picked({}, {0, 1, 0, 0, 1}), ElementsAre(2, 5));
  EXPECT_THAT(picked({}, {0}), ElementsAre());
}

TEST(Compress, Refusals) {
  OpCase test = make_op("Compress", 11, {}, {counting({2}), bools({0, 0, 1})}, {1});
  EXPECT_EQ(refusal_of(test),
            "Compress 'node': its condition picks element 2 of an axis of 2 elements of its input "
            "f32[2]; correct the condition [onnx-shape]");
  test.op.constants[1].reset();
  EXPECT_EQ(refusal_of(test),
            "Compress 'node': input 1 (condition) is computed at run time but must be known when "
            "building; pin it with --const or make it an initializer [onnx-not-constant]");
}

TEST(ArrayFeatureExtractor, PicksAlongTheLastAxis) {
  const OpCase rows =
      ml(make_op("ArrayFeatureExtractor", 1, {}, {counting({2, 4}), Tensor::i64({1, 2}, {3, 0})}));
  EXPECT_THAT(run_one(rows).to_doubles(), ElementsAre(4, 1, 8, 5));
  expect_as_reference(rows);
  const Tensor vector =
      run_one(ml(make_op("ArrayFeatureExtractor", 1, {}, {counting({4}), Tensor::i64({1}, {2})})));
  EXPECT_THAT(vector.dims(), ElementsAre(1, 1));
  EXPECT_THAT(vector.to_doubles(), ElementsAre(3));
}

TEST(Binarizer, OneAboveTheThreshold) {
  const OpCase floats =
      ml(make_op("Binarizer", 1, {{"threshold", 1.5F}}, {Tensor::f32({4}, {1, 1.5F, 2, -3})}));
  EXPECT_THAT(run_one(floats).to_doubles(), ElementsAre(0, 0, 1, 0));
  expect_as_reference(floats);
  const Tensor whole = run_one(ml(make_op("Binarizer", 1, {{"threshold", 1.5F}}, {list({1, 2})})));
  EXPECT_THAT(whole.to_ints(), ElementsAre(0, 1));
}

TEST(EyeLike, DiagonalsAndTypes) {
  const OpCase above = make_op("EyeLike", 9, {{"k", std::int64_t{1}}}, {counting({2, 3})});
  EXPECT_THAT(run_one(above).to_doubles(), ElementsAre(0, 1, 0, 0, 0, 1));
  const OpCase ints = make_op("EyeLike", 9, {{"dtype", std::int64_t{6}}}, {counting({2, 2})});
  EXPECT_EQ(run_one(ints).dtype(), DType::kI32);
  EXPECT_THAT(run_one(ints).to_ints(), ElementsAre(1, 0, 0, 1));
  for (const std::int64_t k : {-9, -2, 0, 3, 9}) {
    expect_as_reference(make_op("EyeLike", 22, {{"k", k}}, {counting({5, 7})}));
  }
}

// Of values known at build: no kernel computes them, so that only the reference has them.
std::vector<Tensor> known(const OpCase& test) {
  const auto types = find_operator("", test.op.type)->infer(test.op);
  if (!types) throw InternalError(to_text(types.error()));
  const RefTensor input = RefTensor::from(*test.values[0]);
  const RefTensor* inputs[] = {&input};
  const auto results = evaluate_reference(test.op, inputs, RefPrecision::kDouble);
  if (!results) throw InternalError(to_text(results.error()));
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < results->size(); ++i) {
    tensors.push_back((*results)[i].to_tensor());
    EXPECT_EQ(tensors.back().type(), (*types)[i]);
  }
  return tensors;
}

TEST(NonZero, PlacesByAxis) {
  const auto places = known(make_op("NonZero", 13, {}, {Tensor::f32({2, 2}, {1, 0, 1, 1})}, {0}));
  EXPECT_THAT(places[0].to_ints(), ElementsAre(0, 1, 1, 0, 0, 1));
  EXPECT_EQ(refusal_of(make_op("NonZero", 13, {}, {counting({2})})),
            "NonZero 'node': input 0 (X) is computed at run time but must be known when building; "
            "pin it with --const or make it an initializer [onnx-not-constant]");
}

TEST(Unique, ValuesOfTheSpecification) {
  const Tensor x = Tensor::f32({6}, {2, 1, 1, 3, 4, 3});
  const auto sorted = known(make_op("Unique", 11, {}, {x}, {0}));
  EXPECT_THAT(sorted[0].to_doubles(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(sorted[1].to_ints(), ElementsAre(1, 0, 3, 4));
  EXPECT_THAT(sorted[2].to_ints(), ElementsAre(1, 0, 0, 2, 3, 2));
  EXPECT_THAT(sorted[3].to_ints(), ElementsAre(2, 1, 2, 1));
  const auto as_met = known(make_op("Unique", 11, {{"sorted", std::int64_t{0}}}, {x}, {0}));
  EXPECT_THAT(as_met[0].to_doubles(), ElementsAre(2, 1, 3, 4));
  const Tensor rows = Tensor::f32({3, 3}, {1, 0, 0, 1, 0, 0, 2, 3, 4});
  const auto slices = known(make_op("Unique", 11, {{"axis", std::int64_t{0}}}, {rows}, {0}));
  EXPECT_THAT(slices[0].to_doubles(), ElementsAre(1, 0, 0, 2, 3, 4));
  EXPECT_THAT(slices[2].to_ints(), ElementsAre(0, 0, 1));
}

TEST(Pad, AValueComputedAtRunTime) {
  const OpCase test =
      make_op("Pad", 13, {}, {counting({2, 3}), list({1, 0, 0, 2}), Tensor::f32({}, {-7})}, {1});
  EXPECT_THAT(run_one(test).to_doubles(),
              ElementsAre(-7, -7, -7, -7, -7, 1, 2, 3, -7, -7, 4, 5, 6, -7, -7));
  expect_as_reference(test);
}

TEST(Pad, AValueThatNoFloatHolds) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  const OpCase test =
      make_op("Pad", 13, {}, {list({1}), list({1, 1}), Tensor::i64({}, {large})}, {1, 2});
  EXPECT_THAT(run_one(test).to_ints(), ElementsAre(large, 1, large));
  const OpCase tenth = make_op("Pad", 13, {},
                               {Tensor::of<double>(DType::kF64, {1}, {1}), list({1, -1}),
                                Tensor::of<double>(DType::kF64, {}, {0.1})},
                               {1, 2});
  EXPECT_THAT(run_one(tenth).to_doubles(), ElementsAre(0.1));
}

}  // namespace
}  // namespace frit::test
