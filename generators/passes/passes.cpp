#include "generators/passes/passes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ops/operator.h"

namespace frit {

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> passes = {
      {"expand", "operators that are defined by others give way to them", expand, true, true},
      {"canonicalise",
       "one form for every opset; constant inputs become attributes; Split is Slices", canonicalise,
       true, true},
      {"fold_constants", "nodes whose inputs are known become constants (double, rounded once)",
       fold_constants, true, false},
      {"identity", "what gives back its input goes: Identity, x*1, Reshape to the same shape …",
       remove_identities, false, false},
      {"cse", "nodes that compute the same become one", merge_equal_nodes, false, false},
      {"merge_reshape_transpose",
       "chains of Reshape and of Transpose become one; views are Reshape", merge_reshape_transpose,
       false, false},
      {"hard_swish", "x*clip(x+3,0,6)/6 in any order becomes HardSwish", recognise_hard_swish,
       false, false},
      {"hard_sigmoid", "clip(x*a+b) scaled to 0…1 becomes HardSigmoid", recognise_hard_sigmoid,
       false, false},
      {"layer_norm", "mean, deviation, variance, quotient become LayerNormalization",
       recognise_layer_norm, false, false},
      {"gelu", "x*(1+erf(x/sqrt 2))/2 in any order becomes Gelu", recognise_gelu, false, false},
      {"fold_batch_norm",
       "BatchNormalization goes into the Conv, Gemm or MatMul before it, else "
       "becomes Mul and Add (numerics fast)",
       fold_batch_norm, false, false, true},
      {"fold_scale", "per-channel Mul and Add go into the Conv before them (numerics fast)",
       fold_scale, false, false, true},
      {"fold_scale_ahead", "per-channel Mul and Add go into the Conv after them (numerics fast)",
       fold_scale_ahead, false, false, true},
      {"gather_scale",
       "BatchNormalization and per-channel Mul and Add become one Mul and one Add after the Conv, "
       "or go into its weights where that is exact",
       gather_scale, false, false},
      {"strength", "x^2 is x*x; division by a power of two is a product", reduce_strength, false,
       false},
      {"wide_concat", "a Concat of many inputs becomes a tree of narrow ones", split_wide_concat,
       false, false},
      {"dead_code", "nodes that no output needs go", remove_dead_code, true, false},
  };
  return passes;
}

namespace {

Status check_names(const PassOptions& options) {
  for (const std::string& name : options.off) {
    bool known = false;
    std::vector<std::string_view> names;
    for (const Pass& pass : all_passes()) {
      if (!pass.required) names.push_back(pass.name);
      if (pass.name != name) continue;
      known = true;
      if (pass.required) {
        return fail(
            "pass-name",
            fmt::format(
                "pass '{}' cannot be turned off: planning needs it; leave it out of --no-pass",
                name));
      }
    }
    if (!known) {
      return fail("pass-name", fmt::format("there is no pass '{}'; those to turn off are {}", name,
                                           fmt::join(names, ", ")));
    }
  }
  return {};
}

// Shape arithmetic must be gone: it has no kernel.
Status check_plannable(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const Operator* op = find_operator(node.domain, node.type);
    if (op == nullptr || op->kind(graph.instance(node)) != OpKind::kShape) continue;
    for (const ValueId input : node.inputs) {
      if (input == kNone || graph.value(input).constant) continue;
      return fail("onnx-not-constant",
                  fmt::format("node '{}' ({}) depends on the values in '{}', which are known only "
                              "when the model runs; make them constant in the model",
                              node.name, node.type, graph.value(input).name));
    }
    return fail(
        "onnx-too-large",
        fmt::format("node '{}' ({}) would be a constant {}, more than is evaluated at build; "
                    "compute it before export",
                    node.name, node.type,
                    node.outputs.empty() ? "" : to_text(graph.value(node.outputs[0]).type)));
  }
  return {};
}

}  // namespace

Result<std::vector<PassReport>> run_passes(Graph& graph, const PassOptions& options) {
  if (const Status names = check_names(options); !names) return fail(names.error());
  std::vector<PassReport> reports;
  for (int round = 0; round <= kMostRounds; ++round) {
    bool changed = round == 0;
    for (const Pass& pass : all_passes()) {
      if (pass.once != (round == 0) || options.off.contains(std::string(pass.name))) continue;
      if (pass.fast && !options.fast) continue;
      Result<PassChanges> changes = pass.run(graph);
      if (!changes) return fail(std::move(changes).error());
      if (changes->empty()) continue;
      changed = true;
      reports.push_back({std::string(pass.name), round, std::move(*changes)});
    }
    if (!changed) break;
  }
  graph.check();
  if (const Status plannable = check_plannable(graph); !plannable) return fail(plannable.error());
  return reports;
}

std::string to_text(const std::vector<PassReport>& reports) {
  std::string text;
  for (const PassReport& report : reports) {
    text += fmt::format("{} (round {}): {} change{}\n", report.pass, report.round,
                        report.changes.size(), report.changes.size() == 1 ? "" : "s");
    for (const std::string& change : report.changes) text += "  " + change + "\n";
  }
  return text;
}

}  // namespace frit
