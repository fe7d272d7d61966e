#include "apps/frit/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "apps/frit/model_options.h"
#include "apps/frit/npy.h"
#include "generators/verify/test_data.h"

namespace frit {

namespace {

Result<Tensor> tensor_of(const std::string& name, const std::string& source, const TensorType& type,
                         std::uint64_t position) {
  if (source == "zero") return test_tensor(type, DataKind::kZeros, 0);
  if (source.starts_with("random:")) {
    std::uint64_t seed = 0;
    const char* const end = source.data() + source.size();
    const auto [stop, fault] = std::from_chars(source.data() + 7, end, seed);
    if (fault != std::errc() || stop != end) {
      return fail("cli-input", fmt::format("the seed in --input '{}={}' is no number; write "
                                           "random:0",
                                           name, source));
    }
    // Two inputs of one type must not get the same values.
    return test_tensor(type, DataKind::kRandom, seed * 1000 + position);
  }
  auto tensor = read_npy(source);
  if (tensor) tensor = named_as(std::move(*tensor), type.dtype);
  if (tensor && !(tensor->type() == type)) {
    return fail("input-type", fmt::format("input '{}' is {} but '{}' holds {}; convert the file or "
                                          "pass --shape",
                                          name, to_text(type), source, to_text(tensor->type())));
  }
  return tensor;
}

}  // namespace

Result<std::map<std::string, Tensor>> make_named_inputs(const Graph& graph,
                                                        const std::vector<std::string>& texts) {
  std::map<std::string, Tensor> tensors;
  for (const std::string& text : texts) {
    auto parts = split_assignment(text, "--input");
    if (!parts) return fail(parts.error());
    const auto& [name, source] = *parts;
    const auto named = [&](ValueId id) { return graph.value(id).name == name; };
    const auto input = std::find_if(graph.inputs.begin(), graph.inputs.end(), named);
    if (input == graph.inputs.end()) {
      std::string names;
      for (const ValueId id : graph.inputs) {
        names += (names.empty() ? "'" : ", '") + graph.value(id).name + "'";
      }
      return fail("input-name",
                  fmt::format("the model has no input '{}'; its inputs are {}", name, names));
    }
    auto tensor = tensor_of(name, source, graph.value(*input).type,
                            static_cast<std::uint64_t>(input - graph.inputs.begin()));
    if (!tensor) return fail(tensor.error());
    if (!tensors.emplace(name, std::move(*tensor)).second) {
      return fail("cli-input", fmt::format("--input names '{}' twice; keep one", name));
    }
  }
  return tensors;
}

Result<std::vector<Tensor>> make_inputs(const Graph& graph, const std::vector<std::string>& texts) {
  auto named = make_named_inputs(graph, texts);
  if (!named) return fail(named.error());
  std::vector<Tensor> tensors;
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    const auto found = named->find(value.name);
    if (found != named->end()) {
      tensors.push_back(found->second);
    } else {
      auto tensor = tensor_of(value.name, "random:0", value.type, tensors.size());
      if (!tensor) return fail(tensor.error());
      tensors.push_back(std::move(*tensor));
    }
  }
  return tensors;
}

}  // namespace frit
