// Composed pipelines against plain loops, without a schedule.
#include "generators/compose/compose.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "generators/compose/pack.h"

namespace frit {
namespace {

// in[1,3,5,4] -> Conv 3x3 (5 filters, bias, pad 1) -> Relu -> Add residual, channels-last.
struct ConvGroup {
  Graph graph;
  Plan plan;
  Group group;
  ValueId x, w, b, residual, conv, relu, out;
};

ValueId add(Graph& graph, const std::string& name, const std::vector<std::int64_t>& dims) {
  Value value;
  value.name = name;
  value.type = TensorType(DType::kF32, dims);
  return graph.add_value(value);
}

ValueId add_constant(Graph& graph, const std::string& name, const Tensor& tensor) {
  const ValueId id = add(graph, name, tensor.dims());
  graph.value(id).constant = tensor;
  return id;
}

float pseudo(std::size_t i) { return static_cast<float>((i * 7919 + 13) % 101) / 50.0F - 1.0F; }

Tensor numbered(const std::vector<std::int64_t>& dims) {
  std::vector<float> values(static_cast<std::size_t>(TensorType(DType::kF32, dims).elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = pseudo(i);
  return Tensor::f32(dims, values);
}

NodeId add_node(Graph& graph, const std::string& type, std::vector<ValueId> inputs, ValueId output,
                AttributeMap attributes = {}) {
  Node node;
  node.type = node.name = type;
  node.opset = 17;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  node.attributes = std::move(attributes);
  return graph.add_node(node);
}

ConvGroup conv_group() {
  ConvGroup g;
  g.x = add(g.graph, "x", {1, 3, 5, 4});
  g.w = add_constant(g.graph, "w", numbered({5, 3, 3, 3}));
  g.b = add_constant(g.graph, "b", numbered({5}));
  g.residual = add(g.graph, "residual", {1, 5, 5, 4});
  g.conv = add(g.graph, "conv", {1, 5, 5, 4});
  g.relu = add(g.graph, "relu", {1, 5, 5, 4});
  g.out = add(g.graph, "out", {1, 5, 5, 4});
  using Ints = std::vector<std::int64_t>;
  const NodeId conv = add_node(g.graph, "Conv", {g.x, g.w, g.b}, g.conv,
                               {{"kernel_shape", Ints{3, 3}},
                                {"strides", Ints{1, 1}},
                                {"pads", Ints{1, 1, 1, 1}},
                                {"dilations", Ints{1, 1}},
                                {"group", std::int64_t{1}}});
  const NodeId relu = add_node(g.graph, "Relu", {g.conv}, g.relu);
  const NodeId sum = add_node(g.graph, "Add", {g.relu, g.residual}, g.out);
  g.graph.inputs = {g.x, g.residual};
  g.graph.outputs = {g.out};
  Storage channels_last;
  channels_last.order = {1, 3, 2, 0};
  for (const ValueId id : {g.x, g.residual, g.out}) g.plan.storage[id] = channels_last;
  Storage& padded = g.plan.storage[g.x];
  padded.halo_low = padded.halo_high = {0, 0, 1, 1};
  Storage& written = g.plan.storage[g.out];
  written.halo_low = written.halo_high = {0, 0, 2, 0};
  g.group.name = "conv2d_0";
  g.group.anchor = "conv2d";
  g.group.anchor_node = conv;
  g.group.nodes = {conv, relu, sum};
  g.group.inputs = {g.x, g.w, g.b, g.residual};
  g.group.outputs = {g.out};
  g.plan.groups = {g.group};
  return g;
}

// out[k,y,x] by definition.
float expected(const std::vector<float>& x, const ConvGroup& g, int k, int yy, int xx,
               float residual) {
  const auto w = g.graph.value(g.w).constant->data<float>();
  double sum = g.graph.value(g.b).constant->data<float>()[static_cast<std::size_t>(k)];
  for (int c = 0; c < 3; ++c) {
    for (int ry = 0; ry < 3; ++ry) {
      for (int rx = 0; rx < 3; ++rx) {
        const int iy = yy + ry - 1, ix = xx + rx - 1;
        if (iy < 0 || iy >= 5 || ix < 0 || ix >= 4) continue;
        sum += static_cast<double>(w[static_cast<std::size_t>(((k * 3 + c) * 3 + ry) * 3 + rx)]) *
               static_cast<double>(x[static_cast<std::size_t>((c * 5 + iy) * 4 + ix)]);
      }
    }
  }
  return static_cast<float>(std::max(sum, 0.0)) + residual;
}

TEST(Compose, NamesStagesAndInputsByRole) {
  const ConvGroup g = conv_group();
  const auto composed = compose(g.graph, g.plan, g.group, {});
  ASSERT_TRUE(composed);
  std::vector<std::string> stages, inputs;
  for (const Stage* stage : (*composed)->view.stages) stages.push_back(stage->role);
  for (const InputInfo& input : (*composed)->view.inputs) inputs.push_back(input.role);
  EXPECT_EQ(stages, (std::vector<std::string>{"acc", "epi_0", "epi_1", "out"}));
  EXPECT_EQ(inputs, (std::vector<std::string>{"in_0", "w", "b", "in_1"}));
  EXPECT_EQ((*composed)->view.facts.at("k"), 5);
  EXPECT_EQ((*composed)->view.facts.at("out_elements"), 100);
}

TEST(Compose, AnOutputWithAHaloIsWrittenInItsInterior) {
  const ConvGroup g = conv_group();
  const auto composed = compose(g.graph, g.plan, g.group, {});
  ASSERT_TRUE(composed);
  const BufferLayout& layout = (*composed)->outputs.at(0).layout;
  EXPECT_EQ(layout.offset_bytes, 2 * 4 * 5 * 4);  // two rows of 4 pixels of 5 channels
  EXPECT_EQ(layout.bytes, (5 + 4) * 4 * 5 * 4);
  const BufferLayout& input = (*composed)->inputs.at(0).layout;
  EXPECT_EQ(input.dims.at(1).min, -1);
  EXPECT_EQ(input.dims.at(1).extent, 6);
  EXPECT_EQ(input.bytes, 3 * 6 * 7 * 4);
}

// x[c,y,x] as channels-last with a border of one zero.
Halide::Buffer<float> bordered(const std::vector<float>& x) {
  Halide::Buffer<float> in(std::vector<int>{3, 6, 7, 1});
  in.fill(0.0F);
  in.set_min(0, -1, -1, 0);
  for (int c = 0; c < 3; ++c) {
    for (int yy = 0; yy < 5; ++yy) {
      for (int xx = 0; xx < 4; ++xx)
        in(c, xx, yy, 0) = x[static_cast<std::size_t>((c * 5 + yy) * 4 + xx)];
    }
  }
  return in;
}

// t as a Halide buffer over its own bytes, last axis innermost.
Halide::Buffer<float> buffer_of(const Tensor& t) {
  Halide::Buffer<float> buffer(std::vector<int>(t.dims().rbegin(), t.dims().rend()));
  std::copy(t.data<float>().begin(), t.data<float>().end(), buffer.begin());
  return buffer;
}

// The group run on x and a residual[k,y,x]; the stored bytes of its output, halo included.
std::vector<float> run(const ConvGroup& g, const std::vector<PackSpec>& packs,
                       const std::vector<float>& x, const std::vector<float>& residual) {
  const auto composed = compose(g.graph, g.plan, g.group, packs).value();
  Halide::Buffer<float> rest(std::vector<int>{5, 4, 5, 1});
  rest.for_each_element([&](int k, int xx, int yy, int) {
    rest(k, xx, yy, 0) = residual[static_cast<std::size_t>((k * 5 + yy) * 4 + xx)];
  });
  Tensor w = *g.graph.value(g.w).constant;
  if (!packs.empty()) w = pack_constant(w, {"k", "c", "ry", "rx"}, packs[0]);
  const std::vector<Halide::Buffer<float>> buffers = {
      bordered(x), buffer_of(w), buffer_of(*g.graph.value(g.b).constant), rest};
  for (std::size_t i = 0; i < buffers.size(); ++i) composed->inputs[i].param.set(buffers[i]);
  std::vector<float> stored(9 * 4 * 5, 99.0F);
  Halide::Buffer<float> interior(stored.data(), std::vector<int>{5, 4, 9, 1});
  interior.crop(2, 2, 5);
  interior.set_min(0, 0, 0, 0);
  composed->outputs[0].func.realize(interior);
  return stored;
}

TEST(Compose, GivesTheSameAsPlainLoopsWithAndWithoutAPack) {
  const ConvGroup g = conv_group();
  std::vector<float> x(60), residual(100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = pseudo(i + 3);
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] = pseudo(i + 17);
  const PackSpec pack = {"w", {{"k", 1, 4}, {"rx"}, {"ry"}, {"c"}, {"k", 4, 0}}};
  for (const std::vector<PackSpec>& packs :
       {std::vector<PackSpec>{}, std::vector<PackSpec>{pack}}) {
    const std::vector<float> stored = run(g, packs, x, residual);
    EXPECT_EQ(stored[0], 99.0F);  // the border is not the kernel's to write
    for (int i = 0; i < 100; ++i) {
      const int k = i % 5, xx = i / 5 % 4, yy = i / 20;
      const float r = residual[static_cast<std::size_t>((k * 5 + yy) * 4 + xx)];
      EXPECT_NEAR(stored[static_cast<std::size_t>(i + 40)], expected(x, g, k, yy, xx, r), 1e-5)
          << k << ' ' << yy << ' ' << xx;
    }
  }
}

TEST(Compose, APackThatDoesNotFitIsADiagnostic) {
  const ConvGroup g = conv_group();
  const auto composed = compose(g.graph, g.plan, g.group, {{"w", {{"k"}, {"c"}}}});
  ASSERT_FALSE(composed);
  EXPECT_EQ(composed.error().code, "compose-pack");
}

TEST(GroupFacts, MakeNoHalideObjectAndNameTheInnermostExtent) {
  const ConvGroup g = conv_group();
  const Facts facts = group_facts(g.graph, g.plan, g.group);
  EXPECT_EQ(facts.at("inner"), 5);
  EXPECT_EQ(facts.at("c"), 3);
  EXPECT_EQ(facts.at("rx"), 3);
}

}  // namespace
}  // namespace frit
