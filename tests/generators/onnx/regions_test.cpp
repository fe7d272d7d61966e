// If, Loop and Scan of known conditions and trips: the nodes they become, their values, refusals.
#include "generators/onnx/regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::ModelBuilder;
using Doubles = std::vector<double>;

/// `m` with its last node holding `body` as attribute `name`.
void attach(ModelBuilder& m, const std::string& name, ModelBuilder& body) {
  onnx::AttributeProto& attribute =
      *m.graph().mutable_node(m.graph().node_size() - 1)->add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = body.graph();
}

Doubles sample_of(const std::string& name, std::size_t count) {
  Doubles values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<double>(testing::sample(name, i)));
  return values;
}

TEST(Regions, OnlyTheBranchOfAKnownConditionIsRead) {
  ModelBuilder m, taken, other;
  taken.node("Neg", {"x"}, {"t"}).output("t");
  other.node("NoSuchOperator", {"x"}, {"e"}).output("e");
  m.input("x", {2}).constant("k", {1}).node("Cast", {"k"}, {"yes"}, {{"to", 9}}, "cast");
  m.node("If", {"yes"}, {"y"}, {}, "pick").output("y");
  attach(m, "then_branch", taken);
  attach(m, "else_branch", other);
  const Graph graph = m.imported();
  EXPECT_EQ(testing::types_of(graph), "Cast Neg Identity");
  EXPECT_EQ(graph.nodes()[1].name, "pick/then/Neg_0");
  EXPECT_EQ(graph.nodes()[1].origins, std::vector<std::string>{"pick"});
  const Doubles x = sample_of("x", 2);
  EXPECT_EQ(testing::outputs_of(graph).at("y"), (Doubles{-x[0], -x[1]}));
}

TEST(Regions, ALoopCarriesAndScans) {
  ModelBuilder m, body;
  body.input("i", {}, onnx::TensorProto::INT64).input("go", {}, onnx::TensorProto::BOOL);
  body.input("v", {2}).node("Identity", {"go"}, {"again"});
  body.node("Add", {"v", "x"}, {"sum"}).output("again").output("sum").output("sum");
  m.input("x", {2}).constant("start", {2}, {1, 2}).constant("trips", {3});
  m.node("Loop", {"trips", "", "start"}, {"last", "all"}, {}, "loop").output("last").output("all");
  attach(m, "body", body);
  const Doubles x = sample_of("x", 2);
  const auto values = testing::outputs_of(m.imported());
  EXPECT_THAT(values.at("last"), ::testing::Pointwise(::testing::DoubleNear(1e-12),
                                                      Doubles{1 + 3 * x[0], 2 + 3 * x[1]}));
  EXPECT_THAT(values.at("all"),
              ::testing::Pointwise(::testing::DoubleNear(1e-12),
                                   Doubles{1 + x[0], 2 + x[1], 1 + 2 * x[0], 2 + 2 * x[1],
                                           1 + 3 * x[0], 2 + 3 * x[1]}));
}

// The condition that a trip computes from its number is known; no bound on the trips is given.
TEST(Regions, ALoopEndsWhenItsConditionTurnsFalse) {
  ModelBuilder m, body;
  body.input("i", {}, onnx::TensorProto::INT64).input("go", {}, onnx::TensorProto::BOOL);
  body.input("v", {1}).constant("two", {2}).node("Less", {"i", "two"}, {"again"});
  body.node("Add", {"v", "v"}, {"twice"}).output("again").output("twice");
  m.input("x", {1}).constant("k", {1}).node("Cast", {"k"}, {"yes"}, {{"to", 9}});
  m.node("Loop", {"", "yes", "x"}, {"y"}, {}, "loop").output("y");
  attach(m, "body", body);
  EXPECT_EQ(testing::outputs_of(m.imported()).at("y"), (Doubles{8 * sample_of("x", 1)[0]}));
}

TEST(Regions, NoTripLeavesWhatIsCarried) {
  ModelBuilder m, body;
  body.input("i", {}, onnx::TensorProto::INT64).input("go", {}, onnx::TensorProto::BOOL);
  body.input("v", {1}).node("Neg", {"v"}, {"w"}).output("go").output("w");
  m.input("x", {1}).constant("none", {0}).node("Loop", {"none", "", "x"}, {"y"}).output("y");
  attach(m, "body", body);
  EXPECT_EQ(testing::outputs_of(m.imported()).at("y"), sample_of("x", 1));
}

// A running sum over columns, from the last to the first, put into rows.
TEST(Regions, AScanKeepsAxesAndDirections) {
  ModelBuilder m, body;
  body.input("s", {2}).input("e", {2}).node("Add", {"s", "e"}, {"t"}).output("t").output("t");
  m.input("x", {2, 3}).constant("zero", {2}, {0, 0});
  m.node("Scan", {"zero", "x"}, {"last", "all"},
         {{"num_scan_inputs", 1},
          {"scan_input_axes", testing::Ints{1}},
          {"scan_input_directions", testing::Ints{1}},
          {"scan_output_axes", testing::Ints{-1}},
          {"scan_output_directions", testing::Ints{1}}},
         "scan");
  attach(m, "body", body);
  m.output("all");
  const Doubles x = sample_of("x", 6);
  EXPECT_THAT(testing::outputs_of(m.imported()).at("all"),
              ::testing::Pointwise(::testing::DoubleNear(1e-12),
                                   Doubles{x[2] + x[1] + x[0], x[2] + x[1], x[2],
                                           x[5] + x[4] + x[3], x[5] + x[4], x[5]}));
}

// A branch inside a body reads the body's own value, the trip's number and the graph's input.
TEST(Regions, NestedOnesReadWhatLiesAround) {
  ModelBuilder m, body, even, odd;
  even.node("Add", {"w", "x"}, {"a"}).output("a");
  odd.node("Sub", {"w", "x"}, {"b"}).output("b");
  body.input("i", {}, onnx::TensorProto::INT64).input("go", {}, onnx::TensorProto::BOOL);
  body.input("v", {1}).node("Neg", {"v"}, {"w"}).node("Cast", {"i"}, {"odd"}, {{"to", 9}});
  body.node("If", {"odd"}, {"c"}).output("go").output("c");
  attach(body, "then_branch", odd);
  attach(body, "else_branch", even);
  m.input("x", {1}).input("z", {1}).constant("trips", {2});
  m.node("Loop", {"trips", "", "z"}, {"y"}, {}, "loop").output("y");
  attach(m, "body", body);
  const double x = sample_of("x", 1)[0], z = sample_of("z", 1)[0];
  EXPECT_NEAR(testing::outputs_of(m.imported()).at("y")[0], -(-z + x) - x, 1e-12);
}

ModelBuilder endless(const std::string& trips) {
  ModelBuilder m, body;
  body.input("i", {}, onnx::TensorProto::INT64).input("go", {}, onnx::TensorProto::BOOL);
  body.input("v", {1}).node("Neg", {"v"}, {"w"}).output("go").output("w");
  m.input("x", {1}).constant("many", {1 << 30});
  m.input("open", {1}, onnx::TensorProto::INT64);
  m.node("Loop", {trips, "", "x"}, {"y"}, {}, "loop").output("y");
  attach(m, "body", body);
  return m;
}

TEST(Regions, Refusals) {
  ModelBuilder m, body;
  body.node("Neg", {"x"}, {"t"}).output("t");
  m.input("x", {2}).input("c", {}, onnx::TensorProto::BOOL).node("If", {"c"}, {"y"}, {}, "pick");
  attach(m, "then_branch", body);
  attach(m, "else_branch", body);
  EXPECT_EQ(m.output("y").refusal(),
            "error: If 'pick': its condition is computed at run time, but frit takes control flow "
            "apart when building; pin what it depends on with --const, or export the model without "
            "it [onnx-control-flow]\n");
  EXPECT_EQ(endless("open").refusal(),
            "error: Loop 'loop': the number of its trips is computed at run time, but frit takes "
            "control flow apart when building; pin what it depends on with --const, or export the "
            "model without it [onnx-control-flow]\n");
  for (const char* trips : {"many", ""}) {
    EXPECT_EQ(
        endless(trips).refusal(),
        "error: Loop 'loop' becomes more than 16384 nodes and trips, the most that frit takes "
        "apart for a model; export it with fewer trips [onnx-too-large]\n");
  }
}

}  // namespace
}  // namespace frit
