#include "tests/generators/package/hand_made_testing.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

namespace frit {
namespace {

const std::vector<std::int64_t> kDims = {1, 3, 6, 8};

KernelArgument argument(ValueId value, bool is_output, std::vector<KernelArgument::Dim> dims) {
  KernelArgument made;
  made.value = value;
  made.is_output = is_output;
  made.dims = std::move(dims);
  made.bytes = 3 * 6 * 8 * 4;
  return made;
}

std::vector<KernelArgument::Dim> dense_dims() {
  return {{0, 8, 1}, {0, 6, 8}, {0, 3, 48}, {0, 1, 144}};
}
std::vector<KernelArgument::Dim> last_dims() {
  return {{0, 3, 1}, {0, 8, 3}, {0, 6, 24}, {0, 1, 144}};
}

}  // namespace

TestFolder::TestFolder() {
  path_ = (std::filesystem::temp_directory_path() / "frit-test-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
}
TestFolder::~TestFolder() { std::filesystem::remove_all(path_); }

HandMade hand_made_model(const std::string& folder, const std::string& cc) {
  HandMade made;
  Graph& graph = made.graph;
  const TensorType type(DType::kF32, kDims);
  const ValueId x = graph.add_value({"x", type, {}, kNone});
  const ValueId w = graph.add_value({"w", {}, Tensor::f32({3, 1, 1}, {2.0F, 3.0F, 4.0F}), kNone});
  graph.value(w).type = graph.value(w).constant->type();
  const ValueId a = graph.add_value({"a", type, {}, kNone});
  const ValueId b = graph.add_value({"b", type, {}, kNone});
  const ValueId c = graph.add_value({"*/ c-\xc3\xbc", type, {}, kNone});
  const ValueId y = graph.add_value({"y", type, {}, kNone});
  graph.inputs = {x};
  graph.outputs = {y, c};
  const auto node = [&](const char* op, std::vector<ValueId> inputs, ValueId output) {
    Node n;
    n.type = op;
    n.name = std::string(op) + "_node";
    n.inputs = std::move(inputs);
    n.outputs = {output};
    n.origins = {n.name};
    return graph.add_node(n);
  };
  const NodeId ids[] = {node("Relu", {x}, a), node("AveragePool", {a}, b), node("Mul", {b, w}, c),
                        node("Identity", {c}, y)};

  Storage last;
  last.order = {1, 3, 2, 0};
  Storage halo = last;
  halo.halo_low = halo.halo_high = {0, 0, 1, 1};
  halo.halo_fill = -1.5;
  made.plan.storage = {
      {x, dense_storage(4)}, {a, halo}, {b, last}, {c, last}, {y, dense_storage(4)}};
  const std::vector<ValueId> inputs[] = {{x}, {a}, {b, w}, {c}};
  const ValueId outputs[] = {a, b, c, y};
  const char* symbols[] = {"hand_relu", "hand_box", "hand_scale", "hand_copy"};
  for (int i = 0; i < 4; ++i) {
    Group group;
    group.id = i;
    group.name = std::string(symbols[i]) + "_" + std::to_string(i);
    group.anchor = "elementwise";
    group.nodes = {ids[i]};
    group.inputs = inputs[i];
    group.outputs = {outputs[i]};
    made.plan.groups.push_back(group);
    Kernel kernel;
    kernel.group = i;
    kernel.symbol = symbols[i];
    kernel.object_path = folder + "/hand_made_kernels.o";
    kernel.schedule_name = "by hand";
    made.compiled.kernels.push_back(kernel);
  }
  EdgeVerdict edge;
  edge.producer = ids[0];
  edge.consumer = ids[1];
  edge.value = a;
  edge.code = "shape";
  edge.sentence = "by hand";
  edge.terms = {{"bytes_saved", 576}};
  made.plan.edges.push_back(edge);

  // a is stored [1,8,10,3]: interior starts at (1,1).
  const std::vector<KernelArgument::Dim> whole = {{0, 3, 1}, {-1, 10, 3}, {-1, 8, 30}, {0, 1, 240}};
  const std::vector<KernelArgument::Dim> inside = {{0, 3, 1}, {0, 8, 3}, {0, 6, 30}, {0, 1, 240}};
  std::vector<Kernel>& kernels = made.compiled.kernels;
  kernels[0].arguments = {argument(x, false, dense_dims()), argument(a, true, inside)};
  kernels[0].arguments[1].offset_bytes = (30 + 3) * 4;
  kernels[1].arguments = {argument(a, false, whole), argument(b, true, last_dims())};
  kernels[1].temporary_bytes = 128 + 576;
  kernels[1].worker_bytes = 20032;
  KernelArgument weight = argument(w, false, {{0, 1, 1}, {0, 1, 1}, {0, 3, 1}});
  weight.is_constant = true;
  weight.constant_index = 0;
  weight.bytes = 12;
  kernels[2].arguments = {argument(b, false, last_dims()), weight, argument(c, true, last_dims())};
  kernels[2].one_touch = true;
  kernels[3].arguments = {argument(c, false, last_dims()), argument(y, true, dense_dims())};
  made.compiled.constants = {{"w", *graph.value(w).constant}};

  const std::string source = FRIT_SOURCE_DIR "/tests/generators/package/hand_made_kernels.c";
  const ShellResult built =
      shell(cc + " -c -O1 -fPIC -ffunction-sections -I" FRIT_SOURCE_DIR " -o '" + folder +
            "/hand_made_kernels.o' " + source);
  EXPECT_EQ(built.status, 0) << built.output;
  return made;
}

HandMadeResult hand_made_result(const std::vector<float>& x) {
  HandMadeResult result;
  result.scaled.resize(144);
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < 6; ++y) {
      for (int i = 0; i < 8; ++i) {
        float sum = 0;
        for (int dy = -1; dy <= 1; ++dy) {
          for (int dx = -1; dx <= 1; ++dx) {
            const bool inside = y + dy >= 0 && y + dy < 6 && i + dx >= 0 && i + dx < 8;
            const float v =
                inside ? x[static_cast<std::size_t>(c * 48 + (y + dy) * 8 + i + dx)] : 0;
            sum += inside ? std::max(v, 0.0F) : -1.5F;
          }
        }
        result.scaled[static_cast<std::size_t>(c * 48 + y * 8 + i)] =
            sum * static_cast<float>(c + 2);
      }
    }
  }
  result.y = result.scaled;
  return result;
}

ShellResult shell(const std::string& command) {
  ShellResult result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot run a shell"};
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    result.output.append(buffer, n);
  }
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace frit
