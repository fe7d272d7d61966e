// Builds small ONNX models in memory with the protobuf classes, for tests of the importer and
// passes.
//
//   ModelBuilder m(13);
//   m.input("x", {1, 3, 8, 8});
//   m.weights("w", {4, 3, 3, 3});
//   m.node("Conv", {"x", "w"}, {"y"}, {{"pads", Ints{1, 1, 1, 1}}}, "conv1");
//   m.output("y");
//   Graph graph = m.imported();
#pragma once

#include <onnx.pb.h>

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "generators/graph/graph.h"
#include "generators/onnx/import.h"
#include "ops/base/result.h"

namespace frit::testing {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using AttributeValue = std::variant<std::int64_t, float, std::string, Ints, Floats>;
struct NamedAttribute {
  template <class T>
  NamedAttribute(std::string attribute_name, T attribute_value) : name(std::move(attribute_name)) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<std::int64_t>(attribute_value);
    } else {
      value = std::move(attribute_value);
    }
  }
  std::string name;
  AttributeValue value;
};

class ModelBuilder {
 public:
  explicit ModelBuilder(int opset = 13);

  /// A float input; an extent of -1 is open.
  ModelBuilder& input(const std::string& name, const Ints& dims,
                      int dtype = onnx::TensorProto::FLOAT);
  ModelBuilder& output(const std::string& name);
  ModelBuilder& node(const std::string& type, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs,
                     const std::vector<NamedAttribute>& attributes = {},
                     const std::string& name = "");
  ModelBuilder& constant(const std::string& name, const Ints& dims, const Floats& values);
  ModelBuilder& constant(const std::string& name, const Ints& values);  ///< int64 [n]
  /// Floats from a fixed sequence in (-1,1), another one for each name.
  ModelBuilder& weights(const std::string& name, const Ints& dims);
  /// As weights, but in (0.5, 1.5): variances.
  ModelBuilder& positive(const std::string& name, const Ints& dims);

  onnx::ModelProto& proto() { return model_; }
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  std::string bytes() const;

  /// The imported graph; throws std::runtime_error with the diagnostics where there is none.
  Graph imported(const ImportOptions& options = {}) const;
  /// The text of every diagnostic of the import, each with a newline; "" when there is none.
  std::string refusal(const ImportOptions& options = {}) const;

 private:
  onnx::ModelProto model_;
};

/// The n-th float of the sequence called `name`, in (-1,1).
float sample(const std::string& name, std::size_t n);

/// Outputs of the graph by name, in double, for inputs filled from sample().
std::map<std::string, std::vector<double>> outputs_of(const Graph& graph, double spread = 1.0);

/// Largest |a-b| over all outputs, relative to the largest |a|; infinite where names or sizes
/// differ or one has a NaN that the other has not.
double distance(const std::map<std::string, std::vector<double>>& a,
                const std::map<std::string, std::vector<double>>& b);

/// "Conv Relu Add": the types of the nodes, in order.
std::string types_of(const Graph& graph);

}  // namespace frit::testing
