#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using Dims = std::vector<std::int64_t>;

Tensor counted(Dims dims) {
  std::vector<float> values(static_cast<std::size_t>(TensorType(DType::kF32, dims).elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  return Tensor::f32(std::move(dims), values);
}

// A quarter turn, cos 0 and sin 1, makes (x1, x2) into (-x2, x1).
TEST(RotaryEmbedding, AQuarterTurnOfHalvesAndOfNeighbours) {
  const Tensor x = counted({1, 1, 1, 4});
  const Tensor cos = Tensor::f32({1, 1, 2}, {0, 0}), sin = Tensor::f32({1, 1, 2}, {1, 1});
  const auto turned = [&](std::int64_t interleaved) {
    return run_one(make_op("RotaryEmbedding", 23, {{"interleaved", interleaved}}, {x, cos, sin}));
  };
  EXPECT_EQ(difference(turned(0), {-3, -4, 1, 2}, 0), "");
  EXPECT_EQ(difference(turned(1), {-2, 1, -4, 3}, 0), "");
}

TEST(RotaryEmbedding, PositionsChooseRowsOfTheCacheAndTheRestIsKept) {
  const AttributeMap two = {{"rotary_embedding_dim", std::int64_t{2}},
                            {"num_heads", std::int64_t{2}}};
  const Tensor y = run_one(make_op("RotaryEmbedding", 23, two,
                                   {counted({1, 2, 6}), Tensor::f32({2, 1}, {1, 0}),
                                    Tensor::f32({2, 1}, {0, 1}), Tensor::i64({1, 2}, {1, 0})}));
  EXPECT_EQ(difference(y, {-2, 1, 3, -5, 4, 6, 7, 8, 9, 10, 11, 12}, 0), "");
}

TEST(RotaryEmbedding, ContribCountsFromAnOffset) {
  OpCase test = make_op("RotaryEmbedding", 1, {},
                        {counted({2, 1, 2, 2}), Tensor::i64({1}, {1}),
                         Tensor::f32({3, 1}, {9, 1, 0}), Tensor::f32({3, 1}, {9, 0, 1})});
  test.op.domain = "com.microsoft";
  EXPECT_EQ(difference(run_one(test), {1, 2, -4, 3, 5, 6, -8, 7}, 0), "");
  expect_as_reference(test);
}

TEST(RotaryEmbeddingSlow, AsTheReference) {
  for (const auto& [dtype, interleaved] : {std::pair{DType::kF32, 1}, {DType::kF16, 0}}) {
    const auto at = [&, type = dtype](Dims dims, unsigned seed) {
      return random_tensor(type, std::move(dims), -2, 2, seed);
    };
    const AttributeMap part = {{"interleaved", std::int64_t{interleaved}},
                               {"num_heads", std::int64_t{3}},
                               {"rotary_embedding_dim", std::int64_t{6}}};
    expect_as_reference(make_op("RotaryEmbedding", 23, part,
                                {at({2, 7, 27}, 1), at({2, 7, 3}, 2), at({2, 7, 3}, 3)}));
    const AttributeMap whole = {{"interleaved", std::int64_t{1 - interleaved}}};
    expect_as_reference(
        make_op("RotaryEmbedding", 23, whole,
                {at({2, 3, 1, 10}, 1), at({9, 5}, 2), at({9, 5}, 3), Tensor::i64({2, 1}, {8, 3})}));
  }
}

TEST(RotaryEmbedding, RefusesCachesOfAnotherLength) {
  const std::string why = refusal_of(make_op(
      "RotaryEmbedding", 23, {}, {counted({1, 1, 2, 4}), counted({1, 2, 3}), counted({1, 2, 3})}));
  EXPECT_NE(why.find("cos_cache is f32[1,2,3] but its other inputs make it [1,2,2]"),
            std::string::npos)
      << why;
}

}  // namespace
}  // namespace frit::test
