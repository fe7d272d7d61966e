#include "tests/fuzz/planned_samples.h"

#include "tests/fuzz/must.h"
#include "tests/support/sample_models.h"

namespace frit::testing {
namespace {

PlannedModel planned_sample(const ModelBuilder& model) {
  PlannedModel planned;
  planned.imported = model.imported();
  planned.graph = planned.imported;
  must(run_passes(planned.graph).has_value(), "a sample model fails in a pass");
  insert_layouts(planned.graph);
  auto plan = make_plan(planned.graph, {});
  must(plan.has_value(), "a sample model has no plan");
  planned.plan = std::move(*plan);
  return planned;
}

}  // namespace

const std::vector<PlannedModel>& planned_samples() {
  static const std::vector<PlannedModel> samples = [] {
    std::vector<PlannedModel> made;
    for (const ModelBuilder& model : sample_models()) made.push_back(planned_sample(model));
    return made;
  }();
  return samples;
}

}  // namespace frit::testing
