#include "generators/verify/verify_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "generators/verify/evaluate.h"

namespace frit {
namespace {

bool all_passed(const std::vector<ValueVerdict>& verdicts) {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const ValueVerdict& verdict) { return verdict.comparison.passed; });
}

using Inputs = std::map<std::string, Tensor>;

// One run of a model: data, verdict on the whole, verdicts on the groups.
class Run {
 public:
  Run(const Graph& imported, const Graph& graph, const Plan& plan, const CompiledModel& model,
      const VerifyOptions& options)
      : imported_(imported), graph_(graph), plan_(plan), model_(model), options_(options) {}

  Result<RunVerdict> run(ModelRunner& runner, DataKind kind) const {
    RunVerdict verdict;
    verdict.data = kind == DataKind::kRandom ? fmt::format("random:{}", options_.seed)
                                             : std::string(name_of(kind));
    const Inputs inputs = inputs_of(kind);
    const Result<std::vector<Tensor>> outputs = run_whole(runner, inputs);
    if (!outputs) return fail(outputs.error());
    FRIT_TRY(judge_outputs(*outputs, inputs, verdict));
    if (options_.groups) FRIT_TRY(judge_groups(runner, inputs, verdict));
    return verdict;
  }

 private:
  Inputs inputs_of(DataKind kind) const {
    Inputs inputs;
    const std::set<ValueId> divisors = divisor_inputs(imported_);
    for (std::size_t i = 0; i < imported_.inputs.size(); ++i) {
      const Value& value = imported_.value(imported_.inputs[i]);
      const auto given = options_.inputs.find(value.name);
      inputs[value.name] = given != options_.inputs.end()
                               ? given->second
                               : test_tensor(value.type, kind, options_.seed + i,
                                             divisors.contains(imported_.inputs[i]));
    }
    return inputs;
  }

  static RefValues values_of(const Graph& graph, const Inputs& inputs) {
    RefValues values;
    for (const ValueId id : graph.inputs) {
      values[id] = RefTensor::from(inputs.at(graph.value(id).name));
    }
    return values;
  }

  Result<std::vector<Tensor>> run_whole(ModelRunner& runner, const Inputs& inputs) const {
    std::vector<Tensor> values;
    for (const ValueId id : graph_.inputs) values.push_back(inputs.at(graph_.value(id).name));
    if (options_.run_whole) return options_.run_whole(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      FRIT_TRY(runner.set(graph_.inputs[i], values[i]));
    }
    FRIT_TRY(runner.run());
    std::vector<Tensor> outputs;
    for (const ValueId id : graph_.outputs) outputs.push_back(runner.get(id));
    return outputs;
  }

  Status judge_outputs(const std::vector<Tensor>& outputs, const Inputs& inputs,
                       RunVerdict& verdict) const {
    const RefValues values = values_of(imported_, inputs);
    const bool by_bounds = options_.whole_by_bounds;
    const auto exact = evaluate_graph(
        imported_, values, by_bounds ? RefPrecision::kDoubleBounded : RefPrecision::kDouble);
    if (!exact) return fail(exact.error());
    Result<RefValues> naive;
    if (!by_bounds) naive = evaluate_graph(imported_, values, RefPrecision::kNaive32);
    if (!naive) return fail(naive.error());
    for (std::size_t i = 0; i < imported_.outputs.size(); ++i) {
      const ValueId id = imported_.outputs[i];
      const std::string& name = imported_.value(id).name;
      const Tensor& value = outputs.at(i);
      const auto peer = options_.peer_outputs.find(name);
      const Tensor* ort = peer == options_.peer_outputs.end() ? nullptr : &peer->second;
      verdict.outputs.push_back(
          {name, by_bounds
                     ? compare_bounded(value, exact->at(id))
                     : compare_model(value, exact->at(id), naive->at(id), ort, options_.slack)});
    }
    return {};
  }

  // Group by group in plan order; each group's inputs are the reference's outputs of the groups
  // before it, rounded to what memory holds.
  Status judge_groups(ModelRunner& runner, const Inputs& inputs, RunVerdict& verdict) const {
    RefValues known = values_of(graph_, inputs);
    std::map<ValueId, std::size_t> last_reader;
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      for (const ValueId id : plan_.groups[g].inputs) last_reader[id] = g;
    }
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      const Group& group = plan_.groups[g];
      auto values =
          evaluate_nodes(graph_, group.nodes, known, group.outputs, RefPrecision::kDoubleBounded);
      if (!values) return fail(values.error());
      if (group.kind == GroupKind::kKernel) {
        FRIT_TRY(judge_kernel(runner, group, known, *values, verdict));
      }
      for (auto& [id, tensor] : *values) known[id] = RefTensor::from(tensor.to_tensor());
      for (const ValueId id : group.inputs) {
        if (last_reader[id] == g) known.erase(id);
      }
    }
    return {};
  }

  Status judge_kernel(ModelRunner& runner, const Group& group, const RefValues& known,
                      const RefValues& reference, RunVerdict& verdict) const {
    for (const ValueId id : group.inputs) {
      const auto value = known.find(id);
      if (value != known.end()) FRIT_TRY(runner.set(id, value->second.to_tensor()));
    }
    FRIT_TRY(runner.run_kernel(kernel_of(group)));
    GroupVerdict judged{group.name, {}, {}};
    for (const NodeId node : group.nodes) {
      const std::vector<std::string>& origins = graph_.node(node).origins;
      judged.origins.insert(judged.origins.end(), origins.begin(), origins.end());
    }
    for (const ValueId id : group.outputs) {
      judged.outputs.push_back(
          {graph_.value(id).name, compare_bounded(runner.get(id), reference.at(id))});
    }
    verdict.groups.push_back(std::move(judged));
    return {};
  }

  std::size_t kernel_of(const Group& group) const {
    const auto found = std::find_if(model_.kernels.begin(), model_.kernels.end(),
                                    [&](const Kernel& kernel) { return kernel.group == group.id; });
    FRIT_ASSERT(found != model_.kernels.end(), "group " + group.name + " has no kernel");
    return static_cast<std::size_t>(found - model_.kernels.begin());
  }

  const Graph& imported_;
  const Graph& graph_;
  const Plan& plan_;
  const CompiledModel& model_;
  const VerifyOptions& options_;
};

}  // namespace

bool GroupVerdict::passed() const { return all_passed(outputs); }

bool RunVerdict::passed() const {
  return all_passed(outputs) && std::all_of(groups.begin(), groups.end(),
                                            [](const GroupVerdict& g) { return g.passed(); });
}

bool ModelVerdict::passed() const {
  return std::all_of(runs.begin(), runs.end(), [](const RunVerdict& run) { return run.passed(); });
}

Result<ModelVerdict> verify_model(const Graph& imported, const Graph& graph, const Plan& plan,
                                  const CompiledModel& model, const VerifyOptions& options) {
  FRIT_ASSERT(imported.outputs.size() == graph.outputs.size(),
              "passes changed the number of graph outputs");
  auto runner = ModelRunner::load(graph, plan, model);
  if (!runner) return fail(runner.error());
  const Run run(imported, graph, plan, model, options);
  ModelVerdict verdict;
  for (const DataKind kind : options.kinds) {
    Result<RunVerdict> one = run.run(**runner, kind);
    if (!one) return fail(one.error());
    verdict.runs.push_back(std::move(*one));
  }
  return verdict;
}

std::string to_text(const ModelVerdict& verdict, bool all_groups) {
  std::string text;
  for (const RunVerdict& run : verdict.runs) {
    for (const ValueVerdict& output : run.outputs) {
      text +=
          fmt::format("{} output `{}`: {}\n", run.data, output.name, to_text(output.comparison));
    }
    for (const GroupVerdict& group : run.groups) {
      if (group.passed() && !all_groups) continue;
      for (const ValueVerdict& output : group.outputs) {
        text += fmt::format("{} group {} `{}`: {}\n", run.data, group.name, output.name,
                            to_text(output.comparison));
      }
      if (!group.passed()) text += fmt::format("  made from {}\n", fmt::join(group.origins, ", "));
    }
    const auto wrong = std::count_if(run.groups.begin(), run.groups.end(),
                                     [](const GroupVerdict& group) { return !group.passed(); });
    if (!run.groups.empty()) {
      text += fmt::format("{}: {} groups, {} wrong\n", run.data, run.groups.size(), wrong);
    }
  }
  return text;
}

}  // namespace frit
