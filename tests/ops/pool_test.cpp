// Pools: the exact values of CASES.md, windows of every kind against the reference, refusals.
#include "ops/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/reference/reference.h"
#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

const float kNaN = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

std::vector<float> floats(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

std::pair<const std::string, Attribute> list(const char* name, Ints values) {
  return {name, std::move(values)};
}
std::pair<const std::string, Attribute> flag(const char* name, std::int64_t value = 1) {
  return {name, value};
}
std::pair<const std::string, Attribute> automatic(const char* mode) {
  return {"auto_pad", std::string(mode)};
}

struct PoolCase {
  const char* what;
  Ints in;
  AttributeMap attributes;
};

std::vector<PoolCase> cases() {
  return {
      {"one element", {1, 1, 1, 1}, {list("kernel_shape", {1, 1})}},
      {"two by two, stride two",
       {2, 3, 8, 9},
       {list("kernel_shape", {2, 2}), list("strides", {2, 2})}},
      {"padded", {1, 7, 9, 7}, {list("kernel_shape", {3, 3}), list("pads", {1, 1, 1, 1})}},
      {"uneven pads",
       {1, 2, 8, 7},
       {list("kernel_shape", {3, 4}), list("pads", {0, 2, 1, 3}), list("strides", {2, 1})}},
      {"ceil_mode",
       {1, 2, 8, 31},
       {list("kernel_shape", {3, 3}), list("strides", {2, 2}), flag("ceil_mode")}},
      {"ceil_mode with pads",
       {1, 2, 5, 8},
       {list("kernel_shape", {2, 3}), list("strides", {2, 3}), list("pads", {1, 1, 1, 1}),
        flag("ceil_mode")}},
      {"ceil_mode 1-D k7 s3 p3",
       {1, 2, 8},
       {list("kernel_shape", {7}), list("strides", {3}), list("pads", {3, 3}), flag("ceil_mode")}},
      {"SAME_UPPER",
       {1, 2, 5, 8},
       {list("kernel_shape", {2, 3}), automatic("SAME_UPPER"), list("strides", {1, 2})}},
      {"SAME_LOWER",
       {1, 2, 5, 8},
       {list("kernel_shape", {2, 3}), automatic("SAME_LOWER"), list("strides", {1, 2})}},
      {"VALID",
       {1, 2, 5, 8},
       {list("kernel_shape", {2, 3}), automatic("VALID"), list("strides", {2, 2})}},
      {"one dimension", {2, 3, 31}, {list("kernel_shape", {4}), list("strides", {3})}},
      {"three dimensions",
       {1, 2, 4, 5, 3},
       {list("kernel_shape", {2, 3, 1}), list("pads", {1, 0, 0, 0, 1, 0})}},
  };
}

TEST(MaxPool, EveryWindowAsTheReference) {
  for (const PoolCase& c : cases()) {
    SCOPED_TRACE(c.what);
    const Tensor in = random_tensor(DType::kF32, c.in, -9, -1, 1);  // a 0 from outside would win
    expect_as_reference(make_op("MaxPool", 12, c.attributes, {in}));
  }
}

TEST(MaxPool, DilatedAsTheReference) {
  const Tensor in = random_tensor(DType::kF32, {1, 3, 9, 8}, -9, -1, 1);
  expect_as_reference(make_op("MaxPool", 12,
                              {list("kernel_shape", {3, 2}), list("dilations", {2, 3}),
                               list("pads", {2, 1, 1, 3}), list("strides", {2, 1})},
                              {in}));
}

TEST(MaxPool, EightBitIntegersPadWithTheirLeast) {
  const AttributeMap attributes = {list("kernel_shape", {2}), list("pads", {1, 0})};
  const Tensor i8 = Tensor::of<std::int8_t>(DType::kI8, {1, 1, 3}, {-128, -5, 127});
  EXPECT_THAT(run_one(make_op("MaxPool", 12, attributes, {i8})).to_ints(),
              ElementsAre(-128, -5, 127));
  const Tensor u8 = Tensor::of<std::uint8_t>(DType::kU8, {1, 1, 3}, {0, 200, 255});
  EXPECT_THAT(run_one(make_op("MaxPool", 12, attributes, {u8})).to_ints(),
              ElementsAre(0, 200, 255));
}

TEST(MaxPool, EightBitIntegersAsTheReference) {
  for (const DType dtype : {DType::kI8, DType::kU8}) {
    const double low = dtype == DType::kI8 ? -128 : 0;
    const Tensor in = random_tensor(dtype, {1, 2, 7, 8}, low, low + 200, 1);
    expect_as_reference(
        make_op("MaxPool", 12, {list("kernel_shape", {3, 3}), list("pads", {1, 1, 1, 1})}, {in}));
  }
}

TEST(MaxPool, Transposed) {
  const Tensor in = random_tensor(DType::kF32, {2, 3, 9, 8}, -9, -1, 1);
  expect_as_reference_transposed(
      make_op("MaxPool", 12, {list("kernel_shape", {3, 2}), list("pads", {1, 1, 0, 0})}, {in}));
}

TEST(MaxPool, PropagatesNaNAndInfinities) {
  const Tensor in = Tensor::f32({1, 1, 6}, {1, kNaN, 2, -kInf, -kInf, kInf});
  const auto y = floats(run_one(make_op("MaxPool", 12, {list("kernel_shape", {2})}, {in})));
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
  EXPECT_EQ(y[2], 2);
  EXPECT_EQ(y[3], -kInf);
  EXPECT_EQ(y[4], kInf);
}

TEST(MaxPool, CeilWindowsMustStartInsideInputAndBeginPad) {
  const AttributeMap attributes = {list("kernel_shape", {2}), list("strides", {2}),
                                   list("pads", {1, 1}), flag("ceil_mode")};
  const Tensor in = Tensor::f32({1, 1, 5}, {1, 2, 3, 4, 5});
  EXPECT_THAT(floats(run_one(make_op("MaxPool", 12, attributes, {in}))), ElementsAre(1, 3, 5));
}

TEST(MaxPool, OfAZeroPaddedInputKeepsTheZeros) {
  const Tensor in = Tensor::f32({1, 1, 3, 3}, {-1, -2, -3, -4, -5, -6, -7, -8, -9});
  const Tensor padded = run_one(make_op("Pad", 10, {list("pads", {0, 0, 1, 1, 0, 0, 1, 1})}, {in}));
  const Tensor y = run_one(make_op("MaxPool", 12, {list("kernel_shape", {3, 3})}, {padded}));
  EXPECT_THAT(floats(y), ElementsAre(0, 0, 0, 0, -1, 0, 0, 0, 0));
  const Tensor own = run_one(
      make_op("MaxPool", 12, {list("kernel_shape", {3, 3}), list("pads", {1, 1, 1, 1})}, {in}));
  EXPECT_THAT(floats(own), ElementsAre(-1, -1, -2, -1, -1, -2, -4, -4, -5));
}

TEST(AveragePoolSlow, EveryWindowAsTheReference) {
  for (const PoolCase& c : cases()) {
    SCOPED_TRACE(c.what);
    const Tensor in = random_tensor(DType::kF32, c.in, -1, 1, 1);
    for (const std::int64_t include_pad : {0, 1}) {
      SCOPED_TRACE(include_pad);
      AttributeMap attributes = c.attributes;
      attributes["count_include_pad"] = include_pad;
      expect_as_reference(make_op("AveragePool", 12, attributes, {in}));
    }
  }
}

TEST(AveragePool, CeilModeAlsoHoldsUnderVALID) {
  const Tensor in = Tensor::f32({1, 1, 6}, {0, 1, 2, 3, 4, 5});
  const AttributeMap attributes = {list("kernel_shape", {3}), list("strides", {2}),
                                   automatic("VALID"), flag("ceil_mode")};
  const Tensor y = run_one(make_op("AveragePool", 19, attributes, {in}));
  EXPECT_THAT(floats(y), ElementsAre(1, 3, 4.5));
}

TEST(AveragePool, DilatedAsTheReference) {
  const Tensor in = random_tensor(DType::kF32, {1, 3, 9, 8}, -1, 1, 1);
  for (const std::int64_t include_pad : {0, 1}) {
    expect_as_reference(
        make_op("AveragePool", 19,
                {list("kernel_shape", {3, 2}), list("dilations", {2, 3}),
                 list("pads", {2, 1, 1, 2}), flag("count_include_pad", include_pad)},
                {in}));
  }
}

TEST(AveragePool, NarrowFloats) {
  const AttributeMap attributes = {list("kernel_shape", {3, 3}), list("pads", {1, 1, 1, 1})};
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF64}) {
    const Tensor in = random_tensor(dtype, {1, 2, 7, 8}, -1, 1, 1);
    expect_as_reference(make_op("AveragePool", 12, attributes, {in}));
  }
}

TEST(AveragePool, CeilOutputsOfSevenByThree) {
  const Ints floor_sizes = {2, 3, 3, 3, 4}, ceil_sizes = {3, 3, 4, 4, 4};
  for (std::int64_t n = 6; n <= 10; ++n) {
    for (const std::int64_t ceil_mode : {0, 1}) {
      const AttributeMap attributes = {list("kernel_shape", {7}), list("strides", {3}),
                                       list("pads", {3, 3}), flag("ceil_mode", ceil_mode)};
      const OpCase test =
          make_op("AveragePool", 12, attributes, {random_tensor(DType::kF32, {1, 1, n}, -1, 1, 1)});
      const auto types = find_operator("", "AveragePool")->infer(test.op);
      const auto at = static_cast<std::size_t>(n - 6);
      EXPECT_EQ(types->at(0).dims()[2], ceil_mode == 1 ? ceil_sizes[at] : floor_sizes[at]);
    }
  }
}

TEST(AveragePool, TheDivisorOfACeilWindowCountsPadsButNothingBeyond) {
  // Positions -3 … 10 hold 14 ones and zeros; the last window, 6 … 12, holds 6, 7 and pads 8,
  // 9, 10.
  const AttributeMap attributes = {list("kernel_shape", {7}), list("strides", {3}),
                                   list("pads", {3, 3}), flag("ceil_mode"),
                                   flag("count_include_pad")};
  const Tensor in = Tensor::f32({1, 1, 8}, std::vector<float>(8, 1.0F));
  const auto y = floats(run_one(make_op("AveragePool", 12, attributes, {in})));
  EXPECT_FLOAT_EQ(y[0], 4.0F / 7);
  EXPECT_FLOAT_EQ(y[3], 2.0F / 5);
}

TEST(Pool, FactsAndAnchor) {
  OpCase test = make_op("MaxPool", 12, {list("kernel_shape", {3, 2}), list("strides", {2, 1})},
                        {random_tensor(DType::kF32, {1, 4, 9, 8}, -1, 1, 1)});
  const Operator* rule = find_operator("", "MaxPool");
  test.op.outputs = rule->infer(test.op).value();
  ASSERT_TRUE(rule->canonicalise(test.op).has_value());
  EXPECT_EQ(rule->anchor(test.op), "pool");
  const Facts wanted = {{"n", 1},        {"c", 4},        {"y", 4},          {"x", 7},
                        {"ry", 3},       {"rx", 2},       {"in_y", 9},       {"in_x", 8},
                        {"stride_y", 2}, {"stride_x", 1}, {"dilation_y", 1}, {"dilation_x", 1}};
  EXPECT_EQ(rule->facts(test.op), wanted);
}

TEST(Pool, Refusals) {
  const Tensor in = random_tensor(DType::kF32, {1, 1, 4, 4}, -1, 1, 1);
  EXPECT_EQ(refusal_of(make_op("MaxPool", 12,
                               {list("kernel_shape", {2, 2}), list("pads", {2, 0, 0, 0})}, {in})),
            "MaxPool 'node': it pads spatial axis 0 by (2,0) but its window spans 2, so that some "
            "windows would see padding only; correct pads [onnx-attribute]");
  const Tensor none = random_tensor(DType::kF32, {1, 1, 0, 4}, -1, 1, 1);
  EXPECT_EQ(refusal_of(make_op("MaxPool", 12, {list("kernel_shape", {3, 3})}, {none})),
            "MaxPool 'node': its window spans 3 positions of spatial axis 0 but the padded input "
            "has 0; pass a larger --shape [onnx-shape]");
  EXPECT_EQ(
      refusal_of(make_op("AveragePool", 12,
                         {list("kernel_shape", {3, 3}), list("pads", {2, 0, 2, 0})}, {none})),
      "AveragePool 'node': spatial axis 0 of its input is empty but pads (2,2) make 2 windows of "
      "it, which would see padding only; pass a larger --shape [onnx-shape]");
  EXPECT_EQ(refusal_of(make_op("AveragePool", 12, {}, {in})),
            "AveragePool 'node': its kernel is [] but its input f32[1,1,4,4] needs 2 positive "
            "extents; correct kernel_shape [onnx-attribute]");
}

TEST(GlobalPool, AsTheReference) {
  for (const char* type : {"GlobalAveragePool", "GlobalMaxPool"}) {
    SCOPED_TRACE(type);
    for (const Ints& dims :
         {Ints{2, 7, 9, 8}, Ints{1, 3, 1, 1}, Ints{1, 9, 31}, Ints{1, 2, 3, 4, 5}}) {
      expect_as_reference(make_op(type, 1, {}, {random_tensor(DType::kF32, dims, -9, -1, 1)}));
    }
  }
  const Tensor narrow = random_tensor(DType::kF16, {1, 3, 9, 31}, 0, 300, 1);
  expect_as_reference(make_op("GlobalAveragePool", 1, {}, {narrow}));
}

TEST(GlobalPool, MaximumOfNarrowFloatsKeepsNaN) {
  const Tensor x = Tensor::of<std::uint16_t>(DType::kBF16, {1, 2, 3},
                                             {0x3f80, 0x7fc0, 0xff80, 0xffc1, 0x7f80, 0});
  const std::vector<double> y = run_one(make_op("GlobalMaxPool", 22, {}, {x})).to_doubles();
  EXPECT_TRUE(std::isnan(y.at(0)) && std::isnan(y.at(1)));
}

std::vector<std::int64_t> places(const Ints& in, AttributeMap attributes) {
  OpCase test =
      make_op("MaxPool", 12, std::move(attributes), {random_tensor(DType::kF32, in, -2, 2, 3)});
  test.op.outputs.resize(2);
  const auto both = run_op(test);
  EXPECT_TRUE(both.has_value());
  const auto data = both->at(1).data<std::int64_t>();
  return {data.begin(), data.end()};
}

TEST(MaxPool, FirstPlaceOfEachMaximum) {
  const Tensor x = Tensor::f32({1, 2, 4}, {1, 5, 5, 2, kNaN, 7, kNaN, -kInf});
  OpCase test = make_op("MaxPool", 12, {list("kernel_shape", {2}), list("pads", {1, 1})}, {x});
  test.op.outputs.resize(2);
  const auto both = run_op(test);
  ASSERT_TRUE(both.has_value());
  EXPECT_THAT(both->at(1).data<std::int64_t>(), ElementsAre(0, 1, 1, 2, 3, 4, 4, 6, 6, 7));
}

TEST(MaxPoolSlow, PlacesInEitherOrderAsTheReference) {
  for (const std::int64_t order : {0, 1}) {
    for (const PoolCase& c : cases()) {
      SCOPED_TRACE(c.what);
      AttributeMap attributes = c.attributes;
      attributes["storage_order"] = order;
      OpCase test =
          make_op("MaxPool", 12, attributes, {random_tensor(DType::kF32, c.in, -2, 2, 3)});
      test.op.outputs.resize(2);
      const RefTensor x = RefTensor::from(*test.values[0]);
      const RefTensor* inputs[] = {&x};
      const auto want = evaluate_reference(test.op, inputs, RefPrecision::kDouble);
      ASSERT_TRUE(want.has_value());
      EXPECT_EQ(places(c.in, attributes), want->at(1).integer);
    }
  }
}

TEST(LpPoolSlow, EveryWindowAndPowerAsTheReference) {
  for (const PoolCase& c : cases()) {
    for (const std::int64_t p : {2, 3}) {
      SCOPED_TRACE(c.what + std::to_string(p));
      AttributeMap attributes = c.attributes;
      attributes["p"] = p;
      expect_as_reference(
          make_op("LpPool", 18, attributes, {random_tensor(DType::kF32, c.in, -2, 2, 3)}));
    }
  }
}

TEST(GlobalLpPool, AsTheReference) {
  for (const std::int64_t p : {1, 2, 3}) {
    expect_as_reference(make_op("GlobalLpPool", 2, {{"p", p}},
                                {random_tensor(DType::kF32, {2, 3, 5, 7}, -2, 2, 3)}));
  }
  EXPECT_EQ(difference(run_one(make_op("GlobalLpPool", 2, {}, {Tensor::f32({1, 1, 2}, {3, -4})})),
                       {5}, 1e-6),
            "");
}

OpCase unpool(const Ints& dims, const Ints& places, AttributeMap attributes, Ints out = {}) {
  std::vector<std::optional<Tensor>> values = {random_tensor(DType::kF32, dims, 1, 2, 3),
                                               Tensor::i64(dims, places)};
  if (out.empty()) return make_op("MaxUnpool", 11, std::move(attributes), std::move(values));
  values.push_back(Tensor::i64({static_cast<std::int64_t>(out.size())}, out));
  return make_op("MaxUnpool", 11, std::move(attributes), std::move(values), {2});
}

TEST(MaxUnpool, AsTheReference) {
  const AttributeMap two = {list("kernel_shape", {2, 2}), list("strides", {2, 2})};
  expect_as_reference(unpool({1, 1, 2, 2}, {5, 7, 13, 15}, two));
  expect_as_reference(unpool({1, 1, 2, 2}, {5, 7, 13, 15}, two, {1, 1, 5, 6}));
  expect_as_reference(
      unpool({1, 2, 3}, {0, 3, 5, 6, 9, 11}, {list("kernel_shape", {2}), list("strides", {2})}));
  EXPECT_THAT(refusal_of(unpool({1, 1, 2, 2}, {5, 7, 13, 15}, two, {1, 1, 3, 6})),
              testing::HasSubstr("[1,1,4,4], which it must not cut"));
}

}  // namespace
}  // namespace frit::test
