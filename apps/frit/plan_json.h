// A plan as JSON: what `frit plan --json` and `frit explain --json` print.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "generators/fusion/plan.h"

namespace frit {

/// {"schema":"frit.plan/1","groups":[{id,name,kind,anchor,nodes[],onnx_nodes[],inputs[],outputs[]}],
///  "edges":[{producer,consumer,value,fused,code,sentence,terms{}}]}
nlohmann::json plan_json(const Graph& graph, const Plan& plan);

nlohmann::json to_json(const Graph& graph, const EdgeVerdict& edge);

}  // namespace frit
