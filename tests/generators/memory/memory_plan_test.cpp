#include "generators/memory/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace frit {
namespace {

using Kind = Place::Kind;

// Graphs of pointwise nodes over [4,8], one kernel a node, compiled by assertion.
class Model {
 public:
  ValueId input(const std::string& name) {
    const ValueId id = value(name);
    graph.inputs.push_back(id);
    return id;
  }
  ValueId constant(const std::string& name) {
    const Tensor tensor = Tensor::f32({4, 8}, std::vector<float>(32, 1.0F));
    return graph.add_value({name, tensor.type(), tensor, kNone});
  }
  ValueId op(const std::string& type, const std::string& name, std::vector<ValueId> inputs) {
    const ValueId id = value(name);
    Node node;
    node.type = type;
    node.name = name;
    node.inputs = inputs;
    node.outputs = {id};
    Group group;
    group.id = static_cast<int>(plan.groups.size());
    group.name = name;
    group.anchor = "elementwise";
    group.nodes = {graph.add_node(node)};
    group.inputs = inputs;
    group.outputs = {id};
    plan.groups.push_back(group);
    Kernel kernel;
    kernel.group = group.id;
    kernel.symbol = name;
    for (const ValueId v : inputs) kernel.arguments.push_back(argument(v, false));
    kernel.arguments.push_back(argument(id, true));
    compiled.kernels.push_back(kernel);
    return id;
  }
  ValueId value(const std::string& name) {
    const ValueId id = graph.add_value({name, TensorType(DType::kF32, {4, 8}), {}, kNone});
    plan.storage[id] = dense_storage(2);
    return id;
  }
  /// A value without a kernel that lies in the buffer of `owner`.
  ValueId alias(const std::string& name, ValueId owner) {
    const ValueId id = value(name);
    plan.alias_of[id] = owner;
    return id;
  }
  MemoryPlan run() const { return plan_memory(graph, plan, compiled); }

  Graph graph;
  Plan plan;
  CompiledModel compiled;

 private:
  KernelArgument argument(ValueId id, bool is_output) {
    KernelArgument made;
    made.value = id;
    made.is_output = is_output;
    if (graph.value(id).constant) {
      made.is_constant = true;
      made.constant_index = static_cast<int>(compiled.constants.size());
      compiled.constants.push_back({graph.value(id).name, *graph.value(id).constant});
    }
    return made;
  }
};

constexpr std::int64_t kBytes = 4 * 8 * 4;

Place place(const MemoryPlan& memory, ValueId id) { return memory.places.at(id); }

TEST(MemoryPlan, InputsAndOutputsLieInTheCallersBuffers) {
  Model m;
  const ValueId x = m.input("x");
  const ValueId a = m.op("Relu", "a", {x});
  const ValueId y = m.op("Relu", "y", {a});
  m.graph.outputs = {y};
  const MemoryPlan memory = m.run();
  EXPECT_EQ(place(memory, x).kind, Kind::kInput);
  EXPECT_EQ(place(memory, a).kind, Kind::kArena);
  EXPECT_EQ(place(memory, y).kind, Kind::kOutput);
  EXPECT_EQ(memory.arena.peak_bytes, kBytes);
  EXPECT_TRUE(memory.copies_in.empty() && memory.copies_out.empty());
}

TEST(MemoryPlan, ValueReadAfterItIsAnOutputStaysInTheCallersBuffer) {
  Model m;
  const ValueId a = m.op("Relu", "a", {m.input("x")});
  const ValueId y = m.op("Relu", "y", {a});
  m.graph.outputs = {a, y};
  const MemoryPlan memory = m.run();
  EXPECT_EQ(place(memory, a).kind, Kind::kOutput);
  EXPECT_EQ(place(memory, a).index, 0);
  EXPECT_EQ(memory.arena.peak_bytes, 0);
}

TEST(MemoryPlan, InputThatIsAnOutputIsCopied) {
  Model m;
  const ValueId x = m.input("x");
  m.graph.outputs = {x, x};
  const MemoryPlan memory = m.run();
  EXPECT_EQ(place(memory, x).kind, Kind::kInput);
  ASSERT_EQ(memory.copies_out.size(), 2U);
  EXPECT_EQ(memory.copies_out[1].index, 1);
}

TEST(MemoryPlan, ConstantThatIsAnOutputIsCopied) {
  Model m;
  const ValueId c = m.constant("c");
  m.graph.outputs = {c};
  const MemoryPlan memory = m.run();
  EXPECT_EQ(place(memory, c).kind, Kind::kConstant);
  EXPECT_EQ(memory.constants.size(), 1U);
  EXPECT_EQ(memory.copies_out.size(), 1U);
}

TEST(MemoryPlan, OneValueTwiceAnOutputIsWrittenOnceAndCopied) {
  Model m;
  const ValueId y = m.op("Relu", "y", {m.input("x")});
  m.graph.outputs = {y, y};
  const MemoryPlan memory = m.run();
  EXPECT_EQ(place(memory, y).kind, Kind::kOutput);
  ASSERT_EQ(memory.copies_out.size(), 1U);
  EXPECT_EQ(memory.copies_out[0].index, 1);
}

TEST(MemoryPlan, AliasesShareBytesAndLiveTogether) {
  Model m;
  const ValueId a = m.op("Relu", "a", {m.input("x")});
  const ValueId b = m.alias("b", a);
  const ValueId other = m.op("Relu", "other", {a});
  const ValueId y = m.op("Add", "y", {other, b});
  m.graph.outputs = {y};
  const MemoryPlan memory = m.run();
  EXPECT_EQ(place(memory, a).offset, place(memory, b).offset);
  EXPECT_NE(place(memory, a).offset, place(memory, other).offset);
  EXPECT_EQ(memory.arena.peak_bytes, 2 * kBytes);
}

TEST(MemoryPlan, AliasOfAnOutputIsTheOutputsBuffer) {
  Model m;
  const ValueId a = m.op("Relu", "a", {m.input("x")});
  const ValueId y = m.alias("y", a);
  m.graph.outputs = {y};
  EXPECT_EQ(place(m.run(), a).kind, Kind::kOutput);
}

TEST(MemoryPlan, BufferWrittenInPartsLivesFromTheFirstPartOn) {
  // whole [8,8] = concat of top and bottom, each written by its own kernel into its half.
  Model m;
  const ValueId x = m.input("x");
  const ValueId whole = m.value("whole");
  m.graph.value(whole).type = TensorType(DType::kF32, {8, 8});
  const ValueId top = m.op("Relu", "top", {x});
  const ValueId between = m.op("Relu", "between", {x});
  const ValueId bottom = m.op("Relu", "bottom", {between});
  for (const auto& [part, offset] : {std::pair(top, 0), std::pair(bottom, 32)}) {
    m.plan.alias_of[part] = whole;
    m.plan.storage[part].strides = {8, 1};
    m.plan.storage[part].offset = offset;
  }
  const ValueId y = m.op("Relu", "y", {whole});
  m.graph.outputs = {y};
  const MemoryPlan memory = m.run();
  const auto range = std::find_if(memory.ranges.begin(), memory.ranges.end(),
                                  [](const LiveRange& r) { return r.name == "whole"; });
  ASSERT_NE(range, memory.ranges.end());
  EXPECT_EQ(range->bytes, 2 * kBytes);
  EXPECT_EQ(range->first_step, 0);
  EXPECT_EQ(range->last_step, 3);
  EXPECT_EQ(memory.arena.peak_bytes, 3 * kBytes);
}

TEST(MemoryPlan, OutputStoredOtherwiseThanTheCallersIsCopiedOut) {
  Model m;
  const ValueId y = m.op("Relu", "y", {m.input("x")});
  m.plan.storage[y].order = {0, 1};
  m.graph.outputs = {y};
  const MemoryPlan memory = m.run();
  EXPECT_EQ(place(memory, y).kind, Kind::kArena);
  EXPECT_EQ(memory.copies_out.size(), 1U);
}

TEST(MemoryPlan, InputWithAHaloIsCopiedInAndItsBorderFilledFirst) {
  Model m;
  const ValueId x = m.input("x");
  m.plan.storage[x].halo_low = m.plan.storage[x].halo_high = {1, 1};
  const ValueId y = m.op("Relu", "y", {x});
  m.graph.outputs = {y};
  const MemoryPlan memory = m.run();
  EXPECT_EQ(place(memory, x).kind, Kind::kArena);
  EXPECT_EQ(memory.copies_in.size(), 1U);
  ASSERT_EQ(memory.fills.size(), 1U);
  EXPECT_EQ(memory.fills[0].step, -1);
  EXPECT_EQ(memory.arena.peak_bytes, 256);  // 6 x 10 floats, rounded up
}

TEST(MemoryPlan, BorderIsFilledAtTheStepThatWritesTheBuffer) {
  Model m;
  const ValueId a = m.op("Relu", "a", {m.input("x")});
  const ValueId b = m.op("Relu", "b", {a});
  m.plan.storage[b].halo_low = m.plan.storage[b].halo_high = {0, 2};
  m.graph.outputs = {m.op("Relu", "y", {b})};
  const MemoryPlan memory = m.run();
  ASSERT_EQ(memory.fills.size(), 1U);
  EXPECT_EQ(memory.fills[0].owner, b);
  EXPECT_EQ(memory.fills[0].step, 1);
}

TEST(MemoryPlan, TemporariesLiveForOneStepAndWorkersAreApart) {
  Model m;
  const ValueId a = m.op("Relu", "a", {m.input("x")});
  const ValueId b = m.op("Relu", "b", {a});
  m.graph.outputs = {m.op("Relu", "y", {b})};
  m.compiled.kernels[0].temporary_bytes = 100;
  m.compiled.kernels[0].worker_bytes = 64;
  m.compiled.kernels[2].temporary_bytes = 10;
  const MemoryPlan memory = m.run();
  EXPECT_EQ(memory.temporary_bytes, (std::vector<std::int64_t>{192, 0, 64}));
  EXPECT_EQ(memory.worker_slab_bytes, 64);
  EXPECT_EQ(memory.arena.lower_bound_bytes, kBytes + 192);
  EXPECT_EQ(memory.arena.peak_bytes, kBytes + 192);
}

// --- in place ---

MemoryPlan chain_in_place(bool one_touch, bool second_reader, bool first_is_output) {
  Model m;
  const ValueId a = m.op("Relu", "a", {m.input("x")});
  const ValueId b = m.op("Relu", "b", {a});
  const ValueId c = second_reader ? m.op("Add", "c", {a, b}) : b;
  m.graph.outputs = {m.op("Relu", "y", {c})};
  if (first_is_output) m.graph.outputs.push_back(a);
  m.compiled.kernels[1].one_touch = one_touch;
  return m.run();
}

TEST(InPlace, ElementwiseOutputTakesADyingInputsBytes) {
  const MemoryPlan memory = chain_in_place(true, false, false);
  EXPECT_EQ(memory.in_place.size(), 1U);
  EXPECT_EQ(memory.arena.peak_bytes, kBytes);
  EXPECT_EQ(memory.arena.lower_bound_bytes, kBytes);
}

TEST(InPlace, NotWhenTheKernelTouchesElementsTwice) {
  EXPECT_TRUE(chain_in_place(false, false, false).in_place.empty());
}

TEST(InPlace, NotWhenAnotherReaderComesLater) {
  EXPECT_TRUE(chain_in_place(true, true, false).in_place.empty());
}

TEST(InPlace, NotOverAGraphOutput) {
  EXPECT_TRUE(chain_in_place(true, false, true).in_place.empty());
}

TEST(InPlace, NotOverTheCallersInput) {
  Model m;
  const ValueId a = m.op("Relu", "a", {m.input("x")});
  m.graph.outputs = {m.op("Relu", "y", {a})};
  m.compiled.kernels[0].one_touch = true;
  EXPECT_TRUE(m.run().in_place.empty());
}

TEST(InPlace, OneInputIsGivenToOneTakerOnly) {
  Model m;
  const ValueId a = m.op("Relu", "a", {m.input("x")});
  const ValueId b = m.op("Relu", "b", {m.graph.inputs[0]});
  const ValueId c = m.op("Add", "c", {a, b});
  m.graph.outputs = {m.op("Relu", "y", {c})};
  m.compiled.kernels[2].one_touch = true;
  const MemoryPlan memory = m.run();
  ASSERT_EQ(memory.in_place.size(), 1U);
  EXPECT_EQ(memory.in_place[0], std::pair(a, c));
  EXPECT_EQ(memory.arena.peak_bytes, 2 * kBytes);
}

TEST(InPlace, AChainOfTakersStaysInOneBuffer) {
  Model m;
  ValueId v = m.op("Relu", "v0", {m.input("x")});
  for (int i = 1; i < 6; ++i) v = m.op("Relu", "v" + std::to_string(i), {v});
  m.graph.outputs = {m.op("Relu", "y", {v})};
  for (Kernel& kernel : m.compiled.kernels) kernel.one_touch = true;
  const MemoryPlan memory = m.run();
  EXPECT_EQ(memory.in_place.size(), 5U);
  EXPECT_EQ(memory.ranges.size(), 1U);
  EXPECT_EQ(memory.arena.peak_bytes, kBytes);
}

TEST(InPlace, NotThroughABroadcastNorAnotherLayoutNorAPermutation) {
  Model m;
  const ValueId a = m.op("Relu", "a", {m.input("x")});
  const ValueId b = m.op("Relu", "b", {a});
  m.graph.outputs = {m.op("Relu", "y", {b})};
  m.compiled.kernels[1].one_touch = true;
  const Group& group = m.plan.groups[1];
  const Kernel& kernel = m.compiled.kernels[1];
  EXPECT_TRUE(can_write_in_place(m.graph, m.plan, group, kernel, a, b));
  EXPECT_FALSE(can_write_in_place(m.graph, m.plan, group, kernel, a, a));

  m.plan.storage[a].order = {0, 1};
  EXPECT_FALSE(can_write_in_place(m.graph, m.plan, group, kernel, a, b));
  m.plan.storage[a] = dense_storage(2);

  m.graph.value(a).type = TensorType(DType::kF32, {1, 8});
  EXPECT_FALSE(can_write_in_place(m.graph, m.plan, group, kernel, a, b));
  m.graph.value(a).type = TensorType(DType::kF64, {4, 8});
  EXPECT_FALSE(can_write_in_place(m.graph, m.plan, group, kernel, a, b));
  m.graph.value(a).type = TensorType(DType::kF32, {4, 8});

  m.graph.nodes()[1].type = "Transpose";
  m.graph.nodes()[1].attributes["perm"] = std::vector<std::int64_t>{0, 1};
  EXPECT_FALSE(can_write_in_place(m.graph, m.plan, group, kernel, a, b));
  m.graph.nodes()[1].type = "Relu";

  m.plan.alias_of[b] = a;
  EXPECT_FALSE(can_write_in_place(m.graph, m.plan, group, kernel, a, b));
}

}  // namespace
}  // namespace frit
