// A thousand mutated models through import and passes: no crash, no hang, memory bounded.
//
// Half of the mutations are of bytes (flips, cuts, spliced pieces), half of fields (removed,
// repeated, swapped, set to extremes or to other names of the file), which reach deeper. All are
// seeded: a failure names its seed. Meant for the sanitizers (tests/run.sh does it so):
//
//   cmake -S . -B build/asan -G Ninja -DFRIT_SANITIZE=ON && ninja -C build/asan frit_hostile_test
//   export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ASAN_OPTIONS=detect_leaks=0
//   build/asan/tests/frit_hostile_test
//
// FRIT_MUTATIONS=100000 in front of it looks further.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <random>

#include "generators/passes/passes.h"
#include "tests/support/model_builder.h"
#include "tests/support/wire_tree.h"

namespace frit {
namespace {

using testing::Ints;
using testing::ModelBuilder;
using testing::Wire;
using testing::WireField;
using Random = std::mt19937;

std::size_t below(Random& random, std::size_t end) { return random() % end; }

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

// --- bytes ---

std::string mutate_bytes(std::string bytes, Random& random) {
  const std::size_t times = 1 + below(random, 4);
  for (std::size_t i = 0; i < times && !bytes.empty(); ++i) {
    const std::size_t at = below(random, bytes.size());
    const std::size_t length = 1 + below(random, 16);
    switch (below(random, 5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random());
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      default:
        bytes.insert(below(random, bytes.size()), bytes.substr(at, length));
        break;
    }
  }
  return bytes;
}

// --- fields ---

std::uint64_t extreme(Random& random) {
  static constexpr std::int64_t kValues[] = {0,
                                             1,
                                             -1,
                                             2,
                                             -2,
                                             7,
                                             255,
                                             65536,
                                             2147483647,
                                             2147483648,
                                             1000000007,
                                             std::int64_t{1} << 40,
                                             std::numeric_limits<std::int64_t>::max(),
                                             std::numeric_limits<std::int64_t>::min()};
  return static_cast<std::uint64_t>(kValues[below(random, std::size(kValues))]);
}

std::uint32_t extreme_float(Random& random) {
  static constexpr std::uint32_t kBits[] = {0,          0x80000000, 0x7F800000,
                                            0x7FC00000, 0x00000001, 0x7F7FFFFF};
  return kBits[below(random, std::size(kBits))];
}

// Every short text of the file: names of values and nodes, operators, attributes.
void collect_texts(const std::vector<WireField>& fields, std::vector<std::string>& texts) {
  for (const WireField& field : fields) {
    if (field.wire_type == 2 && field.message == Wire::kLeaf && field.bytes.size() < 24) {
      texts.push_back(field.bytes);
    }
    collect_texts(field.children, texts);
  }
}

void mutate_leaf(WireField& field, const std::vector<std::string>& texts, Random& random) {
  if (field.wire_type == 2) {
    field.bytes = below(random, 8) == 0 ? "" : texts[below(random, texts.size())];
  } else if (field.wire_type == 5) {
    field.varint = extreme_float(random);
  } else {
    field.varint = extreme(random);
  }
}

// Walks down from the graph to a field and removes, repeats, moves or changes it.
void mutate_field(std::vector<WireField>& model, const std::vector<std::string>& texts,
                  Random& random) {
  std::vector<WireField>* fields = &model;
  for (;;) {
    if (fields->empty()) return;
    WireField& field = (*fields)[below(random, fields->size())];
    if (field.message != Wire::kLeaf && !field.children.empty() &&
        (fields == &model || below(random, 5) > 0)) {
      fields = &field.children;
      continue;
    }
    const auto place = fields->begin() + (&field - fields->data());
    switch (below(random, 6)) {
      case 0:
        fields->erase(place);
        return;
      case 1: {
        const WireField copy = field;
        fields->insert(place, copy);
        return;
      }
      case 2:
        std::swap(field, (*fields)[below(random, fields->size())]);
        return;
      default:
        mutate_leaf(field, texts, random);
        return;
    }
  }
}

std::string mutant(const std::vector<ModelBuilder>& models, unsigned seed) {
  Random random(seed);
  ModelBuilder model = models[below(random, models.size())];
  if (seed % 2 == 0) return mutate_bytes(model.bytes(), random);
  const std::size_t times = 1 + below(random, 3);
  std::vector<WireField> fields = testing::parse_wire(model.bytes(), Wire::kModel);
  std::vector<std::string> texts;
  collect_texts(fields, texts);
  for (std::size_t i = 0; i < times; ++i) mutate_field(fields, texts, random);
  return testing::wire_bytes(fields);
}

std::int64_t peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// FRIT_MUTATIONS asks for more than the thousand of every run.
unsigned mutation_count() {
  const char* asked = std::getenv("FRIT_MUTATIONS");
  return asked == nullptr ? 1000U : static_cast<unsigned>(std::strtoul(asked, nullptr, 10));
}

TEST(MutatedModels, NeverCrashHangOrTakeMemoryOutOfProportion) {
  const std::vector<ModelBuilder> models = {convolutional(), shapes(), attention(), folded()};
  for (const ModelBuilder& model : models) EXPECT_EQ(model.refusal(), "");
  const std::int64_t megabytes_before = peak_megabytes();
  int imported = 0;
  int passed = 0;
  const unsigned count = mutation_count();
  for (unsigned seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto start = std::chrono::steady_clock::now();
    auto graph = import_model_bytes(mutant(models, seed), "mutant.onnx", {});
    if (graph) {
      ++imported;
      ASSERT_NO_THROW(passed += run_passes(*graph) ? 1 : 0);
    } else {
      ASSERT_FALSE(graph.error().empty());
      for (const Diagnostic& fault : graph.error()) EXPECT_FALSE(to_text(fault).empty());
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
  EXPECT_LT(peak_megabytes() - megabytes_before, 1024);
  // The mutations must get past the parser often enough to test what is behind it.
  EXPECT_GT(imported, 150);
  EXPECT_GT(passed, 100);
}

TEST(LargeModels, TakeNoMoreThanSecondsForTenThousandNodes) {
  ModelBuilder m;
  m.input("x", {1, 4}).constant("k", {4}, {1, 2, 3, 4}).weights("w", {4, 4});
  std::string last = "x";
  static constexpr const char* kTypes[] = {"Identity", "Relu", "Mul", "Neg", "MatMul"};
  for (int i = 0; i < 10000; ++i) {
    const std::string type = kTypes[i % 5];
    const std::string next = "v" + std::to_string(i);
    std::vector<std::string> inputs = {last};
    if (type == "Mul") inputs.push_back("k");
    if (type == "MatMul") inputs.push_back("w");
    m.node(type, inputs, {next}, {}, "same name");
    m.node("Abs", {next}, {"dead" + next}, {}, "same name");
    last = next;
  }
  m.output(last);
  const auto start = std::chrono::steady_clock::now();
  Graph graph = m.imported();
  ASSERT_TRUE(run_passes(graph));
  EXPECT_EQ(graph.nodes().size(), 8000U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(LargeModels, RefuseGraphsNestedTooDeep) {
  ModelBuilder m;
  m.input("x", {2}).output("y");
  onnx::GraphProto* graph = &m.graph();
  for (int i = 0; i < 60; ++i) {
    onnx::NodeProto* node = graph->add_node();
    node->set_op_type("If");
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name("then_branch");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    graph = attribute->mutable_g();
  }
  EXPECT_EQ(m.refusal(),
            "error: 'test.onnx' is not an ONNX model: its protobuf is broken or cut short "
            "[onnx-parse]\n");
}

TEST(LargeModels, RefuseSumsOfMoreInputsThanAnyExporterWrites) {
  ModelBuilder m;
  m.input("x", {2}).node("Sum", std::vector<std::string>(2000, "x"), {"y"}, {}, "sum").output("y");
  EXPECT_EQ(m.refusal(),
            "error: node 'sum': Sum of 2000 inputs; frit takes at most 1024 [onnx-too-large]\n");
}

}  // namespace
}  // namespace frit
