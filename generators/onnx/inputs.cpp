#include "generators/onnx/inputs.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <optional>
#include <set>

#include "generators/graph/limits.h"
#include "generators/onnx/dtypes.h"
#include "generators/onnx/names.h"
#include "generators/onnx/shape_argument.h"

namespace frit {
namespace {

using InfoProto = onnx::ValueInfoProto;

// An extent as the file gives it: nullopt is open. Exporters also write open dims as -1.
struct DeclaredDim {
  std::optional<std::int64_t> extent;
  std::string symbol;
};

struct DeclaredInput {
  std::string name;
  DType dtype = DType::kF32;
  bool has_rank = false;
  std::vector<DeclaredDim> dims;

  bool is_open() const {
    for (const DeclaredDim& dim : dims) {
      if (!dim.extent) return true;
    }
    return !has_rank;
  }
  // "f32[?,3,48,?]"
  std::string text() const {
    if (!has_rank) return fmt::format("{} of any rank", name_of(dtype));
    std::string result = fmt::format("{}[", name_of(dtype));
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (i > 0) result += ',';
      result += dims[i].extent ? std::to_string(*dims[i].extent) : "?";
    }
    return result + "]";
  }
};

class Resolver {
 public:
  Resolver(const onnx::GraphProto& graph, const ImportOptions& options)
      : graph_(graph), options_(options) {}

  tl::expected<std::map<std::string, TensorType>, Diagnostics> run() {
    std::set<std::string> initializers;
    for (const auto& tensor : graph_.initializer()) initializers.insert(tensor.name());
    for (const auto& tensor : graph_.sparse_initializer()) {
      initializers.insert(tensor.values().name());
    }
    for (const InfoProto& info : graph_.input()) {
      if (!initializers.contains(info.name()) && names_.insert(info.name()).second) {
        resolve(info);
      }
    }
    for (const auto& [name, dims] : options_.shapes) {
      if (!names_.contains(name)) refuse_unknown("onnx-shape-option", "--shape", name);
    }
    for (const auto& [name, tensor] : options_.consts) {
      if (!names_.contains(name)) refuse_unknown("onnx-const-option", "--const", name);
    }
    if (!open_.empty()) refuse_open();
    if (!faults_.empty()) return tl::unexpected(std::move(faults_));
    return std::move(types_);
  }

 private:
  void fault(std::string code, std::string message) {
    faults_.push_back(error(std::move(code), std::move(message)));
  }

  std::optional<DeclaredInput> declared(const InfoProto& info) {
    if (!info.type().has_tensor_type()) {
      fault("onnx-input", fmt::format("input {} is no tensor; frit compiles models from tensors to "
                                      "tensors",
                                      quoted_name(info.name())));
      return std::nullopt;
    }
    const auto& tensor = info.type().tensor_type();
    const std::optional<DType> dtype = dtype_of_onnx(tensor.elem_type());
    if (!dtype) {
      fault("onnx-input",
            fmt::format("input {} has elements of {}, which frit does not compute with; cast it "
                        "before export",
                        quoted_name(info.name()), onnx_dtype_name(tensor.elem_type())));
      return std::nullopt;
    }
    DeclaredInput input{info.name(), *dtype, tensor.has_shape(), {}};
    for (const auto& dim : tensor.shape().dim()) {
      const bool fixed = dim.has_dim_value() && dim.dim_value() >= 0;
      input.dims.push_back(
          {fixed ? std::optional(dim.dim_value()) : std::nullopt, dim.dim_param()});
    }
    return input;
  }

  void resolve(const InfoProto& info) {
    const std::optional<DeclaredInput> input = declared(info);
    if (!input) return;
    if (const auto pinned = options_.consts.find(info.name()); pinned != options_.consts.end()) {
      check_constant(*input, pinned->second);
      return;
    }
    std::vector<std::int64_t> dims;
    if (const auto given = options_.shapes.find(info.name()); given != options_.shapes.end()) {
      if (!agrees(*input, given->second, "onnx-shape-option",
                  fmt::format("--shape {}:{}", info.name(), shape_argument_text(given->second)))) {
        return;
      }
      dims = given->second;
    } else if (input->is_open()) {
      open_.push_back(*input);
      return;
    } else {
      for (const DeclaredDim& dim : input->dims) dims.push_back(*dim.extent);
    }
    if (const std::string why = limit_fault(dims); !why.empty()) {
      fault(
          "onnx-too-large",
          fmt::format("input {} would be {}{}, which {}; pass another --shape or correct the model",
                      quoted_name(info.name()), name_of(input->dtype), dims_text(dims), why));
      return;
    }
    types_.emplace(info.name(), TensorType(input->dtype, dims));
  }

  bool agrees(const DeclaredInput& input, const std::vector<std::int64_t>& dims,
              const std::string& code, const std::string& given) {
    if (!input.has_rank) return true;
    if (dims.size() != input.dims.size()) {
      fault(code, fmt::format("{} has {} extents but the model's input is {}, with {}; give one "
                              "extent for each axis",
                              given, dims.size(), input.text(), input.dims.size()));
      return false;
    }
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      if (input.dims[axis].extent.value_or(dims[axis]) != dims[axis]) {
        fault(code, fmt::format("{} sets axis {} to {} but the model fixes it to {} ({} is {}); "
                                "give that extent or export the model with an open axis",
                                given, axis, dims[axis], *input.dims[axis].extent,
                                quoted_name(input.name), input.text()));
        return false;
      }
    }
    return true;
  }

  void check_constant(const DeclaredInput& input, const Tensor& tensor) {
    const std::string given = fmt::format("--const {}", input.name);
    if (tensor.dtype() != input.dtype) {
      fault("onnx-const-option",
            fmt::format("{} is {} but the model's input is {}; convert the file", given,
                        to_text(tensor.type()), input.text()));
      return;
    }
    agrees(input, tensor.dims(), "onnx-const-option", given);
  }

  void refuse_unknown(const std::string& code, const std::string& option, const std::string& name) {
    const std::vector<std::string> names(names_.begin(), names_.end());
    fault(code,
          fmt::format("{} names {}, which is no input of the model; its inputs are {}", option,
                      quoted_name(name), names.empty() ? "none" : quoted_names(names)));
  }

  // "x axis 0 (batch)" for each open dim, and one --shape for each input, "_" where a number is
  // due.
  void refuse_open() {
    std::string list;
    std::string options;
    int count = 0;
    for (const DeclaredInput& input : open_) {
      options += fmt::format(" --shape {}:", input.name);
      if (!input.has_rank) {
        list += fmt::format("{}{} has no shape at all", count++ == 0 ? "" : ", ",
                            quoted_name(input.name));
        options += "…";
      }
      for (std::size_t axis = 0; axis < input.dims.size(); ++axis) {
        const DeclaredDim& dim = input.dims[axis];
        options += (axis > 0 ? "x" : "") + (dim.extent ? std::to_string(*dim.extent) : "_");
        if (dim.extent) continue;
        list +=
            fmt::format("{}{} axis {}", count++ == 0 ? "" : ", ", quoted_name(input.name), axis);
        if (!dim.symbol.empty()) list += fmt::format(" ({})", dim.symbol);
      }
    }
    fault("onnx-open-dims", fmt::format("the model leaves {} open: {}; pin {} with{}, a number in "
                                        "place of each _",
                                        count == 1 ? "one dim" : fmt::format("{} dims", count),
                                        list, count == 1 ? "it" : "them", options));
  }

  const onnx::GraphProto& graph_;
  const ImportOptions& options_;
  std::set<std::string> names_;
  std::map<std::string, TensorType> types_;
  std::vector<DeclaredInput> open_;
  Diagnostics faults_;
};

}  // namespace

tl::expected<std::map<std::string, TensorType>, Diagnostics> resolve_inputs(
    const onnx::GraphProto& graph, const ImportOptions& options) {
  return Resolver(graph, options).run();
}

}  // namespace frit
