// GatherElements, GatherND, Trilu, ReverseSequence, TensorScatter: values of the specification by
// hand, odd shapes against the reference, and indices that are out of range.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

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

TEST(GatherElements, ValuesOfTheSpecification) {
  const Tensor data = Tensor::f32({2, 2}, {1, 2, 3, 4});
  const Tensor indices = Tensor::i64({2, 2}, {0, 0, 1, 0});
  const Tensor rows =
      run_one(make_op("GatherElements", 13, {{"axis", std::int64_t{1}}}, {data, indices}));
  EXPECT_THAT(rows.to_doubles(), ElementsAre(1, 1, 4, 3));
  const Tensor columns = run_one(make_op("GatherElements", 11, {}, {data, indices}));
  EXPECT_THAT(columns.to_doubles(), ElementsAre(1, 2, 3, 2));
}

TEST(GatherElements, FewerIndicesThanElementsAndOddShapes) {
  for (const std::int64_t axis : {0, 1, 2, -1}) {
    SCOPED_TRACE(axis);
    Ints dims = {2, 3, 1};
    dims[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)] = 17;
    const Tensor indices = random_tensor(DType::kI32, dims, -5, 5, 3);
    expect_as_reference(make_op("GatherElements", 13, {{"axis", axis}},
                                {random_tensor(DType::kF32, {5, 7, 9}, -1, 1, 1), indices}));
  }
  expect_as_reference(
      make_op("GatherElements", 13, {}, {counting({3, 4}), Tensor::i64({0, 4}, {})}));
}

TEST(GatherElements, RunTimeIndicesOutOfRangeAreClamped) {
  const Tensor y = run_one(
      make_op("GatherElements", 13, {}, {counting({3}), Tensor::i64({4}, {7, -9, 1LL << 40, -1})}));
  EXPECT_THAT(y.to_doubles(), ElementsAre(3, 1, 3, 3));
}

TEST(GatherElements, Refusals) {
  EXPECT_EQ(
      refusal_of(make_op("GatherElements", 13, {}, {counting({3}), Tensor::i64({1}, {3})}, {1})),
      "GatherElements 'node': index 3 is outside axis 0 of its input f32[3]; correct the "
      "indices [onnx-shape]");
  EXPECT_EQ(refusal_of(make_op("GatherElements", 13, {},
                               {counting({3, 2}), Tensor::i64({1, 3}, {0, 0, 0})})),
            "GatherElements 'node': its indices are i64[1,3] but its input is f32[3,2]; they must "
            "have its rank and, but for axis 0, at most its extents [onnx-shape]");
}

TEST(GatherND, ValuesOfTheSpecification) {
  const Tensor square = Tensor::i64({2, 2}, {0, 1, 2, 3});
  EXPECT_THAT(
      run_one(make_op("GatherND", 12, {}, {square, Tensor::i64({2, 2}, {0, 0, 1, 1})})).to_ints(),
      ElementsAre(0, 3));
  EXPECT_THAT(run_one(make_op("GatherND", 12, {}, {square, Tensor::i64({2, 1}, {1, 0})})).to_ints(),
              ElementsAre(2, 3, 0, 1));
  const Tensor cube = Tensor::i64({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_THAT(run_one(make_op("GatherND", 12, {{"batch_dims", std::int64_t{1}}},
                              {cube, Tensor::i64({2, 1}, {1, 0})}))
                  .to_ints(),
              ElementsAre(2, 3, 4, 5));
}

TEST(GatherND, AsTheReference) {
  const Tensor data = random_tensor(DType::kF32, {2, 5, 7, 3}, -1, 1, 1);
  for (const std::int64_t batch : {0, 1}) {
    for (const std::int64_t tuple : {1, 2, 3}) {
      SCOPED_TRACE(std::to_string(batch) + " " + std::to_string(tuple));
      expect_as_reference(make_op("GatherND", 13, {{"batch_dims", batch}},
                                  {data, random_tensor(DType::kI64, {2, 17, tuple}, -2, 2, 5)}));
    }
  }
  expect_as_reference(make_op("GatherND", 13, {}, {data, Tensor::i64({0, 2}, {})}));
  expect_as_reference(make_op("GatherND", 13, {}, {data, Tensor::i64({1}, {99})}));  // clamped
}

TEST(GatherND, RefusesMoreCoordinatesThanAxes) {
  EXPECT_EQ(refusal_of(make_op("GatherND", 12, {{"batch_dims", std::int64_t{1}}},
                               {counting({2, 3}), Tensor::i64({2, 2}, {0, 0, 0, 0})})),
            "GatherND 'node': its indices are i64[2,2] and its input is f32[2,3] with batch_dims "
            "1; the last extent of indices must be from 1 to the axes after the batch, and the "
            "batch extents the same [onnx-shape]");
}

TEST(Trilu, UpperAndLowerOfThreeByThree) {
  const Tensor x = counting({3, 3}), one = Tensor::i64({}, {1});
  EXPECT_THAT(run_one(make_op("Trilu", 14, {}, {x})).to_doubles(),
              ElementsAre(1, 2, 3, 0, 5, 6, 0, 0, 9));
  EXPECT_THAT(run_one(make_op("Trilu", 14, {{"upper", std::int64_t{0}}}, {x, one})).to_doubles(),
              ElementsAre(1, 2, 0, 4, 5, 6, 7, 8, 9));
}

TEST(Trilu, AsTheReference) {
  for (const std::int64_t upper : {0, 1}) {
    for (const std::int64_t k : {-99, -2, 0, 3, 17}) {
      SCOPED_TRACE(std::to_string(upper) + " " + std::to_string(k));
      for (const std::vector<std::size_t>& known : {std::vector<std::size_t>{}, {1}}) {
        expect_as_reference(make_op("Trilu", 14, {{"upper", upper}},
                                    {counting({2, 5, 17}), Tensor::i64({1}, {k})}, known));
      }
    }
  }
  expect_as_reference(make_op("Trilu", 14, {}, {counting({3, 0})}));
  expect_as_reference(make_op("Trilu", 14, {}, {random_tensor(DType::kBool, {7, 7}, 0, 1, 2)}));
}

TEST(ReverseSequence, TimeFirstAndBatchFirst) {
  const Tensor x = counting({4, 4});
  const Tensor time =
      run_one(make_op("ReverseSequence", 10, {}, {x, Tensor::i64({4}, {4, 3, 2, 1})}));
  EXPECT_THAT(time.to_doubles(),
              ElementsAre(13, 10, 7, 4, 9, 6, 3, 8, 5, 2, 11, 12, 1, 14, 15, 16));
  const AttributeMap batch_first = {{"batch_axis", std::int64_t{0}},
                                    {"time_axis", std::int64_t{1}}};
  const Tensor batch =
      run_one(make_op("ReverseSequence", 10, batch_first, {x, Tensor::i64({4}, {1, 2, 3, 9})}));
  EXPECT_THAT(batch.to_doubles(),  // 9 is more than there are: 4
              ElementsAre(1, 2, 3, 4, 6, 5, 7, 8, 11, 10, 9, 12, 16, 15, 14, 13));
  expect_as_reference(
      make_op("ReverseSequence", 10, {}, {counting({17, 3, 5}), Tensor::i64({3}, {-1, 0, 16})}));
}

OpCase cache_update(const std::string& mode, const Ints& write) {
  const Tensor update = Tensor::f32({2, 2, 1}, {-1, -2, -3, -4});
  return make_op("TensorScatter", 24, {{"mode", mode}},
                 {counting({2, 4, 1}), update, Tensor::i64({2}, write)});
}

TEST(TensorScatter, WritesAtEachSamplesIndex) {
  EXPECT_THAT(run_one(cache_update("linear", {1, 2})).to_doubles(),
              ElementsAre(1, -1, -2, 4, 5, 6, -3, -4));
  EXPECT_THAT(run_one(cache_update("circular", {3, 6})).to_doubles(),
              ElementsAre(-2, 2, 3, -1, 5, 6, -3, -4));
  EXPECT_THAT(run_one(cache_update("linear", {3, 1LL << 40})).to_doubles(),
              ElementsAre(1, 2, 3, -1, 5, 6, 7, 8));  // what lies outside is dropped
  const Tensor first = run_one(
      make_op("TensorScatter", 24, {}, {counting({1, 3, 1}), Tensor::f32({1, 2, 1}, {-1, -2})}));
  EXPECT_THAT(first.to_doubles(), ElementsAre(-1, -2, 3));
}

TEST(TensorScatter, AsTheReference) {
  for (const char* mode : {"linear", "circular"}) {
    for (const std::int64_t axis : {1, 2, -1}) {
      SCOPED_TRACE(mode + std::to_string(axis));
      Ints dims = {3, 5, 7, 17};
      const Tensor past = random_tensor(DType::kF32, dims, -1, 1, 1);
      dims[static_cast<std::size_t>(axis < 0 ? axis + 4 : axis)] = 3;
      expect_as_reference(make_op(
          "TensorScatter", 24, {{"axis", axis}, {"mode", std::string(mode)}},
          {past, random_tensor(DType::kF32, dims, -1, 1, 2), Tensor::i64({3}, {-1, 2, 100})}));
    }
  }
}

}  // namespace
}  // namespace frit::test
