#include "tests/support/sample_models.h"

namespace frit::testing {
namespace {

// Convolutions, normalisation, pooling and a dense end.
ModelBuilder convolutional() {
  ModelBuilder m(13);
  m.input("x", {1, 3, 8, 8})
      .weights("w1", {4, 3, 3, 3})
      .weights("w2", {4, 1, 3, 3})
      .weights("b", {4});
  m.weights("s", {4}).weights("t", {4}).weights("mean", {4}).positive("var", {4});
  m.constant("three", {}, {3}).constant("zero", {}, {0}).constant("six", {}, {6});
  m.node("Conv", {"x", "w1"}, {"c1"}, {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}});
  m.node("BatchNormalization", {"c1", "s", "t", "mean", "var"}, {"n1"}, {{"epsilon", 1e-5F}});
  m.node("Conv", {"n1", "w2", "b"}, {"c2"},
         {{"group", 4}, {"auto_pad", std::string("SAME_UPPER")}});
  m.node("Add", {"c2", "three"}, {"a"}).node("Clip", {"a", "zero", "six"}, {"k"});
  m.node("Mul", {"c2", "k"}, {"p"}).node("Div", {"p", "six"}, {"h"});
  m.node("MaxPool", {"h"}, {"q"},
         {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"ceil_mode", 1}});
  m.node("AveragePool", {"q"}, {"r"}, {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{0, 0, 1, 1}}});
  m.node("GlobalAveragePool", {"r"}, {"g"}).node("Flatten", {"g"}, {"f"});
  m.weights("w3", {4, 5}).weights("b3", {5});
  m.node("Gemm", {"f", "w3", "b3"}, {"y"}, {{"alpha", 0.5F}}).output("y");
  return m;
}

// Shape arithmetic and every operator that makes a tensor out of a few numbers.
ModelBuilder shapes() {
  ModelBuilder m(13);
  m.input("x", {2, 3, 4})
      .constant("zero", Ints{0})
      .constant("one", Ints{1})
      .constant("rest", Ints{-1});
  m.constant("big", Ints{3, 2, 1, 1})
      .constant("pads", Ints{0, 1, 0, 0, 1, 0})
      .constant("axes", Ints{0});
  m.constant("ids", Ints{1, 0}).constant("sizes", Ints{1, 2}).constant("reps", Ints{1, 2, 1});
  m.node("Shape", {"x"}, {"s"}).node("Cast", {"s"}, {"i"}, {{"to", 6}});
  m.node("Slice", {"i", "zero", "one"}, {"n"}).node("Cast", {"n"}, {"n64"}, {{"to", 7}});
  m.node("Concat", {"n64", "rest"}, {"target"}, {{"axis", 0}});
  m.node("Reshape", {"x", "target"}, {"r"}).node("Unsqueeze", {"r", "axes"}, {"u"});
  m.node("Pad", {"x", "pads"}, {"p"}).node("Transpose", {"p"}, {"t"}, {{"perm", Ints{2, 0, 1}}});
  m.node("ConstantOfShape", {"big"}, {"z"}).node("Expand", {"x", "big"}, {"e"});
  m.node("Gather", {"x", "ids"}, {"ga"}, {{"axis", 1}})
      .node("Split", {"x", "sizes"}, {"h1", "h2"}, {{"axis", 1}});
  m.node("Tile", {"x", "reps"}, {"ti"}).node("Add", {"z", "e"}, {"ze"});
  for (const char* name : {"u", "t", "ze", "ga", "h1", "h2", "ti"}) m.output(name);
  return m;
}

// A block of attention with normalisation and Gelu, opset 12: axes as attributes.
ModelBuilder attention() {
  ModelBuilder m(12);
  m.input("x", {1, 4, 6})
      .constant("two", {}, {2})
      .constant("eps", {}, {1e-5F})
      .constant("one", {}, {1});
  m.weights("gamma", {6}).weights("beta", {6}).weights("w", {6, 18}).constant("half", {}, {0.5F});
  m.constant("root2", {}, {1.4142135F});
  m.node("ReduceMean", {"x"}, {"mu"}, {{"axes", Ints{-1}}}).node("Sub", {"x", "mu"}, {"d"});
  m.node("Pow", {"d", "two"}, {"sq"}).node("ReduceMean", {"sq"}, {"v"}, {{"axes", Ints{-1}}});
  m.node("Add", {"v", "eps"}, {"ve"}).node("Sqrt", {"ve"}, {"sd"}).node("Div", {"d", "sd"}, {"nd"});
  m.node("Mul", {"nd", "gamma"}, {"ng"}).node("Add", {"ng", "beta"}, {"ln"});
  m.node("MatMul", {"ln", "w"}, {"qkv"});
  m.node("Split", {"qkv"}, {"q", "k", "val"}, {{"axis", -1}, {"split", Ints{6, 6, 6}}});
  m.node("Transpose", {"k"}, {"kt"}, {{"perm", Ints{0, 2, 1}}}).node("MatMul", {"q", "kt"}, {"sc"});
  m.node("Softmax", {"sc"}, {"pr"}, {{"axis", -1}}).node("MatMul", {"pr", "val"}, {"o"});
  m.node("Div", {"o", "root2"}, {"gd"})
      .node("Erf", {"gd"}, {"ge"})
      .node("Add", {"ge", "one"}, {"ga"});
  m.node("Mul", {"o", "ga"}, {"gm"}).node("Mul", {"gm", "half"}, {"y"}).output("y");
  return m;
}

// What the others lack, constants everywhere so that most of it is folded, opset 18.
ModelBuilder folded() {
  ModelBuilder m(18);
  m.input("x", {1, 4, 4, 4}).weights("k", {1, 4, 4, 4}).constant("axes", Ints{2, 3});
  m.constant("from", {}, {0}).constant("to", {}, {6}).constant("by", {}, {1.5F});
  m.constant("pads", Ints{0, 0, 1, -1, 0, 0, 1, 1})
      .constant("ends", Ints{-9, 0})
      .constant("at", Ints{-1, 3});
  m.constant("steps", Ints{-1, -2}).constant("three", Ints{3});
  m.node("Range", {"from", "to", "by"}, {"r"}).node("Size", {"x"}, {"size"});
  m.node("DepthToSpace", {"k"}, {"d2s"}, {{"blocksize", 2}, {"mode", std::string("CRD")}});
  m.node("SpaceToDepth", {"x"}, {"s2d"}, {{"blocksize", 2}});
  m.node("Pad", {"k", "pads"}, {"pad"}, {{"mode", std::string("reflect")}});
  m.node("Slice", {"k", "at", "ends", "axes", "steps"}, {"sl"});
  m.node("ReduceSum", {"k", "axes"}, {"rs"}, {{"keepdims", 0}});
  m.node("ReduceProd", {"x", "axes"}, {"rp"}).node("Greater", {"x", "k"}, {"gt"});
  m.node("Where", {"gt", "x", "k"}, {"w"}).node("GlobalMaxPool", {"w"}, {"gm"});
  m.node("Max", {"x", "k", "w"}, {"mx"}).node("Mean", {"mx", "x"}, {"mn"});
  m.node("Split", {"k"}, {"h1", "h2"}, {{"axis", 1}, {"num_outputs", 2}});
  m.node("MatMul", {"h1", "h2"}, {"mm"}).node("Exp", {"mm"}, {"ex"});
  m.node("LayerNormalization", {"x", "r4", "r4"}, {"ln"}, {{"axis", -1}}).weights("r4", {4});
  m.node("Dropout", {"ln"}, {"dr"}).node("Squeeze", {"gm", "axes"}, {"sq"});
  for (const char* name :
       {"r", "size", "d2s", "s2d", "pad", "sl", "rs", "rp", "mn", "ex", "dr", "sq"}) {
    m.output(name);
  }
  return m;
}

}  // namespace

std::vector<ModelBuilder> sample_models() {
  return {convolutional(), shapes(), attention(), folded()};
}

}  // namespace frit::testing
