// Small graphs for tests: each call adds a canonical node with inferred types.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "generators/graph/graph.h"

namespace frit {

class GraphBuilder {
 public:
  explicit GraphBuilder(int opset = 13) : opset_(opset) {}

  ValueId input(const std::string& name, std::vector<std::int64_t> dims, DType dtype = DType::kF32);
  /// A constant of small distinct values, f32.
  ValueId constant(const std::string& name, std::vector<std::int64_t> dims);
  ValueId constant(const std::string& name, Tensor tensor);

  /// Adds a node named `name` whose first output has that name too (further ones: name + "_1" …),
  /// infers and canonicalises it. Throws std::runtime_error with the diagnostic's text.
  ValueId add(const std::string& type, const std::string& name, std::vector<ValueId> inputs,
              AttributeMap attributes = {}, int outputs = 1);
  ValueId conv(const std::string& name, ValueId x, std::int64_t channels, std::int64_t kernel = 3,
               std::int64_t stride = 1, std::int64_t group = 1);
  void output(ValueId value) { graph_.outputs.push_back(value); }
  std::vector<ValueId> outputs_of(const std::string& node_name) const;

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }

 private:
  int opset_;
  Graph graph_;
};

}  // namespace frit
