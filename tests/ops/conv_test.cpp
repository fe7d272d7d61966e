// Conv: exact padding of auto_pad, every form against the reference, and its refusals.
#include "ops/conv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

std::vector<float> floats(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

OpCase conv(const Ints& in, const Ints& w, const AttributeMap& attributes, bool biased = false,
            DType dtype = DType::kF32) {
  const auto bias = biased ? std::optional(random_tensor(dtype, {w[0]}, -1, 1, 3)) : std::nullopt;
  std::vector<std::optional<Tensor>> values = {random_tensor(dtype, in, -1, 1, 1),
                                               random_tensor(dtype, w, -1, 1, 2)};
  if (biased) values.push_back(bias);
  return make_op("Conv", 11, attributes, values, {1});
}

struct ConvCase {
  const char* what;
  Ints in, w;
  AttributeMap attributes;
};

std::vector<ConvCase> cases() {
  const auto group = [](std::int64_t count) { return std::pair("group", count); };
  const auto list = [](const char* name, Ints values) {
    return std::pair(name, std::move(values));
  };
  const auto automatic = [](const char* mode) { return std::pair("auto_pad", std::string(mode)); };
  return {
      {"one element", {1, 1, 1, 1}, {1, 1, 1, 1}, {}},
      {"three by three", {1, 3, 8, 9}, {8, 3, 3, 3}, {list("pads", {1, 1, 1, 1})}},
      {"batch of two, one by one", {2, 7, 9, 7}, {9, 7, 1, 1}, {}},
      {"stride two",
       {1, 8, 31, 9},
       {7, 8, 3, 3},
       {list("strides", {2, 2}), list("pads", {1, 1, 1, 1})}},
      {"stride by axis",
       {1, 3, 9, 8},
       {5, 3, 3, 2},
       {list("strides", {2, 1}), list("pads", {1, 0, 0, 1})}},
      {"uneven pads", {1, 2, 7, 8}, {3, 2, 3, 5}, {list("pads", {0, 3, 2, 1})}},
      {"pads not all used",
       {1, 2, 8, 8},
       {3, 2, 3, 3},
       {list("pads", {1, 1, 1, 1}), list("strides", {2, 3})}},
      {"dilated",
       {1, 2, 9, 8},
       {3, 2, 3, 3},
       {list("dilations", {2, 3}), list("pads", {2, 3, 2, 3})}},
      {"dilated depthwise on 5x5",
       {1, 4, 5, 5},
       {4, 1, 3, 3},
       {list("dilations", {2, 2}), list("pads", {2, 2, 2, 2}), group(4)}},
      {"depthwise of height one",
       {1, 9, 1, 31},
       {9, 1, 3, 3},
       {list("pads", {1, 1, 1, 1}), group(9), list("strides", {1, 2})}},
      {"depthwise with multiplier", {1, 3, 7, 7}, {6, 1, 3, 3}, {group(3)}},
      {"two groups", {1, 4, 7, 8}, {6, 2, 3, 3}, {group(2), list("pads", {1, 1, 1, 1})}},
      {"136 channels in four groups", {1, 136, 1, 2}, {136, 34, 1, 1}, {group(4)}},
      {"SAME_UPPER",
       {1, 2, 5, 8},
       {3, 2, 2, 3},
       {automatic("SAME_UPPER"), list("strides", {1, 2})}},
      {"SAME_LOWER",
       {1, 2, 5, 8},
       {3, 2, 2, 3},
       {automatic("SAME_LOWER"), list("strides", {1, 2})}},
      {"SAME_UPPER dilated",
       {1, 1, 7, 9},
       {1, 1, 3, 3},
       {automatic("SAME_UPPER"), list("dilations", {2, 1}), list("strides", {3, 2})}},
      {"VALID", {1, 2, 5, 8}, {3, 2, 2, 3}, {automatic("VALID"), list("strides", {2, 2})}},
      {"stride beyond the window", {1, 2, 9, 9}, {3, 2, 1, 1}, {list("strides", {4, 3})}},
      {"padding beyond the input", {1, 1, 1, 1}, {1, 1, 3, 3}, {list("pads", {0, 0, 4, 2})}},
      {"one dimension", {2, 3, 31}, {5, 3, 7}, {list("strides", {3}), list("pads", {3, 2})}},
      {"one dimension, depthwise", {2, 3, 9}, {3, 1, 3}, {group(3)}},
      {"three dimensions", {1, 2, 4, 5, 3}, {3, 2, 2, 3, 1}, {list("pads", {1, 0, 0, 0, 1, 0})}},
  };
}

TEST(ConvSlow, EveryFormAsTheReference) {
  for (const ConvCase& c : cases()) {
    SCOPED_TRACE(c.what);
    expect_as_reference(conv(c.in, c.w, c.attributes, /*biased=*/false));
  }
}

TEST(Conv, BiasAsTheReference) {
  expect_as_reference(conv({1, 3, 8, 9}, {7, 3, 3, 3}, {}, /*biased=*/true));
  expect_as_reference(conv({1, 4, 7, 8}, {4, 1, 3, 3}, {{"group", std::int64_t{4}}}, true));
  expect_as_reference(conv({1, 4, 7, 8}, {6, 2, 1, 1}, {{"group", std::int64_t{2}}}, true));
}

TEST(Conv, Transposed) {
  expect_as_reference_transposed(conv({2, 3, 8, 9}, {7, 3, 3, 3}, {{"pads", Ints{1, 1, 1, 1}}}));
}

TEST(Conv, NarrowFloatsAreSummedInFloat32) {
  const AttributeMap same = {{"pads", Ints{1, 1, 1, 1}}};
  expect_as_reference(conv({1, 31, 7, 8}, {3, 31, 3, 3}, same, true, DType::kF16));
  expect_as_reference(conv({1, 31, 7, 8}, {3, 31, 3, 3}, same, true, DType::kBF16));
  expect_as_reference(conv({1, 7, 7, 8}, {3, 7, 3, 3}, same, true, DType::kF64));
}

TEST(Conv, EmptyExtents) {
  expect_as_reference(conv({1, 3, 0, 8}, {4, 3, 3, 3}, {{"pads", Ints{1, 1, 1, 1}}}));
  expect_as_reference(conv({1, 3, 0, 8}, {4, 3, 1, 1}, {{"strides", Ints{2, 2}}}));
  expect_as_reference(conv({0, 3, 8, 8}, {4, 3, 3, 3}, {}));
  expect_as_reference(conv({1, 0, 5, 5}, {2, 0, 3, 3}, {}, true));
}

TEST(Conv, SameUpperPadsTheEndSameLowerTheBegin) {
  const Tensor in = Tensor::f32({1, 1, 1, 5}, {1, 2, 3, 4, 5});
  const Tensor w = Tensor::f32({1, 1, 1, 2}, {10, 1});
  const auto run = [&](const std::string& auto_pad) {
    return floats(run_one(make_op("Conv", 11, {{"auto_pad", auto_pad}}, {in, w})));
  };
  EXPECT_THAT(run("SAME_UPPER"), ElementsAre(12, 23, 34, 45, 50));
  EXPECT_THAT(run("SAME_LOWER"), ElementsAre(1, 12, 23, 34, 45));
  EXPECT_THAT(run("VALID"), ElementsAre(12, 23, 34, 45));
}

TEST(Conv, AddsTheBiasOfItsFilter) {
  const Tensor in = Tensor::f32({1, 1, 1, 1}, {5}), w = Tensor::f32({2, 1, 1, 1}, {2, 4});
  const Tensor b = Tensor::f32({2}, {3, 7});
  EXPECT_THAT(floats(run_one(make_op("Conv", 11, {}, {in, w, b}))), ElementsAre(13, 27));
}

/// The operator, the canonical form of `test` and what it states about itself.
struct Facets {
  const Operator* rule = nullptr;
  OpInstance op;
};

Facets canonical(const OpCase& test) {
  Facets facets{find_operator("", test.op.type), test.op};
  facets.op.outputs = facets.rule->infer(facets.op).value();
  EXPECT_TRUE(facets.rule->canonicalise(facets.op).has_value());
  return facets;
}

TEST(Conv, ReachIsWhatIsReadNotWhatIsPadded) {
  const auto [rule, op] = canonical(
      conv({1, 2, 8, 8}, {3, 2, 3, 3}, {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 3}}}));
  EXPECT_THAT(rule->reach(op, 0).low, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(rule->reach(op, 0).high, ElementsAre(0, 0, 0, 0));
  EXPECT_TRUE(rule->reach(op, 1).low.empty());
}

TEST(Conv, AnchorsNameTheLoopNest) {
  const auto anchor = [](const Ints& in, const Ints& w, std::int64_t group) {
    const auto [rule, op] = canonical(conv(in, w, {{"group", group}}));
    return rule->anchor(op);
  };
  EXPECT_EQ(anchor({1, 4, 8, 8}, {4, 4, 3, 3}, 1), "conv2d");
  EXPECT_EQ(anchor({1, 1, 8, 8}, {1, 1, 3, 3}, 1), "conv2d");
  EXPECT_EQ(anchor({1, 4, 8, 8}, {4, 1, 3, 3}, 4), "depthwise");
  EXPECT_EQ(anchor({1, 4, 8, 8}, {8, 1, 3, 3}, 4), "grouped_conv2d");
  EXPECT_EQ(anchor({1, 4, 8}, {8, 4, 3}, 1), "conv1d");
}

TEST(Conv, FactsForSchedules) {
  const auto [rule, op] = canonical(
      conv({2, 4, 9, 8}, {6, 2, 3, 1}, {{"group", std::int64_t{2}}, {"strides", Ints{2, 1}}}));
  const Facts facts = rule->facts(op);
  const Facts wanted = {{"n", 2},          {"k", 6},         {"y", 4},        {"x", 8},
                        {"c", 2},          {"group", 2},     {"ry", 3},       {"rx", 1},
                        {"in_y", 9},       {"in_x", 8},      {"stride_y", 2}, {"stride_x", 1},
                        {"dilation_y", 1}, {"dilation_x", 1}};
  EXPECT_EQ(facts, wanted);
  EXPECT_THAT(rule->constant_axes(op, 1), ElementsAre("k", "c", "ry", "rx"));
  EXPECT_EQ(rule->constant_role(op, 1), "w");
}

TEST(Conv, Refusals) {
  EXPECT_EQ(refusal_of(conv({1, 4, 8, 8}, {64, 3, 7, 7}, {})),
            "Conv 'node': its weights f32[64,3,7,7] and group 1 ask for 3 channels but its input "
            "f32[1,4,8,8] has 4; re-export the model or pass --shape [onnx-shape]");
  EXPECT_EQ(refusal_of(conv({1, 3, 4, 8}, {8, 3, 7, 7}, {{"pads", Ints{1, 1, 1, 1}}})),
            "Conv 'node': its window spans 7 positions of spatial axis 0 but the padded input has "
            "6; pass a larger --shape [onnx-shape]");
  EXPECT_EQ(refusal_of(conv({1, 3, 0, 8}, {8, 3, 3, 3}, {})),
            "Conv 'node': its window spans 3 positions of spatial axis 0 but the padded input has "
            "0; pass a larger --shape [onnx-shape]");
  EXPECT_EQ(refusal_of(conv({1, 3, 0, 8}, {8, 3, 3, 3}, {{"strides", Ints{5, 5}}})),
            "Conv 'node': its window spans 3 positions of spatial axis 0 but the padded input has "
            "0; pass a larger --shape [onnx-shape]");
  EXPECT_EQ(refusal_of(conv({1, 4, 8, 8}, {6, 2, 3, 3}, {{"group", std::int64_t{4}}})),
            "Conv 'node': group is 4 but its weights f32[6,2,3,3] have 6 filters, which it must "
            "divide; correct the attribute [onnx-attribute]");
  EXPECT_EQ(refusal_of(conv({1, 4, 8, 8}, {4, 4, 3, 3}, {{"kernel_shape", Ints{5, 5}}})),
            "Conv 'node': kernel_shape is [5,5] but its weights are f32[4,4,3,3]; correct the "
            "attribute [onnx-attribute]");
  EXPECT_EQ(refusal_of(conv({1, 4, 8, 8}, {4, 4, 3, 3},
                            {{"pads", Ints{1, 1, 1, 1}}, {"auto_pad", std::string("VALID")}})),
            "Conv 'node': auto_pad is VALID but pads is [1,1,1,1]; ONNX allows only one of them, "
            "remove the other [onnx-attribute]");
  EXPECT_EQ(
      refusal_of(conv({1, 4, 8, 8}, {4, 4, 3, 3}, {{"strides", Ints{0, 1}}})),
      "Conv 'node': strides is [0,1] but each value must be from 1 to 1073741824; correct the "
      "attribute [onnx-attribute]");
}

}  // namespace
}  // namespace frit::test
