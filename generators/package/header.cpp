// The C99 header of a package: what a user reads first.
#include <fmt/format.h>

#include <algorithm>

#include "generators/emit/target.h"
#include "generators/package/c_names.h"
#include "generators/package/model.h"

namespace frit {
namespace {

const char* c_type(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return "float";
    case DType::kF64:
      return "double";
    case DType::kF16:
    case DType::kBF16:
    case DType::kU16:
      return "uint16_t";
    case DType::kI8:
      return "int8_t";
    case DType::kI16:
      return "int16_t";
    case DType::kI32:
      return "int32_t";
    case DType::kI64:
      return "int64_t";
    case DType::kU8:
    case DType::kBool:
      return "uint8_t";
    case DType::kU32:
      return "uint32_t";
    case DType::kU64:
      return "uint64_t";
    case DType::kI4:
    case DType::kI2:
      return "int8_t";
    default:
      return "uint8_t";  // codes of small floats; u4, u2
  }
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

// What one element holds, where its C type does not say so.
const char* dtype_remark(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return " (bits of IEEE binary16)";
    case DType::kBF16:
      return " (bits of bfloat16)";
    case DType::kBool:
      return " (0 or 1)";
    case DType::kF6E2M3:
    case DType::kF6E3M2:
    case DType::kF4E2M1:
      return " (its bits are the low ones of a byte, the others 0)";
    case DType::kI4:
      return " (-8 to 7, one a byte)";
    case DType::kU4:
      return " (0 to 15, one a byte)";
    case DType::kI2:
      return " (-2 to 1, one a byte)";
    case DType::kU2:
      return " (0 to 3, one a byte)";
    default:
      return is_storage_only(dtype) ? " (its 8 bits)" : "";
  }
}

std::string member(const Value& value, const std::string& name, bool is_input) {
  const TensorType& type = value.type;
  return fmt::format(
      "  /* {} \"{}\": {}{}, {} bytes, row-major: last axis fastest */\n  {}{}* {};\n",
      is_input ? "input" : "output", comment_text(value.name), to_text(type),
      dtype_remark(type.dtype), type.bytes(), is_input ? "const " : "", c_type(type.dtype), name);
}

std::string sizes(const PackageModel& model, const Value& value, const std::string& name) {
  return fmt::format("#define {0}_{1}_ELEMENTS {2}\n#define {0}_{1}_BYTES {3}\n", model.c_name,
                     name, value.type.elements(), value.type.bytes());
}

std::string targets(const PackageModel& model) {
  if (model.levels().empty()) return target_text(model.options.target);
  std::string text;
  for (const CpuLevel& level : model.levels()) text += (text.empty() ? "" : ", ") + level.name;
  return "x86-64 with kernels for the CPU levels " + text;
}

/// The number of each CPU level in the package.
std::string level_macros(const PackageModel& model) {
  std::string text;
  for (const CpuLevel& level : model.levels()) {
    text += fmt::format("#define {}_CPU_{} {}\n", model.c_name, upper(level.name), level.number);
  }
  return text;
}

std::string level_member(const PackageModel& model) {
  if (model.levels().empty()) return "  int cpu_level;      /* 0: the package has one target */\n";
  return fmt::format(
      "  int cpu_level;      /* 0: the highest that this CPU has; or one of {}_CPU_... */\n",
      model.c_name);
}

/// Lines of the example that give the weights, where they are a file.
std::string weights_example(const PackageModel& model) {
  if (!model.weights) return "";
  return fmt::format(
      " *   {0}_map_weights(&options, \"{0}.weights\");  // {0}_weights.h; or point weights and\n"
      " *                                               // weights_bytes at the file's bytes\n",
      model.c_name);
}

std::string opening(const PackageModel& model) {
  const std::string& m = model.c_name;
  std::string example;
  for (const std::string& name : model.input_names) example += (example.empty() ? "" : ", ") + name;
  for (const std::string& name : model.output_names)
    example += (example.empty() ? "" : ", ") + name;
  return fmt::format(
      R"(/* Model "{title}", compiled by frit {version} for {target}.
 *
 *   static {m}_context context;
 *   {m}_options options = {{0}};
 *   options.size = sizeof options;
 *   options.threads = 1;
 *   options.arena_bytes = {m}_arena_bytes(1);
 *   options.arena = aligned_alloc(64, options.arena_bytes);
{weights} *   {m}_io io = {{{example}}};
 *   int code = {m}_init(&context, &options);
 *   if (code == 0) code = {m}_run(&context, &io);
 *   if (code != 0) puts({m}_error_text(code));
 *   {m}_release(&context);
 *
 * Functions return 0 or a code that {m}_error_text explains. After init nothing allocates.
 * A context serves one run at a time; any number of contexts may run at once, each with an arena
 * of its own. Link with -lm{pthread}. */
)",
      fmt::arg("title", comment_text(model.options.name)), fmt::arg("version", frit_version()),
      fmt::arg("target", targets(model)), fmt::arg("m", m),
      fmt::arg("example", comment_text(example)), fmt::arg("weights", weights_example(model)),
      fmt::arg("pthread", model.options.threads > 1 ? " -pthread" : ""));
}

const char* weights_members(const PackageModel& model) {
  if (!model.weights) {
    return R"(  const void* weights;  /* of no use here: the weights are in the archive */
  size_t weights_bytes;
  int weights_trusted;
)";
  }
  return R"(  const void* weights;  /* the bytes of the file, aligned to 64, unchanged until release;
                         * any number of contexts read the same */
  size_t weights_bytes; /* at least {m}_WEIGHTS_BYTES */
  int weights_trusted;  /* 0: init reads all and compares its checksum; 1: an earlier init did */
)";
}

std::string structs(const PackageModel& model) {
  const Graph& graph = model.graph;
  std::string io;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    io += member(graph.value(graph.inputs[i]), model.input_names[i], true);
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    io += member(graph.value(graph.outputs[i]), model.output_names[i], false);
  }
  if (io.empty()) io = "  void* unused; /* the model has neither inputs nor outputs */\n";
  return fmt::format(
      R"(/* Lies wherever the caller puts it, zeroed or not, and does not move while in use. */
typedef struct {m}_context {{
  uint64_t opaque[16];
}} {m}_context;

typedef struct {m}_options {{
  size_t size;        /* sizeof({m}_options) */
  void* arena;        /* memory for one context, aligned to {m}_ARENA_ALIGNMENT */
  size_t arena_bytes; /* at least {m}_arena_bytes(threads) */
  int threads;        /* 1 to {m}_THREADS_MAX, the calling thread included; 0: the most */
{level}{weights}}} {m}_options;

/* Where the caller's tensors lie. Outputs overlap neither inputs nor each other. */
typedef struct {m}_io {{
{io}}} {m}_io;
)",
      fmt::arg("m", model.c_name), fmt::arg("io", io), fmt::arg("level", level_member(model)),
      fmt::arg("weights",
               fmt::format(fmt::runtime(weights_members(model)), fmt::arg("m", model.c_name))));
}

std::string functions(const PackageModel& model) {
  const std::string level =
      model.levels().empty()
          ? ""
          : fmt::format(
                "\n/* The CPU level whose kernels a context runs; 0 before init. */\n"
                "int {0}_cpu_level(const {0}_context* context);\n",
                model.c_name);
  return fmt::format(
      R"(/* Bytes of arena that a context with options.threads = threads needs: as there, 0 means
 * {m}_THREADS_MAX. Returns 0 for a number below 0 or above {m}_THREADS_MAX. */
size_t {m}_arena_bytes(int threads);

/* Checks the options and starts the threads, if any. */
int {m}_init({m}_context* context, const {m}_options* options);

/* Runs the model once, in the calling thread and the context's own. Allocates nothing. */
int {m}_run({m}_context* context, const {m}_io* io);

/* Ends the threads. The arena may be freed after it. Harmless when init failed. */
void {m}_release({m}_context* context);

/* A sentence for a code; never null. */
const char* {m}_error_text(int code);
{level})",
      fmt::arg("m", model.c_name), fmt::arg("level", level));
}

}  // namespace

std::string header_text(const PackageModel& model) {
  const std::string& m = model.c_name;
  std::string text = opening(model);
  text += fmt::format("#ifndef FRIT_PACKAGE_{0}_H\n#define FRIT_PACKAGE_{0}_H\n\n", m);
  text += "#include <stddef.h>\n#include <stdint.h>\n\n";
  text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  text += fmt::format("#define {0}_THREADS_MAX {1}\n#define {0}_ARENA_ALIGNMENT {2}\n", m,
                      model.options.threads, kArenaAlignment);
  text += level_macros(model);
  if (model.weights) {
    text += fmt::format("#define {}_WEIGHTS_BYTES {}\n", m,
                        model.weights->header_bytes + model.weights->content_bytes);
  }
  const Graph& graph = model.graph;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    text += sizes(model, graph.value(graph.inputs[i]), model.input_names[i]);
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    text += sizes(model, graph.value(graph.outputs[i]), model.output_names[i]);
  }
  text += "\n" + structs(model) + "\n" + functions(model);
  text += "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}

}  // namespace frit
