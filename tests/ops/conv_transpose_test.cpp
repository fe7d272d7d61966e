// ConvTranspose: every form against the scattering reference, its shape rule, and its refusals.
#include "ops/conv_transpose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

OpCase transposed(const Ints& in, const Ints& w, const AttributeMap& attributes,
                  bool biased = false, DType dtype = DType::kF32) {
  const std::int64_t group = int_attribute(attributes, "group", 1);
  std::vector<std::optional<Tensor>> values = {random_tensor(dtype, in, -1, 1, 1),
                                               random_tensor(dtype, w, -1, 1, 2)};
  if (biased) values.push_back(random_tensor(dtype, {w[1] * group}, -1, 1, 3));
  return make_op("ConvTranspose", 11, attributes, values, {1});
}

struct TransposedCase {
  const char* what;
  Ints in, w;
  AttributeMap attributes;
};

std::vector<TransposedCase> cases() {
  const auto group = [](std::int64_t count) { return std::pair("group", count); };
  const auto list = [](const char* name, Ints values) {
    return std::pair(name, std::move(values));
  };
  const auto automatic = [](const char* mode) { return std::pair("auto_pad", std::string(mode)); };
  return {
      {"one element", {1, 1, 1, 1}, {1, 1, 1, 1}, {}},
      {"three by three, stride one", {1, 3, 8, 9}, {3, 8, 3, 3}, {list("pads", {1, 1, 1, 1})}},
      {"one channel out, in whole cells", {2, 7, 5, 6}, {7, 1, 2, 2}, {list("strides", {2, 2})}},
      {"two channels out, cells of two by three, overlapping",
       {1, 3, 5, 6},
       {3, 2, 4, 5},
       {list("strides", {2, 3}), list("pads", {2, 3, 0, 5}), list("output_padding", {0, 2})}},
      {"two by two, stride two: no overlap", {1, 7, 9, 8}, {7, 5, 2, 2}, {list("strides", {2, 2})}},
      {"three by three, stride two: phases of one and two taps",
       {2, 3, 7, 8},
       {3, 4, 3, 3},
       {list("strides", {2, 2}), list("pads", {1, 1, 1, 1}), list("output_padding", {1, 1})}},
      {"four by four, stride two, pads",
       {1, 3, 5, 7},
       {3, 2, 4, 4},
       {list("strides", {2, 2}), list("pads", {1, 1, 1, 1})}},
      {"stride beyond the kernel", {1, 2, 4, 3}, {2, 3, 2, 1}, {list("strides", {5, 3})}},
      {"stride and dilation without a common factor",
       {1, 1, 3, 4},
       {1, 2, 3, 3},
       {list("strides", {2, 2}), list("dilations", {3, 1})}},
      {"stride two, dilation two: every other output is the bias",
       {1, 2, 4, 5},
       {2, 2, 3, 2},
       {list("strides", {2, 2}), list("dilations", {2, 2})}},
      {"stride four, dilation six",
       {1, 1, 5, 5},
       {1, 1, 3, 4},
       {list("strides", {4, 4}), list("dilations", {6, 2})}},
      {"uneven pads", {1, 2, 5, 6}, {2, 3, 3, 5}, {list("pads", {0, 3, 2, 1})}},
      {"output padding of three",
       {1, 1, 2, 3},
       {1, 1, 2, 2},
       {list("strides", {3, 2}), list("output_padding", {2, 1})}},
      {"output_shape takes from the begin",
       {1, 1, 3, 3},
       {1, 2, 3, 3},
       {list("strides", {3, 2}), list("output_shape", {8, 6})}},
      {"output_shape larger than what there is",
       {1, 1, 3, 3},
       {1, 2, 3, 3},
       {list("strides", {3, 2}), list("output_shape", {10, 8})}},
      {"output_shape of all axes",
       {1, 1, 3, 3},
       {1, 2, 3, 3},
       {list("strides", {3, 2}), list("output_shape", {1, 2, 8, 6})}},
      {"SAME_UPPER",
       {1, 1, 3, 4},
       {1, 2, 3, 3},
       {list("strides", {2, 2}), automatic("SAME_UPPER")}},
      {"SAME_LOWER",
       {1, 1, 3, 4},
       {1, 2, 3, 3},
       {list("strides", {2, 2}), automatic("SAME_LOWER")}},
      {"VALID", {1, 1, 3, 4}, {1, 2, 3, 3}, {list("strides", {2, 2}), automatic("VALID")}},
      {"depthwise",
       {1, 9, 5, 6},
       {9, 1, 4, 4},
       {group(9), list("strides", {2, 2}), list("pads", {1, 1, 1, 1})}},
      {"two groups", {1, 4, 5, 6}, {4, 3, 3, 3}, {group(2), list("strides", {2, 1})}},
      {"depthwise with multiplier", {1, 3, 5, 6}, {3, 2, 2, 2}, {group(3)}},
      {"one dimension", {2, 3, 9}, {3, 5, 7}, {list("strides", {3}), list("pads", {3, 2})}},
      {"three dimensions", {1, 2, 3, 4, 2}, {2, 3, 2, 3, 1}, {list("strides", {1, 2, 3})}},
  };
}

TEST(ConvTransposeSlow, EveryFormAsTheReference) {
  for (const TransposedCase& c : cases()) {
    SCOPED_TRACE(c.what);
    expect_as_reference(transposed(c.in, c.w, c.attributes, /*biased=*/true));
  }
}

TEST(ConvTranspose, WithoutBiasAsTheReference) {
  expect_as_reference(transposed({1, 3, 5, 7}, {3, 8, 4, 4}, {{"strides", Ints{2, 2}}}));
  expect_as_reference(transposed({1, 3, 5, 7}, {3, 1, 2, 2}, {{"strides", Ints{2, 2}}}));
}

TEST(ConvTranspose, Transposed) {
  expect_as_reference_transposed(transposed({2, 3, 5, 4}, {3, 7, 3, 3},
                                            {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}));
}

TEST(ConvTranspose, NarrowFloatsAreSummedInFloat32) {
  const AttributeMap two = {{"strides", Ints{2, 2}}};
  expect_as_reference(transposed({1, 31, 3, 4}, {31, 3, 2, 2}, two, true, DType::kF16));
  expect_as_reference(transposed({1, 31, 3, 4}, {31, 3, 2, 2}, two, true, DType::kBF16));
  expect_as_reference(transposed({1, 7, 3, 4}, {7, 3, 3, 3}, two, true, DType::kF64));
}

TEST(ConvTranspose, EmptyExtents) {
  expect_as_reference(transposed({1, 3, 0, 4}, {3, 2, 2, 3}, {{"strides", Ints{2, 2}}}));
  // Nothing but the bias: stride * (0 - 1) + 3 = 2 rows that no input reaches.
  expect_as_reference(transposed({1, 3, 0, 4}, {3, 2, 3, 3}, {}, true));
  // What output_shape asks for may be more than output_padding may state, in every later form too.
  expect_as_reference(transposed({1, 1, 3, 3}, {1, 1, 2, 2}, {{"output_shape", Ints{7, 9}}}));
  expect_as_reference(transposed({0, 3, 4, 4}, {3, 2, 3, 3}, {{"strides", Ints{2, 2}}}));
  expect_as_reference(transposed({1, 0, 5, 5}, {0, 2, 3, 3}, {}, true));
}

TEST(ConvTranspose, AddsWhereWindowsOverlapAndPadsCutTheBegin) {
  const Tensor in = Tensor::f32({1, 1, 3}, {1, 10, 100});
  const Tensor w = Tensor::f32({1, 1, 3}, {1, 2, 3});
  const auto run = [&](const Ints& strides, const Ints& pads) {
    const Tensor out =
        run_one(make_op("ConvTranspose", 11, {{"strides", strides}, {"pads", pads}}, {in, w}, {1}));
    return std::vector<float>(out.data<float>().begin(), out.data<float>().end());
  };
  EXPECT_THAT(run({2}, {0, 0}), ElementsAre(1, 2, 13, 20, 130, 200, 300));
  EXPECT_THAT(run({2}, {1, 2}), ElementsAre(2, 13, 20, 130));
  EXPECT_THAT(run({4}, {0, 0}), ElementsAre(1, 2, 3, 0, 10, 20, 30, 0, 100, 200, 300));
}

TEST(ConvTranspose, NoTapIsNoProduct) {
  // Outputs 1, 3 of stride 2 meet no tap of the kernel of one, so that infinity does not reach
  // them.
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor in = Tensor::f32({1, 1, 2}, {inf, 5}), w = Tensor::f32({1, 1, 1}, {1});
  const Tensor out = run_one(make_op(
      "ConvTranspose", 11, {{"strides", Ints{2}}, {"output_padding", Ints{1}}}, {in, w}, {1}));
  EXPECT_THAT(std::vector<float>(out.data<float>().begin(), out.data<float>().end()),
              ElementsAre(inf, 0, 5, 0));
}

TEST(ConvTranspose, CanonicalFormResolvesAutoPadAndOutputShape) {
  const auto canonical = [](const AttributeMap& attributes) {
    OpInstance op = transposed({1, 1, 3, 3}, {1, 1, 3, 3}, attributes).op;
    const Operator* rule = find_operator("", "ConvTranspose");
    op.outputs = rule->infer(op).value();
    EXPECT_TRUE(rule->canonicalise(op).has_value());
    return std::pair(ints_attribute(op.attributes, "pads", {}),
                     ints_attribute(op.attributes, "output_padding", {}));
  };
  const auto [lower, none] = canonical({{"strides", Ints{2, 2}}, {"output_shape", Ints{6, 6}}});
  EXPECT_THAT(lower, ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(none, ElementsAre(0, 0));
  const auto [upper, also_none] =
      canonical({{"strides", Ints{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}});
  EXPECT_THAT(upper, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(also_none, ElementsAre(0, 0));
  const auto [zero, more] = canonical({{"strides", Ints{2, 2}}, {"output_shape", Ints{9, 8}}});
  EXPECT_THAT(zero, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(more, ElementsAre(2, 1));
}

TEST(ConvTranspose, SaysItsFactsToSchedules) {
  OpInstance op = transposed({1, 24, 5, 6}, {24, 7, 3, 2}, {{"strides", Ints{2, 2}}}).op;
  const Operator* rule = find_operator("", "ConvTranspose");
  op.outputs = rule->infer(op).value();
  ASSERT_TRUE(rule->canonicalise(op).has_value());
  EXPECT_EQ(rule->anchor(op), "conv_transpose2d");
  const Facts facts = rule->facts(op);
  EXPECT_EQ(facts.at("k"), 7);
  EXPECT_EQ(facts.at("c"), 24);
  EXPECT_EQ(facts.at("y"), 11);
  EXPECT_EQ(facts.at("x"), 12);
  EXPECT_EQ(facts.at("ry"), 2);  // phases of two taps and of one
  EXPECT_EQ(facts.at("rx"), 1);
  EXPECT_EQ(facts.at("kernel_y"), 3);
  EXPECT_EQ(facts.at("stride_x"), 2);
  EXPECT_THAT(rule->constant_axes(op, 1), ElementsAre("c", "k", "ry", "rx"));
  EXPECT_EQ(rule->counts(op).flop, 2 * 24 * 5 * 6 * 7 * 3 * 2);
}

TEST(ConvTranspose, Refusals) {
  const auto why = [](const Ints& in, const Ints& w, const AttributeMap& attributes) {
    return refusal_of(transposed(in, w, attributes));
  };
  EXPECT_EQ(why({1, 4, 3, 3}, {3, 2, 3, 3}, {}),
            "ConvTranspose 'node': its weights f32[3,2,3,3] ask for 3 channels but its input "
            "f32[1,4,3,3] has 4; re-export the model or pass --shape [onnx-shape]");
  EXPECT_EQ(why({1, 4, 3, 3}, {4, 2, 3, 3}, {{"group", std::int64_t{3}}}),
            "ConvTranspose 'node': group is 3 but its input f32[1,4,3,3] has 4 channels, which it "
            "must divide; correct the attribute [onnx-attribute]");
  EXPECT_EQ(
      why({1, 1, 1, 3}, {1, 1, 3, 3}, {{"pads", Ints{2, 0, 1, 0}}}),
      "ConvTranspose 'node': spatial axis 0 of its input has 1, which makes 3 in its output, "
      "but pads (2,1) take away 3; correct pads or pass a larger --shape [onnx-shape]");
  EXPECT_EQ(
      why({1, 1, 0, 3}, {1, 1, 3, 3}, {{"strides", Ints{4, 1}}}),
      "ConvTranspose 'node': spatial axis 0 of its input has 0, which makes -1 in its output, "
      "but pads (0,0) take away 0; correct pads or pass a larger --shape [onnx-shape]");
  EXPECT_EQ(
      why({1, 1, 3, 3}, {1, 1, 3, 3}, {{"strides", Ints{1, 2}}, {"output_padding", Ints{0, 2}}}),
      "ConvTranspose 'node': output_padding is 2 along spatial axis 1 but stride 2 and "
      "dilation 1 allow at most 1; correct the attribute [onnx-attribute]");
  EXPECT_EQ(why({1, 1, 3, 3}, {1, 1, 3, 3}, {{"output_shape", Ints{4}}}),
            "ConvTranspose 'node': output_shape is [4] but its input f32[1,1,3,3] needs 2 positive "
            "extents; correct the attribute [onnx-attribute]");
  EXPECT_THAT(
      why({1, 1, 3, 3}, {1, 1, 3, 3}, {{"auto_pad", std::string("SAME")}}),
      HasSubstr("auto_pad is \"SAME\" but must be NOTSET, VALID, SAME_UPPER or SAME_LOWER"));
  EXPECT_THAT(why({1, 1, 3, 3}, {1, 1, 3, 3}, {{"strides", Ints{0, 1}}}),
              HasSubstr("strides is [0,1] but each value must be from 1"));
  EXPECT_THAT(why({1, 1, 3, 3}, {1, 1, 3}, {}), HasSubstr("both need the same rank, 3 or more"));
  EXPECT_THAT(why({1, 1, 3, 3}, {1, 1 << 20, 1, 1}, {{"strides", Ints{1 << 12, 1 << 12}}}),
              HasSubstr("[onnx-shape]"));
}

}  // namespace
}  // namespace frit::test
