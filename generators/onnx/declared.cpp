#include "generators/onnx/declared.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <optional>
#include <string>

#include "generators/onnx/dtypes.h"
#include "generators/onnx/names.h"

namespace frit {
namespace {

std::string shape_text(const onnx::TensorShapeProto& shape) {
  std::string text;
  for (const onnx::TensorShapeProto::Dimension& dim : shape.dim()) {
    text += fmt::format("{}{}", text.empty() ? "" : ",",
                        dim.has_dim_value()   ? std::to_string(dim.dim_value())
                        : dim.has_dim_param() ? dim.dim_param()
                                              : "?");
  }
  return "[" + text + "]";
}

bool agrees(const onnx::TensorShapeProto& shape, const TensorType& type) {
  if (shape.dim_size() != type.rank()) return false;
  for (int i = 0; i < shape.dim_size(); ++i) {
    const std::int64_t extent = type.dims()[static_cast<std::size_t>(i)];
    // Some exporters write -1 for an extent that they leave open.
    const bool fixed = shape.dim(i).has_dim_value() && shape.dim(i).dim_value() >= 0;
    if (fixed && shape.dim(i).dim_value() != extent) return false;
  }
  return true;
}

std::optional<Diagnostic> check(const onnx::ValueInfoProto& info, const TensorType& type) {
  if (!info.has_type() || info.type().value_case() == onnx::TypeProto::VALUE_NOT_SET) return {};
  const std::string name = quoted_name(info.name());
  if (!info.type().has_tensor_type()) {
    return error("onnx-type", fmt::format("graph output {} is declared as no tensor but is {}; "
                                          "correct its declaration or export the model again",
                                          name, to_text(type)));
  }
  const onnx::TypeProto::Tensor& tensor = info.type().tensor_type();
  const int declared = tensor.elem_type();
  if (declared != onnx::TensorProto::UNDEFINED && dtype_of_onnx(declared) != type.dtype) {
    return error("onnx-type",
                 fmt::format("graph output {} is declared as {} but is {}; correct its declaration "
                             "or put a Cast before it",
                             name, onnx_dtype_name(declared), to_text(type)));
  }
  if (!tensor.has_shape() || agrees(tensor.shape(), type)) return {};
  Diagnostic warning = error(
      "onnx-shape", fmt::format("graph output {} is declared of shape {} but is {}, as it is "
                                "built; correct its declaration",
                                name, shape_text(tensor.shape()), to_text(type)));
  warning.severity = Severity::kWarning;
  return warning;
}

}  // namespace

Diagnostics check_declared_outputs(const onnx::GraphProto& proto, const Graph& graph) {
  Diagnostics all;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const auto found = check(proto.output(static_cast<int>(i)), graph.value(graph.outputs[i]).type);
    if (found) all.push_back(*found);
  }
  return all;
}

}  // namespace frit
