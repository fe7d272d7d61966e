#include <gtest/gtest.h>

#include "generators/passes/passes.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::Ints;
using testing::ModelBuilder;

std::string left_by_identity(const ModelBuilder& m) {
  Graph graph = m.imported();
  EXPECT_TRUE(canonicalise(graph));
  EXPECT_TRUE(remove_identities(graph));
  graph.check();
  return testing::types_of(graph);
}

// Relu, then the node under test, then Neg.
ModelBuilder between(const std::string& type, const std::vector<std::string>& inputs,
                     const std::vector<testing::NamedAttribute>& attributes = {}) {
  ModelBuilder m;
  m.input("x", {2, 3}).constant("one", {}, {1}).constant("ones", {3}, {1, 1, 1});
  m.constant("zero", {}, {0})
      .constant("minus_zero", {}, {-0.0F})
      .constant("wide", {4, 1, 1}, {1, 1, 1, 1});
  m.constant("shape", Ints{2, 3}).constant("flat", Ints{6}).constant("pads", Ints{0, 0, 0, 0});
  m.constant("starts", Ints{0, 0}).constant("ends", Ints{9, 3}).constant("most", Ints{2, 2});
  m.node("Relu", {"x"}, {"r"}).node(type, inputs, {"t"}, attributes).node("Neg", {"t"}, {"y"});
  m.output("y");
  return m;
}

TEST(Identity, RemovesWhatKeepsEveryBit) {
  EXPECT_EQ(left_by_identity(between("Identity", {"r"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Dropout", {"r"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Mul", {"r", "ones"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Mul", {"one", "r"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Div", {"r", "one"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Sub", {"r", "zero"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Add", {"minus_zero", "r"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Cast", {"r"}, {{"to", 1}})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Reshape", {"r", "shape"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Expand", {"r", "shape"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Concat", {"r"}, {{"axis", 1}})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Transpose", {"r"}, {{"perm", Ints{0, 1}}})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Slice", {"r", "starts", "ends"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Pad", {"r", "pads"})), "Relu Neg");
  EXPECT_EQ(left_by_identity(between("Clip", {"r"})), "Relu Neg");
}

TEST(Identity, KeepsWhatChangesABitOrTheShape) {
  EXPECT_EQ(left_by_identity(between("Add", {"r", "zero"})), "Relu Add Neg");  // -0 + 0 is +0
  EXPECT_EQ(left_by_identity(between("Sub", {"zero", "r"})), "Relu Sub Neg");
  EXPECT_EQ(left_by_identity(between("Sub", {"r", "minus_zero"})), "Relu Sub Neg");
  EXPECT_EQ(left_by_identity(between("Div", {"one", "r"})), "Relu Div Neg");
  EXPECT_EQ(left_by_identity(between("Mul", {"r", "wide"})), "Relu Mul Neg");  // enlarges
  EXPECT_EQ(left_by_identity(between("Mul", {"r", "zero"})), "Relu Mul Neg");
  EXPECT_EQ(left_by_identity(between("Reshape", {"r", "flat"})), "Relu Reshape Neg");
  EXPECT_EQ(left_by_identity(between("Transpose", {"r"}, {{"perm", Ints{1, 0}}})),
            "Relu Transpose Neg");
  EXPECT_EQ(left_by_identity(between("Slice", {"r", "starts", "most"})), "Relu Slice Neg");
  EXPECT_EQ(left_by_identity(between("Cast", {"r"}, {{"to", 11}})), "Relu Cast Neg");
}

TEST(Identity, GivesTheOutputItsName) {
  ModelBuilder m;
  m.input("x", {2}).node("Relu", {"x"}, {"r"}, {}, "relu").node("Identity", {"r"}, {"y"}, {}, "id");
  m.output("y");
  Graph graph = m.imported();
  EXPECT_EQ(*remove_identities(graph), PassChanges{"'id' (Identity) gives back its input and is "
                                                   "removed"});
  EXPECT_EQ(to_text(graph), "graph main\ninput x f32[2]\ny f32[2] = Relu(x) @relu\noutput y\n");
}

TEST(Identity, KeepsTheOneFromAnInputOrOutputToAnOutput) {
  ModelBuilder m;
  m.input("x", {2}).node("Identity", {"x"}, {"y"}).node("Relu", {"x"}, {"r"});
  m.node("Identity", {"r"}, {"z"}).output("y").output("r").output("z");
  EXPECT_EQ(left_by_identity(m), "Identity Relu Identity");
}

TEST(DeadCode, RemovesWhatNoOutputNeeds) {
  ModelBuilder m;
  m.input("x", {2}).weights("w", {2}).node("Relu", {"x"}, {"a"}, {}, "used");
  m.node("Add", {"x", "w"}, {"b"}, {}, "dead1").node("Neg", {"b"}, {"c"}, {}, "dead2").output("a");
  Graph graph = m.imported();
  EXPECT_EQ(*remove_dead_code(graph),
            (PassChanges{"'dead1' (Add) is removed: no output needs it",
                         "'dead2' (Neg) is removed: no output needs it"}));
  EXPECT_EQ(to_text(graph), "graph main\ninput x f32[2]\na f32[2] = Relu(x) @used\noutput a\n");
  EXPECT_FALSE(graph.value(*graph.value_named("w")).constant);
}

TEST(Cse, MergesWhatComputesTheSame) {
  ModelBuilder m;
  m.input("x", {2}).constant("k1", {}, {3}).constant("k2", {}, {3});
  m.node("Add", {"x", "k1"}, {"a"}, {}, "n1").node("Add", {"x", "k2"}, {"b"}, {}, "n2");
  m.node("LeakyRelu", {"a"}, {"c"}, {{"alpha", 0.5F}}, "n3");
  m.node("LeakyRelu", {"b"}, {"d"}, {{"alpha", 0.5F}}, "n4");
  m.node("LeakyRelu", {"b"}, {"e"}, {{"alpha", 0.25F}}, "n5");
  m.node("Mul", {"c", "d"}, {"f"}, {}, "n6").node("Mul", {"f", "e"}, {"y"}, {}, "n7").output("y");
  Graph graph = m.imported();
  EXPECT_EQ(*merge_equal_nodes(graph),
            (PassChanges{"'n2' computes the same as 'n1' and is removed",
                         "'n4' computes the same as 'n3' and is removed"}));
  EXPECT_EQ(to_text(graph),
            "graph main\n"
            "input x f32[2]\n"
            "const k1 f32[] = 3\n"
            "a f32[2] = Add(x, k1) @n1 from n1, n2\n"
            "c f32[2] = LeakyRelu(a) alpha=0.5 @n3 from n3, n4\n"
            "e f32[2] = LeakyRelu(a) alpha=0.25 @n5\n"
            "f f32[2] = Mul(c, c) @n6\n"
            "y f32[2] = Mul(f, e) @n7\n"
            "output y\n");
}

TEST(Cse, KeepsTwoOutputsApartAndNegativeZero) {
  ModelBuilder m;
  m.input("x", {2}).constant("k1", {}, {0.0F}).constant("k2", {}, {-0.0F});
  m.node("Relu", {"x"}, {"a"}).node("Relu", {"x"}, {"b"}).output("a").output("b");
  m.node("Add", {"x", "k1"}, {"c"}).node("Add", {"x", "k2"}, {"d"}).output("c").output("d");
  Graph graph = m.imported();
  EXPECT_EQ(*merge_equal_nodes(graph), PassChanges{});
}

TEST(Cse, LetsTheOutputKeepItsName) {
  ModelBuilder m;
  m.input("x", {2}).node("Relu", {"x"}, {"a"}, {}, "r1").node("Relu", {"x"}, {"y"}, {}, "r2");
  m.node("Neg", {"a"}, {"n"}, {}, "neg").output("y").output("n");
  Graph graph = m.imported();
  ASSERT_TRUE(merge_equal_nodes(graph));
  EXPECT_EQ(to_text(graph),
            "graph main\ninput x f32[2]\ny f32[2] = Relu(x) @r1 from r1, r2\n"
            "n f32[2] = Neg(y) @neg\noutput y\noutput n\n");
}

}  // namespace
}  // namespace frit
