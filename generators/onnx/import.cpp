#include "generators/onnx/import.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx.pb.h>

#include <fstream>
#include <limits>

#include "generators/onnx/declared.h"
#include "generators/onnx/external_data.h"
#include "generators/onnx/flex_attention.h"
#include "generators/onnx/graph_reader.h"
#include "generators/onnx/inputs.h"
#include "generators/onnx/names.h"
#include "generators/onnx/resolve.h"
#include "generators/onnx/support.h"

namespace frit {
namespace {

namespace fs = std::filesystem;

// Protobuf's own limit on one message.
constexpr std::uintmax_t kMostBytes = std::numeric_limits<int>::max();
// Control flow may nest; each level of it is three messages.
constexpr int kMostNested = 64;

tl::unexpected<Diagnostics> refuse(std::string code, std::string message) {
  return tl::unexpected(Diagnostics{error(std::move(code), std::move(message))});
}

tl::expected<std::string, Diagnostics> read_file(const fs::path& file) {
  std::error_code fault;
  if (!fs::exists(file, fault)) {
    return refuse("onnx-read", fmt::format("there is no file {}; check the path of the model",
                                           quoted_name(file.string())));
  }
  if (!fs::is_regular_file(file, fault)) {
    return refuse("onnx-read", fmt::format("{} is not a regular file; name an .onnx file",
                                           quoted_name(file.string())));
  }
  const std::uintmax_t size = fs::file_size(file, fault);
  if (fault || size > kMostBytes) {
    return refuse("onnx-read", fmt::format("{} has {} bytes, but an ONNX file has at most {}; save "
                                           "it with its weights as external data",
                                           quoted_name(file.string()), size, kMostBytes));
  }
  std::string bytes(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size))) {
    return refuse("onnx-read",
                  fmt::format("cannot read {}; check its permissions", quoted_name(file.string())));
  }
  return bytes;
}

bool parse(std::string_view bytes, onnx::ModelProto& model) {
  google::protobuf::io::ArrayInputStream array(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream stream(&array);
  stream.SetRecursionLimit(kMostNested);
  return model.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

tl::expected<onnx::ModelProto, Diagnostics> parse_model(std::string_view bytes,
                                                        const fs::path& file) {
  onnx::ModelProto model;
  if (bytes.size() > kMostBytes || !parse(bytes, model)) {
    return refuse(
        "onnx-parse",
        fmt::format(
            "{} is not an ONNX model: its protobuf is broken or cut short; export or copy it again",
            quoted_name(file.string())));
  }
  return model;
}

}  // namespace

tl::expected<Graph, Diagnostics> import_model_bytes(std::string_view bytes, const fs::path& file,
                                                    const ImportOptions& options) {
  auto parsed = parse_model(bytes, file);
  if (!parsed) return tl::unexpected(std::move(parsed).error());
  onnx::ModelProto& model = *parsed;
  if (!model.has_graph() || model.graph().output_size() == 0) {
    return refuse("onnx-parse",
                  fmt::format("{} holds no graph with an output; is it an ONNX model?",
                              quoted_name(file.string())));
  }
  auto opsets = read_opsets(model);
  if (!opsets) return tl::unexpected(std::move(opsets).error());
  if (const Status done = inline_flex_attention(model); !done) {
    return tl::unexpected(Diagnostics{done.error()});
  }
  Diagnostics unsupported = unsupported_operators(model, *opsets);
  if (!unsupported.empty()) return tl::unexpected(std::move(unsupported));
  auto input_types = resolve_inputs(model.graph(), options);
  if (!input_types) return tl::unexpected(std::move(input_types).error());

  ExternalData external(file.parent_path());
  const GraphReaderContext context{&external, std::move(*opsets), std::move(*input_types),
                                   options.consts};
  auto graph = read_graph(model.graph(), context);
  if (!graph) return graph;
  for (const onnx::StringStringEntryProto& entry : model.metadata_props()) {
    graph->metadata.emplace_back(entry.key(), entry.value());
  }
  Diagnostics faults = resolve_types(*graph);
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  for (Diagnostic& found : check_declared_outputs(model.graph(), *graph)) {
    (found.severity == Severity::kError ? faults : graph->warnings).push_back(std::move(found));
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  graph->check();
  return graph;
}

tl::expected<Graph, Diagnostics> import_model(const fs::path& file, const ImportOptions& options) {
  auto bytes = read_file(file);
  if (!bytes) return tl::unexpected(std::move(bytes).error());
  return import_model_bytes(*bytes, file, options);
}

tl::expected<Metadata, Diagnostics> read_metadata(const fs::path& file) {
  auto bytes = read_file(file);
  if (!bytes) return tl::unexpected(std::move(bytes).error());
  auto model = parse_model(*bytes, file);
  if (!model) return tl::unexpected(std::move(model).error());
  Metadata metadata;
  for (const onnx::StringStringEntryProto& entry : model->metadata_props()) {
    metadata.emplace_back(entry.key(), entry.value());
  }
  return metadata;
}

}  // namespace frit
