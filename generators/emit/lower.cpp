#include "generators/emit/lower.h"

#include <utility>

#include "generators/emit/one_touch.h"
#include "generators/emit/temporaries.h"

namespace frit {
namespace {

KernelArgument argument_of(const Graph& graph, ValueId id, const BufferLayout& layout,
                           bool is_output) {
  KernelArgument argument;
  argument.value = id;
  argument.is_output = is_output;
  argument.is_constant = graph.value(id).constant.has_value();
  argument.dtype = graph.value(id).type.dtype;
  for (const BufferLayout::Dim& dim : layout.dims) {
    argument.dims.push_back({static_cast<std::int32_t>(dim.min),
                             static_cast<std::int32_t>(dim.extent),
                             static_cast<std::int32_t>(dim.stride)});
  }
  argument.offset_bytes = layout.offset_bytes;
  argument.bytes = layout.bytes;
  return argument;
}

enum class Fallback : std::uint8_t { kNone, kRoot, kPlain };

Result<std::unique_ptr<Composed>> scheduled(const Graph& graph, const Plan& plan,
                                            const Group& group, const BoundSchedule& schedule,
                                            Fallback fallback, const Halide::Target& target) {
  auto composed = compose(graph, plan, group, schedule.packs);
  if (!composed) return composed;
  PipelineView& view = (*composed)->view;
  Status status;
  if (schedule.schedule.ast) {
    status = apply_schedule(schedule.schedule, view, schedule.bound, target);
  } else if (fallback == Fallback::kPlain) {
    status = apply_plain_schedule(view, schedule.bound, target);
  } else if (fallback == Fallback::kRoot) {
    status = apply_root_schedule(view, schedule.bound, target);
  } else {
    status = apply_default_schedule(view, schedule.bound, target);
  }
  if (!status) {
    Diagnostic problem = status.error();
    problem.notes.push_back("in group " + group.name);
    return fail(std::move(problem));
  }
  return composed;
}

Result<LoweredKernel> lower_composed(std::unique_ptr<Composed> composed, const Group& group,
                                     const std::string& schedule_name, const Halide::Target& target,
                                     const std::string& symbol) {
  std::vector<Halide::Func> outputs;
  for (const ComposedOutput& output : composed->outputs) outputs.push_back(output.func);
  bool one_touch = true;
  const std::vector<Stage*>& stages = composed->view.stages;  // the outputs are the last ones
  for (std::size_t i = stages.size() - outputs.size(); i < stages.size(); ++i) {
    one_touch = one_touch && writes_each_element_once(*stages[i]);
  }
  std::vector<Halide::Argument> arguments;
  for (const ComposedInput& input : composed->inputs) arguments.push_back(input.param);
  try {
    Halide::Module module = Halide::Pipeline(outputs).compile_to_module(arguments, symbol, target);
    const Result<Temporaries> temporaries = temporaries_of(module, symbol);
    if (!temporaries) return fail(temporaries.error());
    return LoweredKernel{std::move(composed), std::move(module), temporaries->bytes,
                         temporaries->worker_bytes, one_touch};
  } catch (const Halide::Error& problem) {
    Diagnostic wrong =
        error("emit-halide", "group " + group.name + " under schedule " + schedule_name +
                                 " does not lower: " + problem.what());
    wrong.notes.push_back("change the schedule, or build the group with the safe default");
    return fail(std::move(wrong));
  }
}

// Halide's code generator may refuse what its lowering took: 21.0 throws an empty InternalError for
// a predicated load whose index is a negative constant.
Status generated(Halide::Module& module, const Group& group, const CodeMaker& make_code) {
  try {
    make_code(module);
    return {};
  } catch (const Halide::Error& problem) {
    Diagnostic wrong = error("emit-codegen", "group " + group.name +
                                                 " lowers, but Halide makes no "
                                                 "code of it: " +
                                                 problem.what());
    wrong.notes.push_back("write another schedule for the group (frit show schedule)");
    return fail(std::move(wrong));
  }
}

}  // namespace

Result<std::unique_ptr<Composed>> scheduled_pipeline(const Graph& graph, const Plan& plan,
                                                     const Group& group,
                                                     const BoundSchedule& schedule,
                                                     const Halide::Target& target) {
  return scheduled(graph, plan, group, schedule, Fallback::kNone, target);
}

Result<LoweredKernel> lower_group(const Graph& graph, const Plan& plan, const Group& group,
                                  const BoundSchedule& schedule, const Halide::Target& target,
                                  const std::string& symbol, DefaultLoops loops) {
  const auto lowered = [&](Fallback fallback) -> Result<LoweredKernel> {
    auto composed = scheduled(graph, plan, group, schedule, fallback, target);
    if (!composed) return fail(composed.error());
    return lower_composed(std::move(*composed), group, schedule.name, target, symbol);
  };
  if (loops == DefaultLoops::kPlain) return lowered(Fallback::kPlain);
  Result<LoweredKernel> kernel = lowered(Fallback::kNone);
  // the safe default has no one to bound its loops
  const bool retry = !kernel && !schedule.schedule.ast && kernel.error().code == "emit-temporary";
  return retry ? lowered(Fallback::kRoot) : std::move(kernel);
}

Result<LoweredKernel> lower_to_code(const Graph& graph, const Plan& plan, const Group& group,
                                    const BoundSchedule& schedule, const Halide::Target& target,
                                    const std::string& symbol, const CodeMaker& make_code) {
  const auto made = [&](DefaultLoops loops) -> Result<LoweredKernel> {
    auto lowered = lower_group(graph, plan, group, schedule, target, symbol, loops);
    if (lowered) FRIT_TRY(generated(lowered->module, group, make_code));
    return lowered;
  };
  Result<LoweredKernel> lowered = made(DefaultLoops::kVectors);
  const bool retry = !lowered && !schedule.schedule.ast && !target.has_gpu_feature() &&
                     lowered.error().code == "emit-codegen";
  return retry ? made(DefaultLoops::kPlain) : std::move(lowered);
}

std::vector<KernelArgument> kernel_arguments(const Graph& graph, const Composed& composed) {
  std::vector<KernelArgument> arguments;
  for (const ComposedInput& input : composed.inputs) {
    arguments.push_back(argument_of(graph, input.value, input.layout, false));
  }
  for (const ComposedOutput& output : composed.outputs) {
    arguments.push_back(argument_of(graph, output.value, output.layout, true));
  }
  return arguments;
}

}  // namespace frit
