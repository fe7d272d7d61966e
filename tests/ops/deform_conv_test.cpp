// DeformConv: offsets of zero are a convolution; groups, masks and borders against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

struct Shapes {
  Ints x, w, out;  ///< out: spatial extents
  std::int64_t offset_group = 1;
};

OpCase deform(const Shapes& s, AttributeMap attributes, bool extras, DType dtype = DType::kF32,
              double reach = 2.5) {
  const std::int64_t taps = s.w[2] * s.w[3];
  attributes["offset_group"] = s.offset_group;
  std::vector<std::optional<Tensor>> values = {
      random_tensor(dtype, s.x, -2, 2, 1), random_tensor(dtype, s.w, -1, 1, 2),
      random_tensor(dtype, {s.x[0], s.offset_group * taps * 2, s.out[0], s.out[1]}, -reach, reach,
                    3)};
  if (extras) {
    values.push_back(random_tensor(dtype, {s.w[0]}, -1, 1, 4));
    values.push_back(
        random_tensor(dtype, {s.x[0], s.offset_group * taps, s.out[0], s.out[1]}, 0, 1, 5));
  }
  return make_op("DeformConv", 22, std::move(attributes), std::move(values));
}

TEST(DeformConv, WithoutOffsetsIsAConvolution) {
  const Shapes s = {{1, 2, 5, 6}, {3, 2, 3, 3}, {5, 6}};
  const OpCase test = deform(s, {{"pads", Ints{1, 1, 1, 1}}}, false, DType::kF32, 0.0);
  const Tensor want =
      run_one(make_op("Conv", 22, {{"pads", Ints{1, 1, 1, 1}}}, {test.values[0], test.values[1]}));
  EXPECT_EQ(difference(run_one(test), want.to_doubles(), 1e-5, 1e-5), "");
}

TEST(DeformConvSlow, AsTheReference) {
  expect_as_reference(
      deform({{2, 4, 5, 6}, {6, 2, 2, 3}, {4, 4}, 2}, {{"group", std::int64_t{2}}}, true));
  expect_as_reference(deform(
      {{1, 3, 7, 7}, {2, 3, 3, 3}, {3, 3}},
      {{"strides", Ints{2, 2}}, {"dilations", Ints{1, 2}}, {"pads", Ints{0, 1, 0, 1}}}, false));
  expect_as_reference(deform({{1, 2, 4, 4}, {2, 2, 2, 2}, {3, 3}}, {}, true, DType::kF16));
  expect_as_reference(deform({{1, 2, 4, 4}, {2, 2, 2, 2}, {3, 3}}, {}, true, DType::kF64));
}

TEST(DeformConv, Refuses) {
  EXPECT_THAT(refusal_of(deform({{1, 2, 4, 4}, {2, 2, 2, 2}, {4, 3}}, {}, false)),
              HasSubstr("its offset is f32[1,8,4,3] but must be [1,8,3,3]"));
  EXPECT_THAT(refusal_of(deform({{1, 3, 4, 4}, {2, 2, 2, 2}, {3, 3}}, {}, false)),
              HasSubstr("its weights f32[2,2,2,2] in 1 group(s)"));
  EXPECT_THAT(refusal_of(deform({{1, 3, 4, 4}, {2, 3, 2, 2}, {3, 3}, 2}, {}, false)),
              HasSubstr("offset_group is 2"));
}

}  // namespace
}  // namespace frit::test
