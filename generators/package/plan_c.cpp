// The plan of a package as readable C: one function a step, called in order by <m>_run.
#include <fmt/format.h>

#include <map>

#include "generators/package/c_names.h"
#include "generators/package/model.h"

namespace frit {
namespace {

/// Static tables of the file: equal ones once, in order of first use.
class Tables {
 public:
  Tables(std::string type, std::string prefix)
      : type_(std::move(type)), prefix_(std::move(prefix)) {}

  /// Name of the table with these rows.
  std::string name_of(const std::string& rows) {
    const auto [place, fresh] = names_.emplace(rows, fmt::format("{}_{}", prefix_, names_.size()));
    if (fresh) text_ += fmt::format("static const {} {}[] = {{{}}};\n", type_, place->second, rows);
    return place->second;
  }
  const std::string& text() const { return text_; }

 private:
  std::string type_, prefix_, text_;
  std::map<std::string, std::string> names_;
};

std::string type_literal(DType dtype) {
  const int bits = 8 * size_bytes(dtype);
  switch (dtype) {
    case DType::kF32:
    case DType::kF64:
    case DType::kF16:
      return fmt::format("{{2, {}, 1}}", bits);
    case DType::kBF16:
      return "{3, 16, 1}";
    case DType::kI2:
    case DType::kI4:
    case DType::kI8:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64:
      return fmt::format("{{0, {}, 1}}", bits);
    case DType::kBool:
      return "{1, 1, 1}";
    default:
      return fmt::format("{{1, {}, 1}}", bits);
  }
}

class PlanWriter {
 public:
  explicit PlanWriter(const PackageModel& model) : model_(model) {}

  std::string run() {
    std::string steps, calls, cases;
    std::size_t next_fill = 0;
    for (std::size_t k = 0; k < model_.compiled.kernels.size(); ++k) {
      const std::string name = step_name(k);
      steps += step(k, name, next_fill) + "\n";
      calls += fmt::format("  if ((code = {}(worker, io)) != 0) goto failed;\n", name);
      cases += fmt::format("    case {}: code = {}(worker, io); break;\n", k, name);
    }
    const std::string copies_in = copy_function(true);
    const std::string copies_out = copy_function(false);
    std::string text = opening();
    text += kernels() + "\n" + types_.text() + dims_.text() + borders_.text() + fills_.text() +
            copies_.text() + "\n" + steps + copies_in + copies_out + check_io() + abi();
    text += run_function(calls);
    if (model_.with_steps) text += step_functions(cases);
    return text;
  }

 private:
  const MemoryPlan& memory() const { return model_.memory; }
  const Value& value(ValueId id) const { return model_.graph.value(id); }

  std::string step_name(std::size_t k) const {
    const std::string group = c_identifier(model_.group_of(model_.compiled.kernels[k]).name);
    return fmt::format("step_{}{}{}", k, group.empty() ? "" : "_", group);
  }

  std::string opening() const {
    std::string text = fmt::format(
        "/* The plan of model \"{}\", made by frit {}: one function a step, in order of "
        "execution.\n"
        " * Values lie at fixed offsets of the arena; constants in {}. */\n",
        comment_text(model_.options.name), frit_version(),
        model_.weights ? "a file of weights" : "one blob, frit_weights");
    text += fmt::format("#include \"{}.h\"\n\n#include <string.h>\n\n", model_.c_name);
    for (const char* file : {"border", "buffer", "context", "copy", "error"}) {
      text += fmt::format("#include \"runtime/{}.h\"\n", file);
    }
    text += "\n";
    if (memory().constant_bytes > 0 && !model_.weights)
      text += "extern const uint8_t frit_weights[];\n";
    text += fmt::format(
        "typedef char frit_context_fits[sizeof(frit_context) <= sizeof({}_context) ? 1 : -1];\n\n",
        model_.c_name);
    return text;
  }

  /// Declarations; equal groups share a kernel.
  std::string kernels() const {
    std::map<std::string, std::size_t> arguments;
    const auto declare = [&](const std::vector<Kernel>& all) {
      for (const Kernel& kernel : all) arguments[kernel.symbol] = kernel.arguments.size();
    };
    declare(model_.compiled.kernels);
    for (const CompiledModel::Level& lower : model_.compiled.lower_levels) declare(lower.kernels);
    std::string text = "/* Kernels compiled by Halide: the worker, inputs, outputs. */\n";
    for (const auto& [symbol, count] : arguments) {
      text += fmt::format("int {}(void*", symbol);
      for (std::size_t i = 0; i < count; ++i) text += ", frit_buffer*";
      text += ");\n";
    }
    return text;
  }

  std::string io_member(const Place& place) const {
    const auto i = static_cast<std::size_t>(place.index);
    return "io->" +
           (place.kind == Place::Kind::kInput ? model_.input_names[i] : model_.output_names[i]);
  }

  /// C expression for the address `offset` bytes past the start of the value's buffer.
  std::string address(const Place& place, std::int64_t offset) const {
    switch (place.kind) {
      case Place::Kind::kArena:
        return fmt::format("worker->arena + {}", place.offset + offset);
      case Place::Kind::kConstant:
        return fmt::format("{} + {}", model_.weights ? "worker->weights" : "frit_weights",
                           place.offset + offset);
      default:
        break;
    }
    if (offset == 0) return io_member(place);
    return fmt::format("(const uint8_t*){} + {}", io_member(place), offset);
  }

  Place place_of(const KernelArgument& argument) const {
    if (!argument.is_constant) return memory().places.at(argument.value);
    const auto index = static_cast<std::size_t>(argument.constant_index);
    return {Place::Kind::kConstant, argument.constant_index, memory().constant_offsets[index]};
  }

  std::string dims_table(const KernelArgument& argument) {
    std::string rows;
    for (const KernelArgument::Dim& dim : argument.dims) {
      rows += fmt::format("{}{{{}, {}, {}, 0}}", rows.empty() ? "" : ", ", dim.min, dim.extent,
                          dim.stride);
    }
    return rows.empty() ? "0" : dims_.name_of(rows);
  }

  std::string step(std::size_t k, const std::string& name, std::size_t& next_fill) {
    const Kernel& kernel = model_.compiled.kernels[k];
    std::string body, call, notes;
    bool uses_io = false;
    for (;
         next_fill < memory().fills.size() && memory().fills[next_fill].step <= static_cast<int>(k);
         ++next_fill) {
      if (memory().fills[next_fill].step >= 0) body += fill(memory().fills[next_fill].owner);
    }
    int inputs = 0, outputs = 0;
    for (const KernelArgument& argument : kernel.arguments) {
      const Place place = place_of(argument);
      const std::string local =
          argument.is_output ? fmt::format("out_{}", outputs++) : fmt::format("in_{}", inputs++);
      const std::string where = address(place, argument.offset_bytes);
      uses_io = uses_io || place.kind == Place::Kind::kInput || place.kind == Place::Kind::kOutput;
      body += fmt::format("  frit_buffer {} = frit_host_buffer({}, {}[0], {}, {});\n", local, where,
                          types_.name_of(type_literal(argument.dtype)), argument.dims.size(),
                          dims_table(argument));
      call += ", &" + local;
      notes += note(argument, local);
    }
    if (memory().temporary_bytes[k] > 0) {
      body += fmt::format("  frit_worker_slab(worker, worker->arena + {}, {});\n",
                          memory().temporary_offsets[k], memory().temporary_bytes[k]);
    }
    return fmt::format(
        "{}static int {}(frit_worker* worker, const {}_io* io) {{\n{}{}"
        "{}  return {}(worker{});\n}}\n",
        comment(k, kernel, notes), name, model_.c_name, uses_io ? "" : "  (void)io;\n", body,
        lower_calls(k, call), kernel.symbol, call);
  }

  /// The same call of the kernel of each lower CPU level.
  std::string lower_calls(std::size_t k, const std::string& call) const {
    std::string text;
    for (const CompiledModel::Level& lower : model_.compiled.lower_levels) {
      text += fmt::format("  if (worker->cpu_level == {}) return {}(worker{}); /* {} */\n",
                          lower.level.number, lower.kernels[k].symbol, call, lower.level.name);
    }
    return text;
  }

  std::string comment(std::size_t k, const Kernel& kernel, const std::string& notes) const {
    const Group& group = model_.group_of(kernel);
    std::string text = fmt::format("/* Step {}: {}, schedule {}\n", k, comment_text(group.name),
                                   comment_text(kernel.schedule_name));
    for (const NodeId id : group.nodes) {
      const Node& node = model_.graph.node(id);
      text += fmt::format(" *   {}", comment_text(node.type));
      for (const std::string& origin : node.origins) {
        text += fmt::format(" \"{}\"", comment_text(origin, 80));
      }
      text += "\n";
    }
    return text + notes + " */\n";
  }

  std::string note(const KernelArgument& argument, const std::string& local) const {
    const TensorType& type = value(argument.value).type;
    return fmt::format(" * {}: {} {}, {} bytes\n", local,
                       comment_text(value(argument.value).name, 80), to_text(type), argument.bytes);
  }

  /// A call that fills the border of the buffer of `owner`.
  std::string fill(ValueId owner) {
    const Storage& storage = model_.plan.storage.at(owner);
    const TensorType& type = value(owner).type;
    const std::vector<std::int64_t> dims = type.dims();
    std::string rows;
    for (auto axis = storage.order.rbegin(); axis != storage.order.rend(); ++axis) {
      const auto a = static_cast<std::size_t>(*axis);
      rows += fmt::format("{}{{{}, {}, {}}}", rows.empty() ? "" : ", ", dims[a],
                          storage.halo_low[a], storage.halo_high[a]);
    }
    std::string bytes;
    for (const std::byte byte : element_bytes_of(type.dtype, storage.halo_fill)) {
      bytes += fmt::format("{}{}", bytes.empty() ? "" : ", ", std::to_integer<int>(byte));
    }
    return fmt::format("  frit_fill_border({}, {}, {}, {}, {});\n",
                       address(memory().places.at(owner), 0), size_bytes(type.dtype),
                       fills_.name_of(bytes), dims.size(), borders_.name_of(rows));
  }

  /// Copies between the caller's dense tensor and the value's place, either way.
  std::string copy(const TensorCopy& copy, bool into) {
    const TensorType& type = value(copy.value).type;
    const std::vector<std::int64_t> dims = type.dims();
    const Storage storage = storage_of(model_.graph, model_.plan, copy.value);
    const Place place = memory().places.at(copy.value);
    const std::int64_t element = size_bytes(type.dtype);
    const auto index = static_cast<std::size_t>(copy.index);
    const std::string theirs =
        "io->" + (into ? model_.input_names[index] : model_.output_names[index]);
    const std::string ours = address(place, origin_offset(storage, dims) * element);
    const std::string& to = into ? ours : theirs;
    const std::string& from = into ? theirs : ours;
    if (type.bytes() == 0) return "";
    if (is_dense(storage, dims))
      return fmt::format("  memcpy({}, {}, {});\n", to, from, type.bytes());
    const std::vector<std::int64_t> mine = strides_of(storage, dims);
    const std::vector<std::int64_t> dense =
        strides_of(dense_storage(static_cast<int>(dims.size())), dims);
    std::string rows;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      const std::int64_t to_stride = (into ? mine : dense)[axis] * element;
      const std::int64_t from_stride = (into ? dense : mine)[axis] * element;
      rows += fmt::format("{}{{{}, {}, {}}}", rows.empty() ? "" : ", ", dims[axis], to_stride,
                          from_stride);
    }
    return fmt::format("  frit_copy({}, {}, {}, {}, {});\n", to, from, element, dims.size(),
                       copies_.name_of(rows));
  }

  /// copy_in or copy_out; nothing where there is nothing to copy.
  std::string copy_function(bool into) {
    std::string body;
    if (into) {
      for (const BorderFill& border : memory().fills) {
        if (border.step < 0) body += fill(border.owner);
      }
    }
    for (const TensorCopy& entry : into ? memory().copies_in : memory().copies_out) {
      body += copy(entry, into);
    }
    (into ? copies_in_ : copies_out_) = !body.empty();
    if (body.empty()) return "";
    return fmt::format(
        "/* {} */\nstatic void copy_{}(const frit_worker* worker, const {}_io* io) {{\n"
        "  (void)worker;\n{}}}\n\n",
        into ? "Inputs that the plan stores otherwise than the caller."
             : "Outputs that no kernel writes in the caller's own buffer.",
        into ? "in" : "out", model_.c_name, body);
  }

  std::string check_io() const;
  std::string debug_checks() const;
  std::string weights() const;
  std::string abi() const;
  std::string run_function(const std::string& calls) const;
  std::string step_functions(const std::string& cases) const;

  const PackageModel& model_;
  Tables types_{"frit_type", "type"};
  Tables dims_{"frit_dim", "dims"};
  Tables borders_{"frit_border_axis", "border"};
  Tables fills_{"uint8_t", "fill"};
  Tables copies_{"frit_copy_axis", "copy"};
  bool copies_in_ = false, copies_out_ = false;
};

/// Null pointers are always refused; debug packages check alignment and overlap too.
std::string PlanWriter::check_io() const {
  std::string nulls;
  const auto refuse = [&](ValueId id, const std::string& name) {
    if (value(id).type.bytes() > 0) {
      nulls += fmt::format("  if (io->{} == 0) return FRIT_NULL_TENSOR;\n", name);
    }
  };
  for (std::size_t i = 0; i < model_.input_names.size(); ++i) {
    refuse(model_.graph.inputs[i], model_.input_names[i]);
  }
  for (std::size_t i = 0; i < model_.output_names.size(); ++i) {
    refuse(model_.graph.outputs[i], model_.output_names[i]);
  }
  return fmt::format(
      "static int check_io(const frit_context* context, const {}_io* io) {{\n"
      "  (void)context;\n  (void)io;\n{}{}  return FRIT_OK;\n}}\n\n",
      model_.c_name, nulls, model_.options.debug ? debug_checks() : "");
}

std::string PlanWriter::debug_checks() const {
  struct Tensor {
    std::string pointer;
    std::int64_t bytes, element;
    bool output;
  };
  std::vector<Tensor> tensors;
  const auto add = [&](ValueId id, const std::string& name, bool output) {
    const TensorType& type = value(id).type;
    tensors.push_back({"io->" + name, type.bytes(), size_bytes(type.dtype), output});
  };
  for (std::size_t i = 0; i < model_.input_names.size(); ++i) {
    add(model_.graph.inputs[i], model_.input_names[i], false);
  }
  for (std::size_t i = 0; i < model_.output_names.size(); ++i) {
    add(model_.graph.outputs[i], model_.output_names[i], true);
  }
  std::string text;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& a = tensors[i];
    text += fmt::format("  if ((uintptr_t){} % {} != 0) return FRIT_TENSOR_ALIGNMENT;\n", a.pointer,
                        a.element);
    text += fmt::format(
        "  if (frit_overlap({}, {}, context->arena, context->arena_bytes)) return "
        "FRIT_TENSOR_OVERLAP;\n",
        a.pointer, a.bytes);
    for (std::size_t j = 0; j < i; ++j) {
      const Tensor& b = tensors[j];
      if (!a.output && !b.output) continue;
      text += fmt::format("  if (frit_overlap({}, {}, {}, {})) return FRIT_TENSOR_OVERLAP;\n",
                          a.pointer, a.bytes, b.pointer, b.bytes);
    }
  }
  return text;
}

/// The header that the file of weights must have.
std::string PlanWriter::weights() const {
  if (!model_.weights) return "";
  const frit_weights_header& header = *model_.weights;
  std::string magic;
  for (const char c : header.magic) {
    magic += fmt::format("{}{}", magic.empty() ? "" : ", ", static_cast<int>(c));
  }
  return fmt::format(
      "static const frit_weights_header weights = {{{{{}}}, {}, {}, {}U,\n"
      "    {{{:#x}U, {:#x}U}}, {:#x}U, {{0, 0}}}};\n",
      magic, header.format, header.header_bytes, header.content_bytes, header.identity[0],
      header.identity[1], header.checksum);
}

std::string PlanWriter::abi() const {
  unsigned level_bits = 0;
  for (const CpuLevel& level : model_.levels()) level_bits |= 1U << level.number;
  std::string level_function;
  if (level_bits != 0) {
    level_function = fmt::format(
        "\nint {0}_cpu_level(const {0}_context* context) {{\n"
        "  return frit_context_cpu_level((const frit_context*)(const void*)context);\n}}\n",
        model_.c_name);
  }
  return fmt::format(
      R"({weights}static const frit_package package = {{{planned}, {slab}, {threads}, {weights_at}, {levels}}};

size_t {m}_arena_bytes(int threads) {{ return frit_arena_bytes(&package, threads); }}

int {m}_init({m}_context* context, const {m}_options* options) {{
  if (context == 0 || options == 0) return FRIT_NULL_ARGUMENT;
  if (options->size < sizeof *options) return FRIT_OPTIONS_SIZE;
  const frit_options plain = {{sizeof plain, options->arena, options->arena_bytes,
                              options->threads, options->cpu_level, options->weights,
                              options->weights_bytes, options->weights_trusted}};
  return frit_init((frit_context*)(void*)context, &plain, &package);
}}

void {m}_release({m}_context* context) {{ frit_release((frit_context*)(void*)context); }}

const char* {m}_error_text(int code) {{ return frit_error_text(code); }}
{level_function}
)",
      fmt::arg("levels", level_bits), fmt::arg("level_function", level_function),
      fmt::arg("weights", weights()), fmt::arg("weights_at", model_.weights ? "&weights" : "0"),
      fmt::arg("planned", memory().arena.peak_bytes), fmt::arg("slab", memory().worker_slab_bytes),
      fmt::arg("threads", model_.options.threads), fmt::arg("m", model_.c_name));
}

std::string PlanWriter::run_function(const std::string& calls) const {
  return fmt::format(
      R"(int {m}_run({m}_context* context, const {m}_io* io) {{
  frit_worker* const worker = frit_begin_run((frit_context*)(void*)context);
  int code;
  if (context == 0 || io == 0) return FRIT_NULL_ARGUMENT;
  if (worker == 0) return FRIT_NOT_INITIALISED;
  if ((code = check_io((const frit_context*)(const void*)context, io)) != 0) return code;
{in}{calls}{out}  return FRIT_OK;
{failed}}}
)",
      fmt::arg("m", model_.c_name), fmt::arg("in", copies_in_ ? "  copy_in(worker, io);\n" : ""),
      fmt::arg("calls", calls), fmt::arg("out", copies_out_ ? "  copy_out(worker, io);\n" : ""),
      fmt::arg("failed",
               calls.empty() ? "" : "failed:\n  return frit_kernel_error(worker, code);\n"));
}

std::string PlanWriter::step_functions(const std::string& cases) const {
  return fmt::format(
      R"(
/* For tools: the steps of a run one by one; step -1 copies inputs in, step_count copies out. */
int {m}_step_count(void);
int {m}_step({m}_context* context, const {m}_io* io, int step);

int {m}_step_count(void) {{ return {count}; }}

int {m}_step({m}_context* context, const {m}_io* io, int step) {{
  frit_worker* const worker = frit_begin_run((frit_context*)(void*)context);
  int code = 0;
  if (worker == 0) return FRIT_NOT_INITIALISED;
  switch (step) {{
    case -1: {in}break;
{cases}    case {count}: {out}break;
    default: break;
  }}
  (void)io;
  return code == 0 ? FRIT_OK : frit_kernel_error(worker, code);
}}
)",
      fmt::arg("m", model_.c_name), fmt::arg("count", model_.compiled.kernels.size()),
      fmt::arg("in", copies_in_ ? "copy_in(worker, io); " : ""), fmt::arg("cases", cases),
      fmt::arg("out", copies_out_ ? "copy_out(worker, io); " : ""));
}

}  // namespace

std::string plan_c_text(const PackageModel& model) { return PlanWriter(model).run(); }

}  // namespace frit
