// Storage: order, halo, views, parts; conversions only where the caller's order differs.
#include "generators/fusion/layout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/generators/fusion/plan_testing.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

ValueId reshape(GraphBuilder& b, const std::string& name, ValueId x, const Ints& dims) {
  return b.add("Reshape", name,
               {x, b.constant(name + ".shape",
                              Tensor::i64({static_cast<std::int64_t>(dims.size())}, dims))});
}
ValueId transpose(GraphBuilder& b, const std::string& name, ValueId x, const Ints& perm) {
  return b.add("Transpose", name, {x}, {{"perm", perm}});
}

TEST(Layout, HaloIsTheLargestReachOfTheReaders) {
  GraphBuilder b;
  const ValueId a = b.conv("a", b.input("x", {1, 4, 9, 9}), 8, 1);
  const ValueId wide = b.conv("wide", a, 8, 5);
  const ValueId narrow = b.conv("narrow", a, 8, 3);
  b.output(b.add("GlobalAveragePool", "g", {b.add("Add", "s", {wide, narrow})}));
  const Planned p = plan_of(b);
  const Storage& storage = p.storage("a");
  EXPECT_EQ(storage.order, (std::vector<int>{1, 3, 2, 0}));
  EXPECT_EQ(storage.halo_low, (Ints{0, 0, 2, 2}));
  EXPECT_EQ(storage.halo_high, (Ints{0, 0, 2, 2}));
  EXPECT_EQ(storage.halo_fill, 0.0);
}

TEST(Layout, WhereFillsDisagreeTheOneWithMoreWorkWins) {  // K7
  GraphBuilder b;
  const ValueId a = b.conv("a", b.input("x", {1, 4, 9, 9}), 8, 1);
  const ValueId pool =
      b.add("MaxPool", "pool", {a}, {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}});
  b.output(b.add("GlobalAveragePool", "g", {b.add("Add", "s", {b.conv("c", a, 8, 3), pool})}));
  EXPECT_EQ(plan_of(b).storage("a").halo_fill, 0.0);
}

TEST(Layout, PoolAloneGetsItsOwnFill) {
  GraphBuilder b;
  const ValueId a = b.conv("a", b.input("x", {1, 4, 9, 9}), 8, 1);
  const ValueId pool =
      b.add("MaxPool", "pool", {a}, {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}});
  b.output(b.add("GlobalAveragePool", "g", {pool}));
  EXPECT_LT(plan_of(b).storage("a").halo_fill, -1e30);
}

TEST(Layout, OutputOfAConvolutionIsConvertedForTheCaller) {
  GraphBuilder b;
  const ValueId c = b.conv("c", b.input("x", {1, 4, 9, 9}), 8, 3);
  b.output(b.add("Relu", "r", {c}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"x/layout", "c r", "r/layout"}));
  EXPECT_EQ(p.edge("r", "r/layout").code, "layout");
  EXPECT_EQ(p.plan.groups.back().anchor, "transpose");
}

TEST(Layout, OneByOneSpatialOutputNeedsNoConversion) {
  GraphBuilder b;
  const ValueId g =
      b.add("GlobalAveragePool", "g", {b.conv("c", b.input("x", {1, 4, 9, 9}), 8, 3)});
  b.output(b.conv("d", g, 16, 1));
  EXPECT_EQ(plan_of(b).groups("kernel"), (std::vector<std::string>{"x/layout", "c", "g", "d"}));
}

TEST(Layout, PointwiseBehindNoAnchorWritesTheCallersOrderItself) {
  GraphBuilder b;
  const ValueId c = b.conv("c", b.input("x", {1, 4, 9, 9}), 8, 3);
  b.output(b.add("GlobalAveragePool", "g", {c}));
  b.output(b.add("Exp", "e", {c}));
  EXPECT_EQ(plan_of(b).groups("kernel"),
            (std::vector<std::string>{"x/layout", "c", "g", "e e/layout"}));
}

TEST(Layout, ConcatOfConvolutionsIsWrittenInPlace) {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 4, 9, 9});
  const ValueId l = b.conv("l", x, 8, 3), r = b.conv("r", x, 16, 3);
  const ValueId joined = b.add("Concat", "joined", {l, r}, {{"axis", std::int64_t{1}}});
  b.output(b.add("GlobalAveragePool", "g", {b.conv("next", joined, 8, 3)}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"x/layout", "l", "r", "next", "g"}));
  EXPECT_EQ(p.groups("alias"), (std::vector<std::string>{"joined"}));
  const Storage& right = p.storage("r");
  EXPECT_TRUE(right.is_view());
  EXPECT_EQ(right.strides, (Ints{24 * 121, 1, 24 * 11, 24}));
  EXPECT_EQ(right.offset, 24 * 12 + 8);
  EXPECT_EQ(first_offset(right, {1, 16, 9, 9}), 8);
  EXPECT_EQ(p.edge("l", "joined").code, "view");
}

ValueId upsampled(GraphBuilder& b, const std::string& name, ValueId x, float scale) {
  const ValueId scales = b.constant(name + ".scales", Tensor::f32({4}, {1, 1, scale, scale}));
  return b.add("Resize", name, {x, kNone, scales},
               {{"mode", std::string("nearest")},
                {"coordinate_transformation_mode", std::string("asymmetric")},
                {"nearest_mode", std::string("floor")}});
}

TEST(Layout, UpsampledBranchesAreWrittenStraightIntoTheirConcat) {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 4, 16, 16});
  const ValueId fine = b.conv("fine", x, 24, 3);
  const ValueId coarse = b.conv("coarse", fine, 24, 3, 2);
  const ValueId up = upsampled(b, "up", coarse, 2);
  const ValueId joined = b.add("Concat", "joined", {up, fine}, {{"axis", std::int64_t{1}}});
  b.output(b.add("GlobalAveragePool", "g", {b.conv("after", joined, 8, 3)}));
  const Planned p = plan_of(b);
  for (const char* part : {"up", "fine"}) {
    EXPECT_TRUE(p.storage(part).view) << part;
    EXPECT_EQ(p.storage(part).order, (std::vector<int>{1, 3, 2, 0})) << part;
    EXPECT_EQ(p.storage(part).strides[3], 48) << part;
  }
  EXPECT_EQ(p.storage("fine").offset, p.storage("up").offset + 24);
}

TEST(Layout, AnUpsampledValueIsAddedWithoutBeingStored) {
  GraphBuilder b;
  const ValueId fine = b.conv("fine", b.input("x", {1, 4, 16, 16}), 24, 3);
  const ValueId coarse = b.conv("coarse", fine, 24, 3, 2);
  const ValueId sum = b.add("Add", "sum", {fine, upsampled(b, "up", coarse, 2)});
  b.output(b.add("GlobalAveragePool", "g", {b.conv("after", sum, 8, 3)}));
  const std::vector<std::string> groups = plan_of(b).groups("kernel");
  EXPECT_NE(std::find(groups.begin(), groups.end(), "up sum"), groups.end());
}

TEST(Layout, ConcatOfTheSameValueTwiceIsCopied) {
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {4, 8}), b.constant("w", {8, 8})});
  const ValueId twice = b.add("Concat", "twice", {m, m}, {{"axis", std::int64_t{0}}});
  b.output(b.add("MatMul", "n", {twice, b.constant("v", {8, 8})}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"m", "twice", "n"}));
  EXPECT_EQ(p.edge("m", "twice").sentence,
            "'m' should be written straight into 'twice', but it stands there twice");
}

TEST(Layout, AttentionHeadsAreViewsAndTheTransposedKeyIsCopied) {
  GraphBuilder b;
  const ValueId qkv =
      b.add("MatMul", "qkv", {b.input("x", {1, 40, 120}), b.constant("w", {120, 360})});
  const ValueId heads =
      transpose(b, "heads", reshape(b, "split", qkv, {1, 40, 3, 8, 15}), {2, 0, 3, 1, 4});
  std::vector<ValueId> part;
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::string name = "part" + std::to_string(i);
    const ValueId slice = b.add("Slice", name,
                                {heads, b.constant(name + ".s", Tensor::i64({1}, {i})),
                                 b.constant(name + ".e", Tensor::i64({1}, {i + 1})),
                                 b.constant(name + ".a", Tensor::i64({1}, {0}))});
    part.push_back(reshape(b, name + "r", slice, {1, 8, 40, 15}));
  }
  const ValueId scores =
      b.add("MatMul", "scores", {part[0], transpose(b, "kt", part[1], {0, 1, 3, 2})});
  const ValueId mixed = b.add("MatMul", "mixed", {scores, part[2]});
  const ValueId joined =
      reshape(b, "joined", transpose(b, "back", mixed, {0, 2, 1, 3}), {1, 40, 120});
  b.output(b.add("MatMul", "last", {joined, b.constant("v", {120, 120})}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"qkv", "kt", "scores", "mixed", "last"}));
  EXPECT_EQ(p.storage("part2r").offset, 240);
  EXPECT_EQ(p.storage("mixed").order, (std::vector<int>{3, 1, 2, 0}));
  EXPECT_EQ(p.edge("part1r", "kt").code, "view");
  EXPECT_EQ(p.edge("kt", "scores").code, "inner-loop");
}

TEST(Layout, SequenceOfAConvolutionIsAViewOfIt) {
  GraphBuilder b;
  const ValueId c = b.conv("c", b.input("x", {1, 4, 1, 40}), 120, 1);
  const ValueId rows = transpose(b, "rows", reshape(b, "flat", c, {1, 120, 40}), {0, 2, 1});
  b.output(b.add("MatMul", "m", {rows, b.constant("w", {120, 8})}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"x/layout", "c", "m"}));
  EXPECT_EQ(p.storage("rows").strides, (Ints{120, 120, 1}));
}

// A channel shuffle: the copy that it cannot do without is written as the convolution reads it.
TEST(Layout, ShuffledChannelsAreWrittenChannelsLast) {
  GraphBuilder b;
  const ValueId c = b.conv("c", b.input("x", {1, 4, 9, 9}), 24, 1);
  const ValueId parts = reshape(b, "parts", c, {1, 4, 6, 9, 9});
  const ValueId turned = transpose(b, "turned", parts, {0, 2, 1, 3, 4});
  const ValueId shuffled = reshape(b, "shuffled", turned, {1, 24, 9, 9});
  const ValueId d = b.conv("d", shuffled, 8, 3);
  b.output(b.add("GlobalAveragePool", "g", {d}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"x/layout", "c", "shuffled", "d", "g"}));
  EXPECT_EQ(p.storage("shuffled").order, (std::vector<int>{1, 3, 2, 0}));
}

TEST(Layout, GraphOutputThatIsAReshapeOwnsTheBuffer) {
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {4, 8}), b.constant("w", {8, 6})});
  b.output(reshape(b, "flat", m, {24}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"m"}));
  EXPECT_EQ(p.plan.alias_of.size(), 1U);
  EXPECT_TRUE(p.storage("m").is_view());
  EXPECT_FALSE(p.storage("flat").is_view());
}

TEST(Layout, TwoOutputsOfTheSameBytesAreTwoBuffers) {  // CASES 76
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {4, 8}), b.constant("w", {8, 6})});
  b.output(m);
  b.output(reshape(b, "flat", m, {24}));
  b.output(b.graph().inputs[0]);
  const Planned p = plan_of(b);
  EXPECT_TRUE(p.plan.alias_of.empty());
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"m", "flat", "x/layout"}));
}

TEST(Layout, AConstantThatIsAnOutputKeepsTheModelsName) {
  GraphBuilder b;
  b.output(b.add("Relu", "y", {b.input("x", {4})}));
  b.output(b.constant("c", Ints{4}));
  Graph graph = b.graph();
  insert_layouts(graph);
  EXPECT_EQ(graph.value(graph.outputs[0]).name, "y");
  EXPECT_EQ(graph.value(graph.outputs[1]).name, "c");
  EXPECT_NE(graph.value(graph.outputs[1]).producer, kNone);
}

TEST(Layout, SplitOutputsThatTheCallerGetsAreCopied) {  // K12
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {4, 8}), b.constant("w", {8, 9})});
  b.add("Split", "s", {m}, {{"axis", std::int64_t{1}}, {"num_outputs", std::int64_t{3}}}, 3);
  const std::vector<ValueId> parts = b.outputs_of("s");
  b.output(parts[1]);
  b.output(b.add("Exp", "e", {parts[0]}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"m", "e", "s_1/layout"}));
}

}  // namespace
}  // namespace frit
